"""Exported operators under PyTorch's transforms: shapes, gradients, batches, graphs."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
import torch
from torch.autograd import forward_ad

from keyslot import errors

pytestmark = pytest.mark.usefixtures("exported_ops")


class Net(torch.nn.Module):  # type: ignore[misc]  # torch is Any where it is not
    """A program over operators of ours: functional, in-place, with a list."""

    def forward(self, x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        """Compute something in which a size takes part."""
        ops: Any = torch.ops.exported
        product = ops.gated(x, gate, slope=2.0)
        ops.scale_(product, x.shape[0])
        total: torch.Tensor = ops.join([product, x, product])
        return total


def test_compiled_once_for_all_sizes() -> None:
    """A dimension that is marked as dynamic costs no compilation for another size."""
    graphs: list[Any] = []

    def backend(graph: Any, inputs: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    torch.compiler.reset()
    compiled = torch.compile(Net(), fullgraph=True, backend=backend)
    for size in (4, 7, 12):
        x, gate = torch.rand(size, 3), torch.rand(3)
        torch._dynamo.mark_dynamic(x, 0)
        torch.testing.assert_close(compiled(x, gate), Net()(x, gate))
    assert len(graphs) == 1


# PyTorch 2.13 warns of what it does itself there.
@pytest.mark.filterwarnings("ignore:`isinstance.treespec, LeafSpec:FutureWarning")
def test_exported_program_has_free_sizes() -> None:
    """``torch.export`` keeps the operators, and the program runs for another size."""
    sizes = ({0: torch.export.Dim("size", min=4)}, None)
    program = torch.export.export(
        Net(), (torch.rand(6, 3), torch.rand(3)), dynamic_shapes=sizes
    )
    called = {str(node.target) for node in program.graph.nodes}
    assert {"exported.gated.default", "exported.join.default"} <= called
    x, gate = torch.rand(9, 3), torch.rand(3)
    torch.testing.assert_close(program.module()(x, gate), Net()(x, gate))
    # Without anything that writes, too.
    decomposed = program.run_decompositions()
    torch.testing.assert_close(decomposed.module()(x, gate), Net()(x, gate))


def test_size_may_be_an_argument() -> None:
    """A size that a program computes can be given where the schema has a SymInt."""

    def program(x: torch.Tensor) -> torch.Tensor:
        size = x.shape[0]
        made: torch.Tensor = torch.ops.exported.windows(x, size // 2)
        return made + torch.ops.exported.ramp(size - size // 2 + 1)

    torch.compiler.reset()
    compiled = torch.compile(program, fullgraph=True, backend="aot_eager", dynamic=True)
    for size in (6, 9):
        x = torch.rand(size)
        torch.testing.assert_close(compiled(x), program(x))


def test_compiled_gradient_is_the_same() -> None:
    """Forward and backward are traced, formulas and backward functions alike."""

    def program(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        low, high = torch.ops.exported.extent(torch.ops.exported.gated(x, gate))
        return torch.ops.exported.join([low[None] * 2, high[None]]).sum()

    torch.compiler.reset()
    compiled = torch.compile(program, fullgraph=True, backend="aot_eager")
    args = torch.rand(3, 4, requires_grad=True), torch.rand(4, requires_grad=True)
    torch.testing.assert_close(
        torch.autograd.grad(compiled(*args), args),
        torch.autograd.grad(program(*args), args),
    )


def test_formulas_can_be_differentiated_again() -> None:
    """Formulas are over PyTorch's operators, so second derivatives follow."""
    x = torch.rand(2, 3, dtype=torch.float64, requires_grad=True)
    gate = torch.rand(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(torch.ops.exported.gated, (x, gate))
    assert torch.autograd.gradgradcheck(torch.ops.exported.gated, (x, gate))


def test_vmap_uses_the_batching_function() -> None:
    """One call computes the whole batch, whatever its dimensions are."""
    x, gate = torch.rand(3, 5), torch.rand(3)
    batched = torch.vmap(torch.ops.exported.gated, in_dims=(1, None))(x, gate)
    torch.testing.assert_close(batched, torch.ops.exported.gated(x.t(), gate))


def test_inplace_gradient_is_that_of_the_functional_companion() -> None:
    """Where a gradient is wanted, PyTorch records the functional one and a copy."""
    x = torch.rand(3, requires_grad=True)
    y = x * 1
    assert torch.ops.exported.scale_(y) is y
    (gradient,) = torch.autograd.grad((y * y).sum(), x)
    torch.testing.assert_close(gradient, 8 * x.detach())


def test_inplace_gradient_may_need_what_is_written_over() -> None:
    """A formula sees the argument as it was before the call."""
    x = torch.rand(3, requires_grad=True)
    y = x * 1
    torch.ops.exported.halve_square_(y)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(gradient, x.detach())


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda x: torch.ops.exported.clamp_(x * 1, 0),
            "exported::clamp_ has no gradient: it changes an argument, and an argument"
            " requires a gradient; call it under torch.no_grad(), or call a function"
            " that changes none",
        ),
        (
            lambda x: torch.ops.exported.reverse(x).sum().backward(),
            "exported::reverse has no gradient: its declaration names none; write"
            " derivatives or torch: backward, or call it under torch.no_grad()",
        ),
    ],
)
def test_gradient_that_is_not_there_is_an_error(call: Any, says: str) -> None:
    """No operator gives a wrong gradient without a word."""
    x = torch.rand(3, requires_grad=True)
    with pytest.raises(errors.NoGradientError) as caught:
        call(x)
    assert str(caught.value) == says
    with torch.no_grad():
        torch.ops.exported.clamp_(x, 0)


def test_out_has_no_gradient() -> None:
    """As with PyTorch's own functions, out= and gradients exclude each other."""
    x = torch.rand(3, requires_grad=True)
    with pytest.raises(errors.NoGradientError):
        torch.ops.exported.scale.out(x, 2, out=torch.empty(3))


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.ops.exported.scale(x),
        lambda x: torch.ops.exported.scale_(x * 1),
        lambda x: torch.ops.exported.join([x, torch.ones(3)]),
        lambda x: torch.ops.exported.scale.out(x, 2, out=torch.empty(3)),
    ],
)
def test_forward_mode_is_refused(call: Any) -> None:
    """Nor does one return a tangent of zero, or none, where there is another."""
    x = torch.rand(3)
    with pytest.raises(errors.NoGradientError, match="in forward mode"):
        torch.func.jvp(call, (x,), (x,))
    with forward_ad.dual_level():
        call(x)
        with pytest.raises(errors.NoGradientError, match="in forward mode"):
            call(forward_ad.make_dual(x, x))


def test_inference_mode_writes_too() -> None:
    """Tensors of inference mode are written to, in that mode and after it."""
    with torch.inference_mode():
        made = torch.ops.exported.scale(torch.ones(2))
        torch.ops.exported.scale_(made)
    torch.ops.exported.scale_(made)
    assert made.tolist() == [8.0, 8.0]


def test_meta_tensors_have_the_shapes(exported_ops: ModuleType) -> None:
    """The rule for shapes also serves tensors on the device meta."""
    del exported_ops
    made = torch.ops.exported.join([torch.empty(2, 3, device="meta")] * 2)
    assert (made.shape, made.device.type) == ((4, 3), "meta")
