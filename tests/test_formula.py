"""Formulas of gradients: what they may say, and what they come to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyslot.runtime.errors import FormulaError
from keyslot.runtime.formula import MAX_LENGTH, parse_formula


def find(name: str) -> Any:
    """Return a function of NumPy."""
    return getattr(np, name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("grad * by", 6),
        (" grad + 1", 3),
        ("grads[0] if weight is None else grads[1]", 2),
        ("grads[-1]", 5),
        ("sqrt(x * 2).real + x.imag", 4.0),
        ("-grad ** 2 // 3 % 2", 0),
        ("not grad == 2 or by >= 3", True),
        ("(x, [by])", (8.0, [3])),
        ("grads[:1]", (2,)),
        ("maximum(x, by, dtype=None)", 8.0),
    ],
)
def test_formula_is_evaluated(text: str, expected: object) -> None:
    """Values come from the call, functions from the library, the rest is Python."""
    values = {"grad": 2, "grads": (2, 5), "by": 3, "weight": None, "x": np.float64(8)}
    assert parse_formula(text).evaluate(values, find) == expected


def test_formula_knows_what_it_names() -> None:
    """Values and functions are told apart, each with the column of its first use."""
    formula = parse_formula("grad * exp(self) * self.exp() + exp(by)")
    assert formula.values == {"grad": 1, "self": 12, "by": 37}
    assert formula.functions == {"exp": 8}


def test_name_is_looked_up_nowhere_else() -> None:
    """What Python has built in is no function of a formula."""
    with pytest.raises(AttributeError):
        parse_formula("open(1)").evaluate({}, find)


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "not a formula: as an expression, Python cannot read it"),
        ("grad *", 7, "not a formula: as an expression, Python cannot read it"),
        ("  grad *", 9, "not a formula: as an expression, Python cannot read it"),
        ("grad = 1", 6, "not a formula: as an expression, Python cannot read it"),
        ("x.__class__", 1, "a formula names nothing like '__class__'"),
        ("1 + _x", 5, "a formula names nothing like '_x'"),
        ("1 + größe", 5, "a formula names nothing like 'größe'"),
        ("f('x')", 3, "a formula has no texts: name a backward function instead"),
        ("f(b'x')", 3, "a formula has no texts: name a backward function instead"),
        ("lambda: 1", 1, "a formula has no Lambda"),
        ("[x for x in y]", 1, "a formula has no ListComp"),
        ("(y := x)", 2, "a formula has no NamedExpr"),
        ("f(*x)", 3, "a formula has no Starred"),
        ("f(x, **y)", 6, "a formula has no ** before arguments"),
        (" f(x=1, x=2)", 9, "not a formula: keyword argument repeated: x"),
        ("{1: 2}", 1, "a formula has no Dict"),
        ("f'{x}'", 1, "a formula has no JoinedStr"),
        ("f(1)(2)", 1, "only functions and methods can be called"),
        ("1 + " * 300 + "1", 1, f"a formula has at most {MAX_LENGTH} characters"),
    ],
)
def test_what_is_no_formula_is_refused(text: str, column: int, problem: str) -> None:
    """Each mistake has its column."""
    with pytest.raises(FormulaError) as caught:
        parse_formula(text)
    assert (caught.value.column, caught.value.problem) == (column, problem)


@pytest.mark.parametrize("text", ["-" * 60 + "1", "(" * 400 + "1" + ")" * 400])
def test_nesting_is_bounded(text: str) -> None:
    """No depth takes the parser, or the evaluation, to its end."""
    with pytest.raises(FormulaError):
        parse_formula(text)


@given(st.text(max_size=40))
def test_any_text_is_a_formula_or_refused(text: str) -> None:
    """Nothing else than FormulaError ever comes out, and its column can be shown."""
    try:
        columns = [*parse_formula(text).values.values()]
    except FormulaError as error:
        columns = [error.column]
    assert all(1 <= column <= len(text) + 1 for column in columns)
