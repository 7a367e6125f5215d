"""The NumPy kernels that create and fill arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot.kernels.numpy import creation, ranges, sampling
from keyslot.runtime.errors import ArgumentValueError, DtypeError

from .arrays import Array, matrix, same

#: The creation kernels, each with arguments that it takes.
CREATION: list[tuple[Callable[..., Array], tuple[Any, ...]]] = [
    (creation.empty, ([1],)),
    (creation.empty_strided, ([1], [1])),
    (creation.zeros, ([1],)),
    (creation.full, ([1], 1)),
    (creation.zeros_like, (matrix(),)),
    (creation.full_like, (matrix(), 1)),
    (creation.scalar_tensor, (1,)),
    (ranges.arange, (3,)),
    (ranges.arange_start, (1, 3)),
    (ranges.arange_step, (1, 3, 2)),
    (sampling.rand, ([1],)),
    (sampling.randn, ([1],)),
    (sampling.randperm, (1,)),
]


def test_dtype_of_new_arrays() -> None:
    """Zeros are float64; a fill value and the ends of a range bring their dtype."""
    same(creation.zeros([2, 0]), np.zeros((2, 0)))
    same(creation.full([2], True), [True, True])
    same(creation.full((2,), 3), [3, 3])
    same(creation.full([], 1.5), np.array(1.5))
    same(creation.full([1], 2j), [2j])
    same(ranges.arange(3), [0, 1, 2])
    same(ranges.arange(2.5), [0.0, 1.0, 2.0])
    same(ranges.arange_start(1, 3.0), [1.0, 2.0])
    same(ranges.arange_start(0.5, 3.7, dtype="int64"), [0, 1, 2])
    same(ranges.arange_start(2, 2), np.zeros(0, dtype="int64"))
    same(creation.zeros_like(np.ones((2, 1), "int8")), np.zeros((2, 1), "int8"))
    number: Any = np.float64(3.0)
    same(creation.zeros_like(number, dtype=bool), np.array(False))


@pytest.mark.parametrize(
    "dtype", ["float32", np.float32, np.dtype("float32"), np.dtype("<f4"), "f4"]
)
def test_dtype_in_every_spelling(dtype: Any) -> None:
    """A dtype is a NumPy dtype, a name of one, or a scalar type."""
    for kernel, given in CREATION:
        assert kernel(*given, dtype=dtype).dtype == np.dtype("float32")


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        ("flaot32", "NumPy has no dtype 'flaot32'. Did you mean float32?"),
        ("tensor", "NumPy has no dtype 'tensor'."),
        (7, "NumPy has no dtype 7."),
        (["a"], "NumPy has no dtype ['a']."),
        (object, "arrays of dtype object hold no numbers"),
        ("U3", "arrays of dtype <U3 hold no numbers"),
        ("datetime64[s]", "arrays of dtype datetime64[s] hold no numbers"),
    ],
)
def test_dtype_that_is_none_is_refused(dtype: Any, message: str) -> None:
    """Misspelt names get a hint, and arrays hold numbers."""
    with pytest.raises(DtypeError) as caught:
        creation.zeros([1], dtype=dtype)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"device": "cuda"}, "device is 'cuda'; a NumPy array is on the cpu"),
        ({"layout": "sparse_coo"}, "layout is 'sparse_coo'; a NumPy array is strided"),
        ({"pin_memory": True}, "pin_memory is True; NumPy does not pin memory"),
    ],
)
def test_what_no_numpy_array_is_is_refused(
    arguments: dict[str, Any], message: str
) -> None:
    """Every creation kernel refuses what it cannot make, instead of ignoring it."""
    for kernel, given in CREATION:
        with pytest.raises(ArgumentValueError) as caught:
            kernel(*given, **arguments)
        assert str(caught.value) == message


@pytest.mark.parametrize("device", [None, "cpu", "NumPy", "numpy"])
def test_what_every_numpy_array_is_is_taken(device: str | None) -> None:
    """The device is the CPU, or the backend by name."""
    array = creation.zeros([1], layout="strided", device=device, pin_memory=False)
    same(array, [0.0])


def test_memory_format_of_zeros_like() -> None:
    """The order of dimensions in memory is kept unless another format is asked for."""
    array = np.ones((2, 3)).T
    assert creation.zeros_like(array).strides == array.strides
    kept = creation.zeros_like(array, memory_format="preserve_format")
    assert kept.strides == array.strides
    made = creation.zeros_like(array, memory_format="contiguous_format")
    assert made.flags.c_contiguous
    with pytest.raises(ArgumentValueError) as caught:
        creation.zeros_like(array, memory_format="channels_last")
    assert str(caught.value) == (
        "memory_format is 'channels_last';"
        " for NumPy it can be 'preserve_format' or 'contiguous_format'"
    )
