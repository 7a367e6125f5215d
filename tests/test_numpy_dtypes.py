"""The dtypes that operators take and give, where PyTorch's rules are not NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot import ops

FLAGS = np.array([True, False, True])
WHOLE = np.array([1, 2, 3])
REAL = np.array([1.5, 2.5])
UNREAL = np.array([3 + 4j])
NO_ROWS = np.zeros((0, 2), "bool")

RESULTS: list[tuple[Callable[[], Any], str, Any]] = [
    (lambda: ops.square(FLAGS), "int64", [1, 0, 1]),
    (lambda: ops.pow(FLAGS, True), "bool", [True, False, True]),
    (lambda: ops.pow(FLAGS, False), "bool", [True, True, True]),
    (lambda: ops.pow(FLAGS, False, out=np.zeros(3)), "float64", [1, 1, 1]),
    (lambda: ops.pow_(FLAGS.copy(), False), "bool", [True, True, True]),
    (lambda: ops.pow(FLAGS, 0), "int64", [1, 1, 1]),
    (lambda: ops.abs(UNREAL, out=np.zeros(1, "float32")), "float32", [5]),
    (lambda: ops.abs(UNREAL, out=np.zeros(1, "complex128")), "complex128", [5]),
    (lambda: ops.clamp(FLAGS, min=np.array(True)), "bool", [True, True, True]),
    (lambda: ops.clamp(WHOLE, min=WHOLE, out=np.zeros(3)), "float64", [1, 2, 3]),
    (lambda: ops.cumsum(np.array(2.5), 0, dtype="bool"), "bool", True),
    (lambda: ops.mm(NO_ROWS, FLAGS[:2, None]), "bool", np.zeros((0, 1)).tolist()),
    (lambda: ops.mm(NO_ROWS.T, NO_ROWS), "bool", [[False] * 2] * 2),
    (lambda: ops.scatter(FLAGS, 0, np.array([1]), 1j), "bool", [True, True, True]),
    (lambda: ops.scatter(REAL, 0, np.array([1]), 1 + 0j), "float64", [1.5, 1.0]),
    # A mask of uint8, and one number for all that a mask picks.
    (lambda: ops.index(REAL, [np.array([2, 0], "uint8")]), "float64", [1.5]),
    (lambda: ops.index_put(WHOLE, [FLAGS], np.array(7.9)), "int64", [7, 2, 7]),
    (lambda: ops.index_put(WHOLE, [FLAGS], np.array([[8]])), "int64", [8, 2, 8]),
]


@pytest.mark.parametrize(("make", "dtype", "expected"), RESULTS)
def test_result(make: Callable[[], Any], dtype: str, expected: Any) -> None:
    """The result has the dtype and the elements that PyTorch gives."""
    result = make()
    assert result.dtype == dtype
    assert result.tolist() == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda: ops.square_(FLAGS),
        lambda: ops.pow(FLAGS, FLAGS),
        lambda: ops.abs(UNREAL, out=np.zeros(1, "int64")),
        lambda: ops.abs(REAL, out=np.zeros(2, "float32")),
        lambda: ops.cumsum(FLAGS, 0, dtype="bool"),
        lambda: ops.mm(FLAGS[None], FLAGS[:, None]),
        lambda: ops.mean(UNREAL, out=np.zeros(())),
        lambda: ops.gelu(REAL, out=np.zeros(2, "float32")),
        lambda: ops.gather(REAL, 0, np.array([1]), out=np.zeros(1, "complex128")),
        lambda: ops.nonzero(REAL, out=np.zeros((2, 1))),
        lambda: ops.index_put(WHOLE, [FLAGS], np.array([1.5, 2.5])),
        lambda: ops.index_put(WHOLE, [FLAGS], np.array(7.9), accumulate=True),
    ],
)
def test_refused_dtype(make: Callable[[], Any]) -> None:
    """Dtypes that PyTorch does not take are a TypeError."""
    with pytest.raises(TypeError):
        make()


def test_complex_number_for_reals_is_refused() -> None:
    """Only one without an imaginary part is a real number."""
    with pytest.raises(ValueError, match="value is 1j"):
        ops.scatter(REAL, 0, np.array([1]), 1j)
