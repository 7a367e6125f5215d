"""The NumPy kernels that bound elements: what they return and refuse."""

from __future__ import annotations

import numpy as np
import pytest

from keyslot.kernels.numpy import activation
from keyslot.runtime.errors import ArgumentValueError

from .arrays import same


def test_clamp_takes_one_bound_or_two() -> None:
    """Either bound may be missing; the upper one wins; NaN goes through."""
    numbers = np.array([-1.0, np.nan, 9.0])
    same(activation.clamp(numbers, 0.0), [0.0, np.nan, 9.0])
    same(activation.clamp(numbers, None, 5), [-1.0, np.nan, 5.0])
    same(activation.clamp(numbers, 5.0, 0.0), [0.0, np.nan, 0.0])
    same(activation.clamp(np.array([1, 3]), 1.5), [1.5, 3.0])
    bounds = np.array([[0.0], [1.0]])
    same(activation.clamp(numbers[::2], bounds), [[0.0, 9.0], [1.0, 9.0]])
    with pytest.raises(ArgumentValueError) as caught:
        activation.clamp(numbers)
    assert str(caught.value) == "clamp needs a min, a max, or both"
