"""Brackets of Tensors are NumPy's: what they read, and where they write."""

# Programs are lambdas here, and pyright knows nothing of what they are called with.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownMemberType=none

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyslot import Tensor, errors
from keyslot.transforms import grad, vmap

SHAPES = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


def parts(size: int) -> st.SearchStrategy[Any]:
    """Return parts of an index for a dimension of a size."""
    bound = st.none() | st.integers(-4, 4)
    some: list[st.SearchStrategy[Any]] = [
        st.builds(slice, bound, bound, st.none() | st.integers(1, 3)),
        st.sampled_from([None, True, False, slice(None)]),
        st.lists(st.booleans(), min_size=size, max_size=size).map(np.array),
        st.just([]),
    ]
    if size:
        place = st.integers(-size, size - 1)
        some += [
            place,
            place.map(np.int64),
            place.map(np.array),
            st.lists(place, min_size=1, max_size=2),
            st.lists(place, min_size=2, max_size=2).map(tuple),
            st.tuples(place, place).map(lambda pair: np.array([pair])),
            st.lists(place, max_size=3).map(
                lambda places: Tensor(np.array(places, int))
            ),
        ]
    return st.one_of(some)


@st.composite
def indexed(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    """Return a shape and an index for arrays of it, not always one that fits."""
    shape = draw(SHAPES)
    taken = draw(st.integers(0, len(shape)))
    index = [draw(parts(size)) for size in shape[:taken]]
    # An ellipsis for no dimension keeps arrays apart in NumPy, and here it does not.
    if taken < len(shape) and draw(st.booleans()):
        after = draw(st.integers(0, taken))
        rest = shape[len(shape) - after :] if after else ()
        index = [*index[: taken - after], ..., *(draw(parts(size)) for size in rest)]
    if len(shape) > 1 and draw(st.booleans()):
        index = [
            draw(
                st.just(np.ones(shape[:2], bool))
                | st.integers(0, 2).map(
                    lambda n: np.arange(shape[0] * shape[1]).reshape(shape[:2]) % 3 == n
                )
            ),
            *index[2:],
        ]
        index = [
            part
            for n, part in enumerate(index)
            if part is not ... or n == len(index) - 1
        ]
    return shape, index[0] if len(index) == 1 and draw(st.booleans()) else tuple(index)


def plain(index: Any) -> Any:
    """Return an index as NumPy takes it."""
    if type(index) is tuple:
        return tuple(map(plain, index))
    return index.value if isinstance(index, Tensor) else index


def counted(shape: tuple[int, ...]) -> Any:
    """Return an array whose elements all differ."""
    return np.arange(float(np.prod(shape))).reshape(shape)


@given(indexed())
@settings(deadline=None, max_examples=400)
def test_reads_are_numpys(given: tuple[tuple[int, ...], Any]) -> None:
    """Reads are NumPy's."""
    shape, index = given
    array = counted(shape)
    try:
        expected = array[plain(index)]
    except IndexError:
        with pytest.raises((IndexError, ValueError)):
            Tensor(array)[index]
        return
    found = Tensor(array)[index]
    assert tuple(found.shape) == np.shape(expected)
    np.testing.assert_array_equal(found.value, expected)


@given(
    indexed(), st.sampled_from(["number", "numpy", "array", "row", "leading", "list"])
)
@settings(deadline=None, max_examples=400)
def test_writes_are_numpys(given: tuple[tuple[int, ...], Any], kind: str) -> None:
    """Writes are NumPy's."""
    shape, index = given
    expected, found = counted(shape), Tensor(counted(shape))
    try:
        picked = expected[plain(index)]
    except IndexError:
        with pytest.raises((IndexError, ValueError)):
            found[index] = 1.0
        return
    value: Any = {
        "number": -1,
        "numpy": np.float32(-2.5),
        "array": -1 - counted(np.shape(picked)),
        "row": -1 - counted(np.shape(picked)[-1:]),
        "leading": -1 - counted((1, 1, *np.shape(picked))),
        "list": (-1 - counted(np.shape(picked))).tolist(),
    }[kind]
    try:
        expected[plain(index)] = value
    except (TypeError, ValueError):
        return  # NumPy takes some values for some forms of an index only
    found[index] = Tensor(value) if kind == "row" else value
    np.testing.assert_array_equal(found.value, expected)


def test_reads_by_ints_and_slices_are_views() -> None:
    """Reads by ints and slices are views."""
    array = counted((2, 3))
    for index in (
        0,
        slice(1),
        (..., 1),
        None,
        (),
        np.int64(1),
        (0, slice(None, None, 2)),
    ):
        assert np.shares_memory(Tensor(array)[index].value, array)
    for other in ([0], np.array([True, False]), True):
        assert not np.shares_memory(Tensor(array)[other].value, array)


@pytest.mark.parametrize(
    "index",
    [
        2,
        (0, 0, 0),
        (..., ...),
        "name",
        1.5,
        slice(None, None, -1),
        {0},
        np.array([0.5]),
    ],
)
def test_indices_that_do_not_fit_are_told(index: Any) -> None:
    """Indices that do not fit are told."""
    tensor = Tensor(counted((2, 3)))
    for use in (lambda: tensor[index], lambda: tensor.__setitem__(index, 0)):
        with pytest.raises((IndexError, ValueError, TypeError)) as caught:
            use()
        assert str(caught.value)
    if isinstance(index, slice):
        with pytest.raises(errors.ArgumentIndexError, match="flip"):
            tensor[index]


def test_numbers_that_do_not_fit_are_told() -> None:
    """Numbers that do not fit are told."""
    with pytest.raises(errors.ArgumentValueError):
        Tensor(np.zeros(2))[0] = 2.5j
    whole = Tensor(np.zeros(2, int))
    whole[0] = 2.7
    assert whole.tolist() == [2, 0]


@pytest.mark.parametrize(
    "index",
    [
        (0, slice(None), [0, 2]),
        (slice(None), [0, 1], [True, False, True, False]),
        (None, ..., np.array([[0], [-1]])),
        (np.ones((2, 3), bool),),
        (True, 1),
    ],
)
def test_gradients_and_batches_of_what_is_read(index: Any) -> None:
    """Gradients and batches of what is read."""
    array = counted((2, 3, 4))
    weights = 1 + counted(array[index].shape)
    expected = np.zeros(array.shape)
    np.add.at(expected, index, weights)
    found = grad(lambda x: (x[index] * weights).sum())(array)
    np.testing.assert_array_equal(found, expected)
    mask = any(getattr(part, "dtype", None) == np.dtype(bool) for part in index)
    if not mask:
        batch = np.stack([array, -array])
        rows = vmap(lambda x: x[index])(batch)
        np.testing.assert_array_equal(rows[1], -array[index])
