"""The names that formulas of derivatives may use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..runtime.formula import parse_formula
from ..runtime.schema import FunctionSchema
from ..runtime.schema_kinds import is_tensor_like
from .checking import Checking
from .nodes import Scalar
from .problems import Located, unknown

_GRADS: Final = ("grad", "grads")


def known_values(schema: FunctionSchema) -> list[str]:
    """Return the names that formulas of a function may use; one twice is ambiguous."""
    arguments = [argument.name for argument in schema.arguments]
    return [*arguments, *_GRADS, *results_of(schema)]


def forward_values(schema: FunctionSchema) -> list[str]:
    """Return the same for formulas of forward derivatives.

    Beside an array stand what it is without its tangent, ``self_p``, and the tangent,
    ``self_t``. There is no gradient yet.
    """
    arguments = [argument.name for argument in schema.arguments]
    arrays = [arg.name for arg in schema.arguments if is_tensor_like(arg.type)]
    duals = [f"{name}_{part}" for name in arrays for part in "pt"]
    return [*arguments, *duals, *results_of(schema)]


def results_of(schema: FunctionSchema) -> list[str]:
    """Return every name that formulas have for a result."""
    named = [ret.name for ret in schema.returns if ret.name is not None]
    numbered = [f"result{place}" for place in range(len(schema.returns))]
    one = ["result"] if len(schema.returns) == 1 else []
    return [*numbered, *one, *named]


def check_values(
    node: Located, text: str, known: Sequence[str], checking: Checking
) -> None:
    """Report every name in a formula that is not known, or known for two things."""
    for value, column in parse_formula(text).values.items():
        if known.count(value) == 1:
            continue
        message = unknown("value", value, known)
        if value in known:
            message = f"{value!r} is an argument, and a gradient or result: rename it"
        place = node.column_of(column - 1) if isinstance(node, Scalar) else None
        checking.problems.add(node, message, place)
