"""The kernels of an operator in PyTorch: on devices, without values, for versions."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C
from torch._library.utils import mutated_args_kwargs

from .definition import Definition, Function
from .numpy_kernels import numpy_kernel
from .shapes import shape_kernel


def register_kernels(definition: Definition) -> None:
    """Register the kernels that compute, and what traces the operator without them."""
    exported = definition.exported
    for key, reference in exported.kernels.items():
        kernel = definition.load(reference, key)
        definition.impl(key, definition.filled(kernel))
    if exported.through_numpy is not None:
        kernel = definition.filled(numpy_kernel(definition))
        definition.impl(exported.through_numpy, kernel)
    if (traced := _traced(definition)) is not None:
        torch.library.register_fake(definition.overload, traced, lib=definition.library)
    if definition.overload._schema.is_mutable:
        kernel = _counting_versions(definition)
        definition.impl("ADInplaceOrView", kernel, with_keyset=True)


def _traced(definition: Definition) -> Function | None:
    """Return the kernel that makes results without values; None where there is none."""
    rule = definition.exported.shape
    if rule is not None:
        function = definition.load(rule, "torch: shape")
        return definition.filled(shape_kernel(definition, function))
    if definition.op.shape_rule is not None:
        # Transforms are loaded where there is a use for them.
        from .rule_shapes import rule_kernel

        return definition.filled(rule_kernel(definition))
    returns = definition.schema.returns
    return _given(definition) if all(ret.alias for ret in returns) else None


def _given(definition: Definition) -> Function:
    """Return the kernel without values of a function that returns what it is given."""
    given_back = definition.given_back

    def kernel(*args: Any, **kwargs: Any) -> Any:
        named = definition.named(args, kwargs)
        given = tuple(named[name] for name in given_back if name is not None)
        return given[0] if len(given) == 1 else given or None

    return kernel


def _counting_versions(definition: Definition) -> Function:
    """Return a kernel that tells autograd what is written to, and goes on below.

    What autograd has kept for a gradient must not change unseen.
    """
    overload = definition.overload
    schema = overload._schema
    places, names = mutated_args_kwargs(schema)

    def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        written = [*(args[p] for p in places if p < len(args))]
        written += [kwargs[name] for name in names if kwargs.get(name) is not None]
        for value in written:
            torch.autograd.graph.increment_version(value)
        below = keyset & _C._after_ADInplaceOrView_keyset
        return overload.redispatch(below, *args, **kwargs)

    return kernel
