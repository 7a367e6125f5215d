"""Rules for operators that PyTorch takes for its own.

Each rule yields ``(field below torch, message)`` for every breach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from ..runtime.schema import Argument, FunctionSchema
from ..runtime.schema_kinds import is_tensor_like
from .check_formulas import check_values, known_values
from .checking import NOT_EXPORTED, UNTRACED, Checking, place_of
from .exports import (
    Exported,
    export_of,
    exported_overload,
    fresh_returns,
    is_functional,
    needs_shape,
    why_not_exported,
)
from .model import Export, Overload, in_export, in_formula
from .problems import unknown

Breach: TypeAlias = tuple[str, str]
Rule: TypeAlias = Callable[[FunctionSchema, Export], Iterator[Breach]]


def check_exports(
    overloads: Sequence[Overload], checking: Checking, *, wanted: bool
) -> None:
    """Report what PyTorch would refuse, or could not trace."""
    for overload in overloads:
        export = export_of(overload, wanted=wanted)
        if export is None:
            continue
        if refusal := why_not_exported(overload, export, checking.space):
            _report_refusal(overload, refusal, checking)
            continue
        for rule in RULES:
            for field, message in rule(overload.schema, export):
                checking.add(overload.declaration, in_export(field), message)
        _check_derivatives(overload, export, checking)
        exported = exported_overload(overload, export, checking.space)
        if needs_shape(exported):
            _warn_untraced(exported, checking)


def _report_refusal(overload: Overload, refusal: str, checking: Checking) -> None:
    """An entry that asks for what cannot be is wrong; a whole namespace may ask."""
    message = f"PyTorch cannot take it for its own: {refusal}"
    if overload.declaration.torch:
        checking.add(overload.declaration, "torch", message)
    else:
        said = f"{overload.schema.qualified}: {message}; write 'torch: false'"
        checking.warn(overload.declaration, "func", said, NOT_EXPORTED)


def _warn_untraced(exported: Exported, checking: Checking) -> None:
    said = (
        f"{exported.overload.schema.qualified}: without a rule for its shape PyTorch"
        " runs it, and cannot compile or export what calls it; name one as shape"
    )
    checking.warn(exported.overload.declaration, "torch", said, UNTRACED)


def _shape_is_of_new_arrays(schema: FunctionSchema, export: Export) -> Iterator[Breach]:
    if export.shape is not None and not fresh_returns(schema):
        yield "shape", "what it returns was given to it: it needs no rule for a shape"


def _transforms_are_of_functions(
    schema: FunctionSchema, export: Export
) -> Iterator[Breach]:
    if is_functional(schema):
        return
    for field in ("backward", "vmap"):
        has_formulas = field == "backward" and export.derivatives
        if field in export.references or has_formulas:
            yield field, f"{field!r} is for a function that changes no argument"


def _gradients_are_positional(
    schema: FunctionSchema, export: Export
) -> Iterator[Breach]:
    if export.backward is None and not export.derivatives:
        return
    for argument in schema.keyword_only:
        if is_tensor_like(argument.type) and not argument.is_write:
            message = (
                "PyTorch has no gradients for functions with keyword-only arrays, and"
                f" {argument.name!r} is one"
            )
            yield "backward", message


def _setup_has_backward(schema: FunctionSchema, export: Export) -> Iterator[Breach]:
    del schema
    if export.setup_context is not None and export.backward is None:
        message = "it keeps what a backward function needs, and none is named"
        yield "setup_context", message


RULES: Final[tuple[Rule, ...]] = (
    _shape_is_of_new_arrays,
    _transforms_are_of_functions,
    _gradients_are_positional,
    _setup_has_backward,
)


def _check_derivatives(overload: Overload, export: Export, checking: Checking) -> None:
    """Check that formulas are of arguments with gradients, and name what there is."""
    arguments = {argument.name: argument for argument in overload.schema.positional}
    differentiable = [name for name, each in arguments.items() if _has_gradient(each)]
    known = known_values(overload.schema)
    for name, text in export.derivatives.items():
        field = in_export(f"backward.{name}")
        if name not in differentiable:
            message = unknown("argument with a gradient", name, differentiable)
            checking.add(overload.declaration, field, message)
        node = place_of(overload.declaration, in_formula(name))
        check_values(node, text, known, checking)


def _has_gradient(argument: Argument) -> bool:
    return str(argument.type) in ("Tensor", "Tensor?")
