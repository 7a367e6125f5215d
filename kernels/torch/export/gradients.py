"""What PyTorch's autograd is told of an operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import _C

from ....runtime.errors import NoGradientError
from ....runtime.formula import Formula, parse_formula
from ....runtime.schema import FunctionSchema
from .definition import Definition, Function

_TENSORS: Final = ("Tensor", "Tensor?")


def register_gradient(definition: Definition) -> None:
    """Register the gradient of an operator, or that it has none."""
    exported = definition.exported
    setup: Function | None = None
    if exported.derivatives:
        setup, backward = _of_formulas(definition)
    elif exported.backward is not None:
        backward = definition.load(exported.backward, "torch: backward")
        if exported.setup_context is not None:
            setup = definition.load(exported.setup_context, "torch: setup_context")
    elif _takes_gradients(definition.schema):
        backward = _without(definition)
    else:
        kernel = _recording_writes(definition)
        definition.impl("Autograd", kernel, with_keyset=True)
        return
    torch.library.register_autograd(
        definition.overload,
        _of_all_arguments(definition, backward),
        setup_context=setup,
        lib=definition.library,
    )


def _takes_gradients(schema: FunctionSchema) -> bool:
    """Whether PyTorch registers gradients for such functions.

    It does for those that change no argument and take no tensors by name alone.
    """
    by_name = (argument.type.base.name for argument in schema.keyword_only)
    writes = any(argument.is_write for argument in schema.arguments)
    return bool(schema.returns) and not writes and "Tensor" not in by_name


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


def _of_formulas(definition: Definition) -> tuple[Function, Function]:
    """Return what keeps the values that formulas name, and what evaluates them."""
    schema = definition.schema
    formulas = {
        name: parse_formula(text)
        for name, text in definition.exported.derivatives.items()
    }
    for formula in formulas.values():
        _check_functions(formula, definition)
    needed = {value for formula in formulas.values() for value in formula.values}
    positional = [argument.name for argument in schema.positional]

    def setup_context(
        ctx: Any,
        inputs: tuple[Any, ...],
        output: Any,
        keyword_only_inputs: Mapping[str, Any] | None = None,
    ) -> None:
        values = dict(zip(positional, inputs, strict=True))
        values.update(keyword_only_inputs or {})
        values.update(_named_results(schema, output))
        kept = {name: value for name, value in values.items() if name in needed}
        tensors = [n for n, value in kept.items() if isinstance(value, torch.Tensor)]
        ctx.save_for_backward(*(kept[name] for name in tensors))
        ctx.names_of_saved = tensors
        ctx.other_values = {n: kept[n] for n in kept if n not in tensors}

    def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
        saved = zip(ctx.names_of_saved, ctx.saved_tensors, strict=True)
        values = {**ctx.other_values, **dict(saved), "grad": grads[0], "grads": grads}

        def gradient(place: int, name: str) -> Any:
            if name not in formulas or not ctx.needs_input_grad[place]:
                return None
            return formulas[name].evaluate(values, _function)

        return tuple(gradient(*each) for each in enumerate(positional))

    return setup_context, backward


def _named_results(schema: FunctionSchema, output: Any) -> dict[str, Any]:
    """Return the results under every name that formulas may have for them."""
    results = output if len(schema.returns) > 1 else (output,)
    named = {f"result{place}": result for place, result in enumerate(results)}
    if len(schema.returns) == 1:
        named["result"] = output
    for ret, result in zip(schema.returns, results, strict=True):
        if ret.name is not None:
            named[ret.name] = result
    return named


def _function(name: str) -> Function:
    """Return a function of PyTorch's by its name."""
    found: Function = getattr(torch, name)
    return found


def _check_functions(formula: Formula, definition: Definition) -> None:
    for name in formula.functions:
        if not callable(getattr(torch, name, None)):
            raise NoGradientError(
                definition.qualified,
                f"its formula {formula.text!r} calls {name!r}, and torch has no such"
                " function",
            )


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
            result = definition.find(functional)(*positional, **named)
            return positional[0].copy_(result)
        with _C._AutoDispatchBelowAutograd():
            below = keyset & _C._after_autograd_keyset
            return overload.redispatch(below, *args, **kwargs)

    return kernel


def _no_gradient(definition: Definition) -> NoGradientError:
    writes = any(argument.is_write for argument in definition.schema.arguments)
    why = (
        "it changes an argument, and an argument requires a gradient; call it under"
        " torch.no_grad(), or call a function that changes none"
        if writes
        else "its declaration names none; name one as torch: backward, or call it"
        " under torch.no_grad()"
    )
    return NoGradientError(definition.qualified, why)
