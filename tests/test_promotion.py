"""Promotion: all operators of several operands follow the tables in docs/ops.md."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from keyslot import errors

from .calling import ops
from .dispatching import binary
from .ops_document import table
from .test_shipped_ops import SHIPPED

NAMES: dict[str, Any] = {
    "np": np,
    "b": np.array([True, True]),
    "i8": np.array([1, 2], "int8"),
    "i16": np.array([1, 2], "int16"),
    "u8": np.array([1, 2], "uint8"),
    "f16": np.array([1, 2], "float16"),
    "f32": np.array([1, 2], "float32"),
    "f64": np.array([1, 2], "float64"),
    "c64": np.array([1, 2], "complex64"),
}
NUMBERS = (bool, int, float, complex)
#: The kinds of dtypes, by the words of the document.
KINDS = {"bool": "b", "integer": "iu", "floating": "f", "complex": "c", "none": ""}
#: Their numbers are parameters of a function of one array, whose dtype they take on.
OF_ONE_ARRAY = {
    "elu",
    "hardtanh",
    "leaky_relu",
    "masked_fill",
    "softplus",
    "threshold",
}
#: These take arrays of one dtype only: nothing is promoted.
OF_ONE_DTYPE = {"lerp"}
#: Calls with two operands, where these are not all that the operator takes, or where
#: another overload takes a number for something else.
CALLS: dict[str, Any] = {
    "where": binary(lambda x, y: ops.where(NAMES["b"], x, y)),
    "max": ops.max.other,
    # It subtracts from a number or an array, and a number comes second only.
    "rsub": binary(
        lambda x, y: ops.rsub(y, x) if isinstance(x, NUMBERS) else ops.rsub(x, y)
    ),
    # With one array as a bound it is maximum or minimum, which take bools.
    "clamp": binary(lambda x, y: ops.clamp(x, y, y)),
}

OPERANDS = dict(table("operands"))
RULES = {
    name: (result, refused)
    for names, result, refused in table("operators | result | refused dtypes")
    for name in re.findall(r"`(\w+)`", names)
}


def operands(text: str) -> list[Any]:
    """Return the operands that a row of the document names."""
    return [eval(operand, NAMES) for operand in re.findall(r"`([^`]+)`", text)]


def is_refused(refused: str, promoted: str, given: list[Any]) -> bool:
    """Whether an operator does not take operands that are promoted to a dtype."""
    kinds = "".join(KINDS[word] for word in re.findall("|".join(KINDS), refused))
    if "either operand" in refused:
        return any(np.asarray(operand).dtype.kind in kinds for operand in given)
    return np.dtype(promoted).kind in kinds


def expected(result: str, promoted: str) -> str:
    """Return the dtype of a result by the rule of its operator."""
    if result == "bool":
        return result
    least = result.endswith("floating at least")
    return "float64" if least and np.dtype(promoted).kind in "bi" else promoted


def test_every_operator_of_several_operands_has_its_rule() -> None:
    """The document leaves out none of the pointwise operators."""
    taking = {
        schema.name
        for schema, entry in SHIPPED.items()
        if "pointwise" in entry.get("tags", ())
        and not (schema.is_out or schema.is_inplace)
        and sum(a.type.base.name in ("Tensor", "Scalar") for a in schema.arguments) > 1
    }
    assert set(RULES) == taking - OF_ONE_ARRAY - OF_ONE_DTYPE


@pytest.mark.parametrize(("name", "given"), [*product(RULES, OPERANDS)])
@pytest.mark.parametrize("turned", [False, True])
def test_operators_follow_the_rule(name: str, given: str, turned: bool) -> None:
    """Dtype or refusal are those of the tables, whichever operand comes first."""
    result, refused = RULES[name]
    values, promoted = operands(given), OPERANDS[given]
    if turned:
        values.reverse()
    call = CALLS.get(name) or getattr(ops, name)
    if is_refused(refused, promoted, values):
        with pytest.raises(TypeError):
            call(*values)
        return
    assert call(*values).dtype == expected(result, promoted)


@pytest.mark.parametrize("name", RULES)
def test_lists_are_no_operands(name: str) -> None:
    """They are refused by every operator, not by some and converted by others."""
    call = CALLS.get(name) or getattr(ops, name)
    for given in ([1, 2], (1, 2), [NAMES["i8"]]):
        with pytest.raises(errors.OverloadError):
            call(NAMES["i8"], given)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, (result, refused) in RULES.items()
        if result != "bool" and "integer" not in refused
    ],
)
def test_number_that_does_not_fit_is_an_error(name: str) -> None:
    """It neither wraps around nor widens the result."""
    call = CALLS.get(name) or getattr(ops, name)
    if RULES[name][0].endswith("floating at least"):
        assert call(NAMES["i8"], 300).dtype == "float64"
        return
    with pytest.raises(OverflowError):
        call(NAMES["i8"], 300)
