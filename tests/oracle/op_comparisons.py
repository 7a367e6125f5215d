"""How an array of ours is held against the tensor that PyTorch has in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

#: Takes our array and PyTorch's tensor, and fails where they differ.
Comparison: TypeAlias = Callable[[Any, Any], None]

#: How far apart results of low precision can be, absolutely and relatively.
_TOLERANCES = {"float16": 1e-3, "float32": 1e-5, "complex64": 1e-5}


def check_equal(ours: Any, theirs: Any) -> None:
    """Compare shape, dtype and elements; floating-point ones may be rounded."""
    expected = theirs.numpy()
    _check_kind(ours, expected)
    tolerance = _TOLERANCES.get(expected.dtype.name, 1e-13)
    np.testing.assert_allclose(ours, expected, tolerance, tolerance)


def check_single(ours: Any, theirs: Any) -> None:
    """Compare like ``check_equal`` what was computed in single precision."""
    expected = theirs.numpy()
    _check_kind(ours, expected)
    tolerance = _TOLERANCES["float32"]
    np.testing.assert_allclose(ours, expected, tolerance, tolerance)


def check_layout(ours: Any, theirs: Any) -> None:
    """Compare shape, dtype and strides: the elements are those of chance."""
    _check_kind(ours, theirs.numpy())
    for size, stride, expected in zip(
        ours.shape, ours.strides, theirs.stride(), strict=True
    ):
        # What is not walked along can have any stride.
        assert size < 2 or ours.size == 0 or stride == expected * ours.itemsize


def check_values(ours: Any, theirs: Any) -> None:
    """Compare all but indices, which equal elements can exchange."""
    if ours.dtype == np.dtype("int64"):
        _check_kind(ours, theirs.numpy())
    else:
        check_equal(ours, theirs)


def _check_kind(ours: Any, expected: Any) -> None:
    assert np.shape(ours) == expected.shape
    assert ours.dtype == expected.dtype
