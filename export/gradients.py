"""What PyTorch's autograd is told of an operator."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C
from torch.autograd import forward_ad
from torch.utils import _pytree

from ..runtime.errors import NoGradientError
from ..runtime.schema import FunctionSchema
from .definition import Definition, Function, takes_gradients
from .formulas import Formulas, TorchFormula
from .recording import recording_kernel


def register_gradient(definition: Definition) -> None:
    """Register the gradient of an operator, or that it has none."""
    exported = definition.exported
    setup: Function | None = None
    formulas = _formulas(definition)
    if formulas is not None:
        setup, backward = formulas.setup_context, formulas.backward
    elif exported.backward is not None:
        backward = definition.load(exported.backward, "torch: backward")
        if exported.setup_context is not None:
            setup = definition.load(exported.setup_context, "torch: setup_context")
    elif takes_gradients(definition.schema):
        backward = _without(definition)
    else:
        kernel = _without_tangents(definition, _recording_writes(definition))
        definition.impl("Autograd", kernel, with_keyset=True)
        return
    # Not by torch.library.register_autograd, which lets nobody come before its kernel.
    backward = _of_all_arguments(definition, backward)
    kernel = recording_kernel(definition, setup, backward)
    definition.impl("Autograd", _without_tangents(definition, kernel), with_keyset=True)


def _formulas(definition: Definition) -> Formulas | None:
    """Return the formulas of an operator: those for PyTorch, or those of its entry."""
    exported = definition.exported
    if exported.derivatives:
        read = [
            TorchFormula(argument, text, definition)
            for argument, text in exported.derivatives.items()
        ]
        return Formulas(definition, read)
    if exported.backward is None and definition.has_derivatives:
        # Transforms are loaded where there is a use for them.
        from .rule_formulas import rule_formulas

        return rule_formulas(definition)
    return None


def _without_tangents(definition: Definition, kernel: Function) -> Function:
    """Return an autograd kernel that refuses what forward mode wants a gradient of.

    Kernels that know of backward mode alone drop tangents without a word.
    """

    def refusing(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        level = forward_ad._current_level
        if level >= 0 and _has_tangent((args, kwargs), level):
            raise NoGradientError(
                definition.qualified,
                "in forward mode, that is, as torch.func.jvp and its relatives do",
            )
        return kernel(keyset, *args, **kwargs)

    return refusing


def _has_tangent(values: Any, level: int) -> bool:
    return any(
        isinstance(value, torch.Tensor)
        and torch._VF._unpack_dual(value, level=level)[1] is not None
        for value in _pytree.tree_leaves(values)
    )


def _of_all_arguments(definition: Definition, function: Function) -> Function:
    """Return a backward function for calls that leave arguments away.

    The function sees all arguments of the schema and may return a gradient for each;
    PyTorch counts those that were given, and leaves away what has its default value.
    """
    count = len(definition.schema.positional)

    def backward(ctx: Any, *grads: Any) -> Any:
        given = ctx.needs_input_grad
        ctx.needs_input_grad = (*given, *[False] * (count - len(given)))
        found = function(ctx, *grads)
        return found[: len(given)] if isinstance(found, tuple) else found

    return backward


def _without(definition: Definition) -> Function:
    """Return the backward function of an operator that has none."""

    def backward(ctx: Any, *grads: Any) -> Any:
        del ctx, grads
        raise _no_gradient(definition)

    return backward


def _recording_writes(definition: Definition) -> Function:
    """Return the autograd kernel of a function that changes an argument.

    Where a gradient is wanted, an in-place function copies the result of its functional
    companion, and PyTorch records both. Any other is refused: what a kernel writes to
    would have a wrong gradient, and no error would say so.
    """
    overload = definition.overload
    functional = definition.exported.functional

    def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.is_grad_enabled() and _C._any_requires_grad(*args, **kwargs):
            if functional is None:
                raise _no_gradient(definition)
            positional, named = definition.fill(args, kwargs)
            written, *others = positional
            # The gradient may need what is written over.
            result = definition.find(functional)(written.clone(), *others, **named)
            return written.copy_(result)
        with _C._AutoDispatchBelowAutograd():
            below = keyset & _C._after_autograd_keyset
            return overload.redispatch(below, *args, **kwargs)

    return kernel


def _no_gradient(definition: Definition) -> NoGradientError:
    return NoGradientError(definition.qualified, _why_none(definition.schema))


def _why_none(schema: FunctionSchema) -> str:
    """Return why an operator has no gradient, and what to do."""
    if any(argument.is_write for argument in schema.arguments):
        return (
            "it changes an argument, and an argument requires a gradient; call it under"
            " torch.no_grad(), or call a function that changes none"
        )
    if not takes_gradients(schema):
        return (
            "it takes arrays by name alone, and PyTorch has gradients of others only;"
            " let them be given by position, or call it under torch.no_grad()"
        )
    return (
        "its declaration names none; write derivatives or torch: backward, or call it"
        " under torch.no_grad()"
    )
