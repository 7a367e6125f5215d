"""Batches: dtypes, writes, random numbers, operators without a rule, and the errors."""

# The parameters of lambdas have the types of whatever `vmap` is given:
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import keyslot
from keyslot import Library
from keyslot.runtime.errors import (
    ArgumentIndexError,
    ArgumentValueError,
    BatchedDataError,
    NoBatchingRuleError,
    RandomnessError,
    UnbatchedWriteError,
)
from keyslot.transforms import vmap
from keyslot.transforms.batching import BatchedCall, Unbatched, loop, missing_rule

from .calling import define

ops: Any = keyslot.ops

BATCH: Any = np.arange(6.0).reshape(2, 3)


# --- dtypes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("float64", ()), ("float32", (3,))),
        (("float64", ()), ("int8", (3,))),
        (("complex128", ()), ("float32", (3,))),
        (("int64", ()), ("int8", (3,))),
        (("int8", ()), ("int64", ())),
        (("float32", ()), ("float64", ())),
        (("bool", (3,)), ("int8", ())),
    ],
)
@pytest.mark.parametrize("in_dims", [(0, 0), (0, None), (None, 0)])
@pytest.mark.parametrize("name", ["add", "eq", "where"])
def test_dtypes_are_those_of_one_item(
    name: str, in_dims: Any, first: Any, second: Any
) -> None:
    """An array without dimensions counts less, also when it is a batch of them."""
    chosen = np.array([True, False, True])

    def function(one: Any, two: Any) -> Any:
        return (
            ops.where(chosen, one, two)
            if name == "where"
            else getattr(ops, name)(one, two)
        )

    items = [np.ones(shape, dtype) for dtype, shape in (first, second)]
    given = [
        item if dim is None else np.stack([item, item])
        for item, dim in zip(items, in_dims, strict=True)
    ]
    made = vmap(function, in_dims)(*given)
    assert made.dtype == function(*items).dtype


def test_bools_are_not_hidden_by_promotion() -> None:
    """An operator that refuses bools refuses a batch of them too."""
    with pytest.raises(TypeError, match="bool"):
        vmap(ops.sub, (None, 0))(np.ones((3,), "complex64"), np.array([True, False]))


# --- dimensions -----------------------------------------------------------------------


@pytest.mark.parametrize("dim", [-2, 1])
def test_no_dim_is_the_batch(dim: int) -> None:
    """A dimension that an item does not have is refused, for it might be the batch."""
    with pytest.raises(IndexError):
        vmap(lambda row: ops.sum(row, [dim]))(BATCH)
    with pytest.raises(ArgumentIndexError, match="dim is -3"):
        vmap(lambda row: ops.unsqueeze(row, -3))(BATCH)


def test_padding_and_expanding_leave_the_batch() -> None:
    """What would reach the batch is refused."""
    with pytest.raises(ArgumentValueError, match="for 2 dimensions"):
        vmap(lambda row: ops.constant_pad_nd(row, [1, 1, 1, 1]))(BATCH)
    with pytest.raises(ArgumentValueError, match="-1 keeps only"):
        vmap(lambda row: ops.expand(row, [-1, 3]))(BATCH)


def test_a_vector_without_elements_joins_anything() -> None:
    """As for one item, where its dtype counts."""
    nothing = np.empty((2, 0), "complex64")
    tables = np.ones((2, 2, 3), "float32")
    made = vmap(lambda table, none: ops.cat([table, none]))(tables, nothing)
    assert (made.shape, made.dtype) == ((2, 2, 3), np.dtype("complex64"))


@pytest.mark.parametrize("lead", [0, 1])
def test_each_item_has_indices_of_its_own(lead: int) -> None:
    """The dimensions of the indices are where they are for one item."""
    table = np.arange(2 * 4 * 5 * 6).reshape(2, 4, 5, 6)
    places = np.array([[[0, 1], [2, 3]], [[1, 1], [0, 2]]])
    before: list[Any] = [None] * lead

    def pick(table: Any, places: Any) -> Any:
        return ops.index(table, [*before, places, places])

    made = vmap(pick)(table, places)
    for number in range(2):
        assert np.array_equal(made[number], pick(table[number], places[number]))


# --- writing --------------------------------------------------------------------------


def test_a_batch_is_not_written_to_one_array() -> None:
    """The error says what to write to instead."""
    total = np.zeros(3)
    with pytest.raises(UnbatchedWriteError) as caught:
        vmap(lambda row: ops.add_(total, row))(BATCH)
    assert str(caught.value) == (
        "keyslot::add_.Tensor would write to self, which is not batched, while other"
        " is: one array cannot hold the results of all items\n"
        "  what to do: call the functional form of the operator, or make self of a"
        " batched array, with zeros_like for instance"
    )
    assert not total.any()
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_results_are_written_to_the_batch() -> None:
    """In place and with ``out``, also what is the same for all items."""
    batch, result = BATCH.copy(), np.empty((2, 3))
    vmap(lambda row: ops.mul_(row, np.array([1.0, 2.0, 3.0])))(batch)
    assert np.array_equal(batch, BATCH * [1, 2, 3])
    vmap(lambda row, out: ops.sum(row, [0], True, out=out))(BATCH, result[:, :1])
    assert np.array_equal(result[:, 0], BATCH.sum(1))
    vmap(lambda out: ops.add(np.ones(3), np.ones(3), out=out))(result)
    assert (result == 2).all()


# --- random numbers -------------------------------------------------------------------


def test_items_do_not_share_random_numbers_unasked() -> None:
    """The error names both ways to ask."""
    with pytest.raises(RandomnessError, match="randomness='different'"):
        vmap(lambda row: ops.add(row, ops.rand([3])))(BATCH)


@pytest.mark.parametrize("name", ["rand", "randn"])
def test_random_numbers_are_different_or_the_same(name: str) -> None:
    """They are drawn for each item, or once."""
    draw = getattr(ops, name)

    def drawn(row: Any) -> Any:
        return ops.add(ops.zeros_like(row), draw([3]))

    first, second = vmap(drawn, randomness="different")(BATCH)
    assert not np.array_equal(first, second)
    first, second = vmap(drawn, randomness="same")(BATCH)
    assert np.array_equal(first, second)


def test_each_item_has_a_permutation() -> None:
    """Sorted they are all numbers."""
    zeros = np.zeros((20, 5), "int64")
    made = vmap(lambda row: ops.add(row, ops.randperm(5)), randomness="different")(
        zeros
    )
    assert np.array_equal(np.sort(made), np.tile(np.arange(5), (20, 1)))
    assert len({tuple(row) for row in made.tolist()}) > 1


# --- what depends on elements ---------------------------------------------------------


def _large(row: Any) -> Any:
    return ops.index(np.ones(3), [ops.gt(row, 1)])


@pytest.mark.parametrize(
    "function",
    [
        ops.nonzero,
        ops._local_scalar_dense,
        _large,
    ],
)
def test_results_of_no_one_size_are_refused(function: Any) -> None:
    """The items would have results of different sizes."""
    with pytest.raises(BatchedDataError, match="items of a batch differ"):
        vmap(function)(BATCH)


# --- operators without a rule ---------------------------------------------------------


def _total(a: Any) -> Any:
    return a.sum()


def _more_and_first(a: Any) -> Any:
    return a + 1, a[:1]


def _size(a: Any) -> int:
    return int(a.size)


def _first(a: Any) -> float:
    return float(a[0])


def _mix(self: Any, other: Any, *, ratio: float) -> Any:
    return self * ratio + other * (1 - ratio)


def _call(op: Any, *args: Any, batched: str) -> BatchedCall:
    return BatchedCall(op, len(BATCH), args, {}, frozenset(batched.split()))


def test_an_operator_without_a_rule_is_called_for_each_item() -> None:
    """Results are stacked; several are a tuple."""
    with Library("test_batching", "DEF") as library:
        total = define(library, "total(Tensor a) -> Tensor", _total)
        both = define(library, "both(Tensor a) -> (Tensor, Tensor)", _more_and_first)
        assert np.array_equal(loop(_call(total, BATCH, batched="a")), [3, 12])
        more, first = loop(_call(both, BATCH, batched="a"))
        assert np.array_equal(more, BATCH + 1)
        assert np.array_equal(first, BATCH[:, :1])


def test_what_an_operator_writes_is_written_to_each_item() -> None:
    """The result is the array of all items."""

    def double(a: Any) -> Any:
        a *= 2
        return a

    batch = BATCH.copy()
    with Library("test_batching", "DEF") as library:
        op = define(library, "double_(Tensor(a!) a) -> Tensor(a!)", double)
        assert loop(_call(op, batch, batched="a")) is batch
        assert np.array_equal(batch, BATCH * 2)


def test_a_number_is_one_for_all_items() -> None:
    """Different numbers cannot be one."""
    with Library("test_batching", "DEF") as library:
        size = define(library, "size(Tensor a) -> int", _size)
        first = define(library, "first(Tensor a) -> float", _first)
        assert loop(_call(size, BATCH, batched="a")) == Unbatched(3)
        with pytest.raises(BatchedDataError, match="reads the elements of a"):
            loop(_call(first, BATCH, batched="a"))


def test_no_items_have_no_result() -> None:
    """Nobody can tell what shape it would have."""
    with Library("test_batching", "DEF") as library:
        total = define(library, "total(Tensor a) -> Tensor", _total)
        call = BatchedCall(total, 0, (BATCH[:0],), {}, frozenset("a"))
        with pytest.raises(ArgumentValueError, match="no items"):
            loop(call)


def test_the_error_has_a_rule_to_start_from() -> None:
    """It names the arguments, runs as it is, and its imports are right."""
    with Library("test_batching", "DEF") as library:
        op = define(
            library,
            "mix(Tensor self, Tensor other, *, float ratio=0.5) -> Tensor",
            _mix,
        )
        error = missing_rule(op)
        assert isinstance(error, NoBatchingRuleError)
        assert str(error) == (
            "test_batching::mix has no batching rule, so it does not take batched"
            " arrays\n"
            "  schema: mix(Tensor self, Tensor other, *, float ratio=0.5) -> Tensor\n"
            "  what to do: name a rule in the declaration of the operator and generate"
            " again: 'batching: pointwise' where elements are computed one by one,"
            " another one of keyslot.transforms.batching, or one of your own such as"
            " 'batching: my_package.rules:batched_mix' for\n\n"
            "    from typing import Any\n\n"
            "    from keyslot.transforms.batching import BatchedCall\n\n\n"
            "    def batched_mix(call: BatchedCall) -> Any:\n"
            "        self, other = call.args\n"
            '        ratio = call.kwargs["ratio"]\n'
            "        # Of self and other, those that call.batched names have the batch"
            " of\n"
            "        # call.size items as their first dimension. So has the result.\n"
            "        return call.op(self, other, ratio=ratio)"
        )
        defined: dict[str, Any] = {}
        exec(error.example, defined)
        call = BatchedCall(op, 2, (BATCH, BATCH), {"ratio": 0.5}, frozenset(["self"]))
        assert np.array_equal(defined["batched_mix"](call), BATCH)
