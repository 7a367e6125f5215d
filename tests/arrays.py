"""Arrays for tests of kernels, and how they are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def matrix() -> Array:
    """Return the 2 by 3 array 0.0 to 5.0, with memory of its own."""
    return np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])


def same(result: Any, expected: Any) -> None:
    """Check shape, dtype and elements at once."""
    expected = np.asarray(expected)
    assert np.shape(result) == expected.shape
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
