"""What bounds elements and chooses among them, and activations: results, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from keyslot import ops
from keyslot.kernels.numpy import activation
from keyslot.runtime.errors import ArgumentValueError, DtypeError

from .arrays import same


def test_clamp_takes_one_bound_or_two() -> None:
    """Either bound may be missing; the upper one wins; NaN goes through."""
    numbers = np.array([-1.0, np.nan, 9.0])
    same(activation.clamp(numbers, 0.0), [0.0, np.nan, 9.0])
    same(activation.clamp(numbers, None, 5), [-1.0, np.nan, 5.0])
    same(activation.clamp(numbers, 5.0, 0.0), [0.0, np.nan, 0.0])
    same(activation.clamp(np.array([1, 3]), 1.5), [1.5, 3.0])
    bounds = np.array([[0.0], [1.0]])
    same(activation.clamp_tensor(numbers[::2], bounds), [[0.0, 9.0], [1.0, 9.0]])
    with pytest.raises(ArgumentValueError) as caught:
        activation.clamp(numbers)
    assert str(caught.value) == "clamp needs a min, a max, or both"


def test_clamp_writes_in_place_and_to_out() -> None:
    """The array itself is written; integers cannot become floating point there."""
    numbers = np.array([-1.0, 2.0, 9.0])
    assert activation.clamp_(numbers, 0, 5) is numbers
    same(numbers, [0.0, 2.0, 5.0])
    whole = np.array([1, 2])
    with pytest.raises(DtypeError) as caught:
        activation.clamp_(whole, 1.5)
    assert str(caught.value) == (
        "self has dtype int64, which cannot hold the result's float64"
    )
    same(whole, [1, 2])
    out = np.zeros(3)
    assert activation.clamp_out(numbers, 1.0, out=out) is out
    same(out, [1.0, 2.0, 5.0])


@pytest.mark.parametrize("dtype", ["bool", "complex64"])
def test_clamp_refuses_what_has_no_order(dtype: str) -> None:
    """Neither bools nor complex numbers are clamped."""
    with pytest.raises(DtypeError) as caught:
        activation.clamp(np.ones(2, dtype), True)
    assert str(caught.value) == f"clamp takes no arrays of dtype {dtype}"


def test_where_promotes_as_pytorch_does() -> None:
    """An integer beside float32 is float32; a condition is bool or uint8."""
    condition = np.array([True, False])
    halves = np.array([0.5, 1.5], "float32")
    same(
        activation.where(condition, halves, np.array([1, 2])),
        np.array([0.5, 2], "float32"),
    )
    with pytest.raises(DtypeError) as caught:
        activation.where(np.array([1, 0]), halves, halves)
    assert str(caught.value) == "condition has dtype int64, it must be bool"


@pytest.mark.parametrize("name", ["gelu", "elu", "leaky_relu"])
def test_activations_refuse_integers(name: str) -> None:
    """Smooth functions take floating-point arrays alone."""
    with pytest.raises(DtypeError) as caught:
        getattr(ops, name)(np.array([1, 2]))
    assert str(caught.value) == f"{name} takes floating-point arrays, not int64"


def test_hardtanh_of_integers_cuts_its_limits() -> None:
    """The dtype stays; an unsigned one holds no negative limit."""
    same(ops.hardtanh(np.array([-3, 0, 3]), -1.5, 2.5), [-1, 0, 2])
    with pytest.raises(ArgumentValueError) as caught:
        ops.hardtanh(np.array([1, 2], "uint8"))
    assert str(caught.value) == "hardtanh with min_val -1 takes no array of uint8"


def test_softmax_of_large_numbers_and_of_nothing() -> None:
    """Nothing overflows, and no rows have no softmax."""
    # PyTorch's names begin with an underscore, which is private to type checkers.
    softmax, log_softmax = (getattr(ops, f"_{name}softmax") for name in ("", "log_"))
    same(softmax(np.array([1000.0, 1000.0]), 0, False), [0.5, 0.5])
    same(log_softmax(np.array([0.0, 1000.0]), -1, False), [-1000.0, 0.0])
    same(softmax(np.zeros((3, 0)), 1, False), np.zeros((3, 0)))
    with pytest.raises(ArgumentValueError) as caught:
        softmax(np.ones(2), 0, True)
    assert str(caught.value) == "half_to_float is True, which _softmax does not do"
