"""The NumPy kernels that create and fill arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot.kernels.numpy import creation, ranges, sampling
from keyslot.runtime.errors import ArgumentValueError, DtypeError, OutShapeError

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


def test_memory_format_of_new_arrays() -> None:
    """An array made of nothing has no format that it could preserve."""
    assert creation.empty([2], memory_format="contiguous_format").shape == (2,)
    with pytest.raises(ArgumentValueError) as caught:
        creation.empty([2], memory_format="preserve_format")
    assert str(caught.value) == (
        "memory_format is 'preserve_format'; a new NumPy array has 'contiguous_format'"
    )
    with pytest.raises(ArgumentValueError) as caught:
        creation.empty_out([2], memory_format="contiguous_format", out=np.zeros(2))
    assert str(caught.value) == "memory_format cannot be given with out"


# --- strides --------------------------------------------------------------------------


def test_strides_count_elements() -> None:
    """The array has them whatever its dtype, and can be written to."""
    array = creation.empty_strided([2, 3], [1, 2], dtype="int32")
    assert array.strides == (4, 8)
    array[:] = [[1, 2, 3], [4, 5, 6]]
    same(array, np.array([[1, 2, 3], [4, 5, 6]], "int32"))
    repeated = creation.empty_strided([2, 3], [0, 1])
    repeated[0] = [1.0, 2.0, 3.0]
    same(repeated[1], [1.0, 2.0, 3.0])
    assert creation.empty_strided([0, 3], [7, 7]).shape == (0, 3)


@pytest.mark.parametrize(
    ("size", "stride", "message"),
    [
        ([2, 3], [4], "size has 2 dimensions, stride has 1"),
        ([2], [-1], "stride is [-1]; no stride can be negative"),
    ],
)
def test_strides_that_no_array_has_are_refused(
    size: list[int], stride: list[int], message: str
) -> None:
    """As many as sizes, and none that leads before the memory."""
    with pytest.raises(ArgumentValueError) as caught:
        creation.empty_strided(size, stride)
    assert str(caught.value) == message


# --- filling --------------------------------------------------------------------------


def test_filling_in_place_returns_the_argument() -> None:
    """All elements are written, in any layout, in the dtype that is there."""
    for array in (matrix(), matrix().T, matrix()[:, ::2], np.array(3.0)):
        assert creation.fill_(array, 7) is array
        same(array, np.full(array.shape, 7.0))
    same(creation.fill_(np.array([1, 2]), 2.9), [2, 2])


def test_filling_makes_a_new_array() -> None:
    """Its memory has the order of the argument, which is not changed."""
    array = np.ones((2, 3)).T
    filled = creation.fill(array, 7)
    same(filled, np.full((3, 2), 7.0))
    assert filled.strides == array.strides
    same(array, np.ones((3, 2)))
    number: Any = np.float32(1.0)
    same(creation.fill(number, 2), np.array(2.0, "float32"))


def test_number_that_a_dtype_cannot_hold_is_refused() -> None:
    """Imaginary parts are not dropped, and integers do not wrap around."""
    calls: tuple[Callable[[], Array], ...] = (
        lambda: creation.full([1], 1j, dtype="float64"),
        lambda: creation.fill_(np.zeros(1), 1j),
        lambda: creation.full_out([1], 1j, out=np.zeros(1)),
        lambda: creation.scalar_tensor(1j),
    )
    for call in calls:
        with pytest.raises(ArgumentValueError) as caught:
            call()
        assert str(caught.value) == "float64 cannot hold 1j"
    with pytest.raises(OverflowError):
        creation.full_like(np.zeros(1, "uint8"), 300)
    with pytest.raises(OverflowError):
        creation.full([1], 2**70)
    with pytest.raises(ValueError, match="NaN"):
        creation.fill(np.zeros(1, "int64"), np.nan)


def test_out_must_have_the_size() -> None:
    """It is not resized, and not written where it does not."""
    out = np.ones(3)
    calls: tuple[Callable[[], Array], ...] = (
        lambda: creation.empty_out([2], out=out),
        lambda: creation.full_out([2], 7, out=out),
        lambda: ranges.arange_step_out(0, 2, out=out),
        lambda: sampling.rand_out([2], out=out),
        lambda: sampling.randn_out([2], out=out),
        lambda: sampling.randperm_out(2, out=out),
    )
    for call in calls:
        with pytest.raises(OutShapeError) as caught:
            call()
        assert (caught.value.shape, caught.value.expected) == ((3,), (2,))
    same(out, np.ones(3))


def test_out_is_returned() -> None:
    """What is written is the array that was given."""
    out = np.ones(3)
    assert creation.empty_out([3], out=out) is out
    same(out, np.ones(3))
    assert creation.full_out([3], 7, out=out) is out
    same(out, np.full(3, 7.0))
    assert ranges.arange_step_out(1, 7, 2, out=out) is out
    same(out, [1.0, 3.0, 5.0])
    for drawn in (
        sampling.rand_out([3], out=out),
        sampling.randn_out([3], out=out),
        sampling.randperm_out(3, out=out),
    ):
        assert drawn is out


# --- ranges ---------------------------------------------------------------------------


def test_ranges_with_a_step() -> None:
    """Integers make int64, a float makes float64; the end is left out."""
    same(ranges.arange_step(5, 0, -2), [5, 3, 1])
    same(ranges.arange_step(True, 4), [1, 2, 3])
    same(ranges.arange_step(0, 1, 0.25), [0.0, 0.25, 0.5, 0.75])
    same(ranges.arange_step(3, 3, -1), np.zeros(0, "int64"))
    same(ranges.arange_step(0.5, 3.7, 1.5, dtype="int64"), [0, 1, 2])
    same(ranges.arange_step(0.5, 3.7, dtype="int32"), np.arange(4, dtype="int32"))


def test_errors_of_a_range_do_not_add_up() -> None:
    """Each number is as near to what it should be as its dtype allows."""
    numbers = ranges.arange_step(1, 100001, 0.1)
    expected = np.array([1 + 0.1 * place for place in range(numbers.size)])
    same(numbers, expected)


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((0, -1), "step is 1, which leads from 0 off -1"),
        ((0, 5, -1), "step is -1, which leads from 0 off 5"),
        ((0, 5, 0), "step is 0, which leads nowhere"),
        ((0, np.inf), "no range goes from 0 to inf"),
        ((1j, 5), "no range goes from 1j to 5"),
    ],
)
def test_range_without_an_end_is_refused(ends: Any, message: str) -> None:
    """NumPy would return nothing, which hides a mistake."""
    with pytest.raises(ArgumentValueError) as caught:
        ranges.arange_step(*ends)
    assert str(caught.value) == message


def test_ranges_are_of_integers_or_floats() -> None:
    """Bools and complex numbers do not count."""
    for dtype in ("bool", "complex64"):
        with pytest.raises(DtypeError) as caught:
            ranges.arange(3, dtype=dtype)
        assert str(caught.value) == f"arange makes integers or floats, not {dtype}"


# --- chance ---------------------------------------------------------------------------

#: Draws from each distribution.
DRAWS: list[Callable[[], Array]] = [
    lambda: sampling.rand([4, 5]),
    lambda: sampling.rand([4, 5], dtype="complex64"),
    lambda: sampling.randn([4, 5], dtype="float16"),
    lambda: sampling.randn([4, 5]),
    lambda: sampling.randperm(20),
]


@pytest.mark.parametrize("draw", DRAWS)
def test_numbers_of_chance_come_from_the_seed(draw: Callable[[], Array]) -> None:
    """The same seed of NumPy's generator gives the same numbers, then others come."""
    np.random.seed(7)
    first, second = draw(), draw()
    np.random.seed(7)
    same(draw(), first)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_distributions(dtype: str) -> None:
    """Means and variances are those of the distribution, as near as a sample's are."""
    np.random.seed(0)
    flat = sampling.rand([100, 1000], dtype=dtype)
    assert flat.dtype == np.dtype(dtype)
    parts = flat.view("float32") if flat.dtype.kind == "c" else flat.astype(float)
    assert (parts >= 0).all()
    assert (parts < 1).all()
    np.testing.assert_allclose(parts.mean(), 1 / 2, atol=0.01)
    np.testing.assert_allclose(parts.var(), 1 / 12, atol=0.01)
    bell = sampling.randn([100, 1000], dtype=dtype)
    assert bell.dtype == np.dtype(dtype)
    wide = bell.astype("complex128")
    np.testing.assert_allclose(wide.mean(), 0, atol=0.02)
    np.testing.assert_allclose(wide.var(), 1, atol=0.02)


def test_permutation_has_each_number_once() -> None:
    """In any dtype that holds them all."""
    for dtype in (None, "long", "int64", "uint8", "float16", "float32"):
        numbers = sampling.randperm(200, dtype=dtype)
        same(np.sort(numbers), np.arange(200, dtype=numbers.dtype))
    assert sampling.randperm(0).shape == (0,)


@pytest.mark.parametrize(
    ("n", "dtype", "message"),
    [
        (-1, "int64", "n is -1; a number of elements is not negative"),
        (257, "uint8", "n is 257; uint8 does not hold all numbers below"),
        (2050, "float16", "n is 2050; float16 does not hold all numbers below"),
    ],
)
def test_permutation_that_cannot_be_is_refused(
    n: int, dtype: str, message: str
) -> None:
    """Numbers neither wrap around nor are rounded to others."""
    assert sampling.randperm(n - 1 if n > 0 else 0, dtype=dtype).dtype == dtype
    with pytest.raises(ArgumentValueError) as caught:
        sampling.randperm(n, dtype=dtype)
    assert str(caught.value) == message


def test_dtypes_without_the_numbers_of_chance_are_refused() -> None:
    """Integers lie in no interval, and bools and complex numbers in no row."""
    with pytest.raises(DtypeError) as caught:
        sampling.rand([1], dtype="int64")
    message = "rand makes floating-point or complex arrays, not int64"
    assert str(caught.value) == message
    with pytest.raises(DtypeError) as caught:
        sampling.randperm(1, dtype="bool")
    assert str(caught.value) == "randperm makes integers or floats, not bool"
