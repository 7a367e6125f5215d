"""An operator for PyTorch: one YAML entry with a kernel and the rules of the operator.

Run `keyslot codegen` in this folder first; it writes `extension_ops`.
"""

from __future__ import annotations

import extension_ops
import numpy as np
import torch

from keyslot.torch import export_operators

# To NumPy it is an operator like any other, and PyTorch has not heard of it.
print(extension_ops.muladd(np.ones(3), np.arange(3.0), 0.5))

with export_operators(extension_ops):
    a, b = torch.rand(4, 3, requires_grad=True), torch.rand(3, requires_grad=True)
    muladd = torch.ops.extension.muladd

    # A gradient, by the derivatives of the YAML; b was broadcast.
    grad_a, grad_b = torch.autograd.grad(muladd(a, b, 0.5).sum(), (a, b))
    print("the gradients are right:", torch.allclose(grad_b, a.sum(0)))

    # A gradient for each row at once, by the batching rule.
    row_gradient = torch.func.grad(lambda row: muladd(row, b, 0.5).sum())
    print("so are those of a batch:", torch.equal(torch.vmap(row_gradient)(a), grad_a))

    # PyTorch's own checks: the schema is true, the shapes are, it can be traced.
    print(torch.library.opcheck(muladd.default, (a, b, 0.5)))

    # A program in one graph, for any number of rows.
    program = torch.compile(
        lambda a, b: muladd(a, b, 1.0).relu(), fullgraph=True, backend="aot_eager"
    )
    print(program(a, b).shape)

print("and gone again:", not hasattr(torch.ops.extension, "muladd"))
