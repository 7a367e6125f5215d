"""The NumPy kernels that multiply matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest

from keyslot import ops
from keyslot.kernels.numpy import linalg
from keyslot.runtime.errors import ArgumentValueError, DtypeError, OutShapeError

from .arrays import matrix, same


def test_products_are_written_to_out() -> None:
    """The array given for the result is returned, and has its very shape."""
    one, two = matrix(), matrix().T
    out = np.zeros((2, 2))
    assert linalg.mm_out(one, two, out=out) is out
    same(out, linalg.mm(one, two))
    batch = linalg.bmm(one[None], two[None])
    same(linalg.bmm_out(one[None], two[None], out=np.zeros((1, 2, 2))), batch)
    with pytest.raises(OutShapeError) as caught:
        linalg.mm_out(one, two, out=np.zeros((1, 2, 2)))
    assert caught.value.expected == (2, 2)


def test_addmm_leaves_out_what_is_multiplied_by_zero() -> None:
    """NaN there does not show, but its shape is still checked."""
    nan, one = np.full((2, 2), np.nan), np.eye(2)
    same(linalg.addmm(nan, one, one, beta=0), one)
    same(linalg.addmm(one, nan, one, alpha=0), one)
    with pytest.raises(ValueError, match="broadcast"):
        linalg.addmm(np.ones(3), one, one, beta=0)


def test_addmm_in_place_and_out() -> None:
    """The first array is written and returned, or the one given for the result."""
    one, array = np.eye(2), np.ones((2, 2))
    out = np.zeros((2, 2))
    assert linalg.addmm_out(array, one, one, alpha=2, out=out) is out
    same(out, [[3.0, 1.0], [1.0, 3.0]])
    assert linalg.addmm_(array, one, one, beta=3) is array
    same(array, [[4.0, 3.0], [3.0, 4.0]])
    with pytest.raises(OutShapeError):
        linalg.addmm_(np.ones(2), one, one)


def test_factors_take_on_the_dtype() -> None:
    """Fractions are cut off for integers; real matrices take no complex number."""
    whole = np.ones((1, 1), "int64")
    same(linalg.addmm(whole, whole, whole, beta=2.5, alpha=1.5), [[3]])
    with pytest.raises(ArgumentValueError) as caught:
        linalg.addmm(whole, whole, whole, alpha=1j)
    assert str(caught.value) == "alpha is 1j; arrays of int64 hold no complex numbers"


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        (
            matrix(),
            matrix(),
            "shapes (2, 3) and (2, 3) cannot be multiplied; two matrices can, where the"
            " rows of the first are as long as the columns of the second",
        ),
        (
            matrix(),
            np.ones((3, 2), "float32"),
            "the operands have dtypes float64 and float32; they must be equal",
        ),
        (
            np.ones((1, 1), bool),
            np.ones((1, 1), bool),
            "bool matrices are not multiplied; convert them to integers",
        ),
    ],
)
def test_what_is_not_multiplied(one: Any, two: Any, message: str) -> None:
    """Shapes that do not fit, different dtypes, and bools."""
    with pytest.raises((ArgumentValueError, DtypeError)) as caught:
        linalg.mm(one, two)
    assert str(caught.value) == message


def test_matmul_broadcasts_arrays_of_matrices() -> None:
    """What NumPy's own operator gives, for vectors, matrices and arrays of these."""
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        *(((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((5, 2, 3), (3, 4))),
        *(((1, 2, 3), (5, 3, 4)), ((6, 1, 2, 3), (5, 3, 1)), ((3,), (5, 3, 4))),
    ]
    for one, two in shapes:
        left, right = np.arange(prod(one)), np.arange(prod(two))
        factors = left.reshape(one), right.reshape(two)
        same(ops.matmul(*factors), np.asarray(factors[0] @ factors[1]))


@pytest.mark.parametrize(
    ("equation", "operands", "message"),
    [
        ("ij", [np.zeros(2)], "'ij' does not fit an array of 1 dimensions"),
        ("i,i", [np.zeros(2)], "it names 2 operands, 1 are given"),
        ("i1", [np.zeros(2)], "'i1' is not made of letters and one ellipsis"),
        (
            "i->j",
            [np.zeros(2)],
            "the result needs letters of operands, each once",
        ),
    ],
)
def test_equations_that_do_not_fit(equation: str, operands: Any, message: str) -> None:
    """The message repeats the equation and says what is wrong with it."""
    with pytest.raises(ArgumentValueError) as caught:
        ops.einsum(equation, operands)
    assert str(caught.value) == f"equation is {equation!r}: {message}"


def test_letters_stand_for_one_size() -> None:
    """Two sizes for a letter are refused, of two operands and of one."""
    with pytest.raises(ArgumentValueError) as caught:
        ops.einsum("ij,j", [np.zeros((2, 3)), np.zeros(2)])
    assert str(caught.value) == "'j' stands for the sizes 3 and 2"
    with pytest.raises(ArgumentValueError) as caught:
        ops.einsum("ii", [np.zeros((2, 3))])
    assert str(caught.value) == "'i' stands for the sizes 2 and 3 of one operand"


def test_what_products_take() -> None:
    """Operators for vectors and matrices say which shapes they were given."""
    with pytest.raises(ArgumentValueError) as caught:
        ops.dot(matrix(), np.zeros(3))
    assert str(caught.value) == "dot takes two vectors; the shapes are (2, 3) and (3,)"
    with pytest.raises(ArgumentValueError) as caught:
        ops.matmul(matrix(), np.zeros(()))
    assert str(caught.value) == (
        "matmul takes arrays with dimensions; the shapes are (2, 3) and ()"
    )
