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
    ArgumentValueError,
    BatchedDataError,
    NoBatchingRuleError,
    OutShapeError,
    RandomnessError,
    UnbatchedWriteError,
)
from keyslot.transforms import make_fx, vmap
from keyslot.transforms.batching import BatchedCall, Unbatched, loop

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


#: Functions of a vector, of its indices and of a dimension.
ALONG: dict[str, Any] = {
    "amax": lambda row, places, dim: ops.amax(row, [dim]),
    "argmax": lambda row, places, dim: ops.argmax(row, dim),
    "cat": lambda row, places, dim: ops.cat([row, row], dim),
    "cumsum": lambda row, places, dim: ops.cumsum(row, dim),
    "flip": lambda row, places, dim: ops.flip(row, [dim]),
    "gather": lambda row, places, dim: ops.gather(row, dim, places),
    "index_select": lambda row, places, dim: ops.index_select(row, dim, places),
    "permute": lambda row, places, dim: ops.permute(row, [dim]),
    "scatter": lambda row, places, dim: ops.scatter(row, dim, places, 1),
    "select": lambda row, places, dim: ops.select(row, dim, 0),
    "slice": lambda row, places, dim: ops.slice(row, dim),
    "softmax": lambda row, places, dim: ops._softmax(row, dim, False),
    "sort": lambda row, places, dim: ops.sort(row, dim),
    "squeeze": lambda row, places, dim: ops.squeeze(row, dim),
    "sum": lambda row, places, dim: ops.sum(row, [dim]),
    "transpose": lambda row, places, dim: ops.transpose(row, dim, 0),
    "unsqueeze": lambda row, places, dim: ops.unsqueeze(ops.sum(row), dim),
}


@pytest.mark.parametrize("in_dims", [(0, 0), (0, None), (None, 0)])
@pytest.mark.parametrize("dim", [-2, 1])
@pytest.mark.parametrize("name", ALONG)
def test_no_dimension_is_the_batch(name: str, dim: int, in_dims: Any) -> None:
    """A dimension that an item does not have is refused, for it might be the batch."""
    places = np.array([[0, 1], [1, 2]])
    given = [
        array[0] if axis is None else array
        for array, axis in zip((BATCH, places), in_dims, strict=True)
    ]
    with pytest.raises(IndexError):
        vmap(lambda row, places: ALONG[name](row, places, dim), in_dims)(*given)


def test_padding_and_expanding_leave_the_batch() -> None:
    """What would reach the batch is refused."""
    with pytest.raises(ArgumentValueError, match="for 2 dimensions"):
        vmap(lambda row: ops.constant_pad_nd(row, [1, 1, 1, 1]))(BATCH)
    with pytest.raises(ArgumentValueError, match="-1 keeps only"):
        vmap(lambda row: ops.expand(row, [-1, 3]))(BATCH)


def test_items_and_one_matrix_are_one_product() -> None:
    """As many small products as the batch has items would take much longer."""
    weights = np.arange(12.0).reshape(3, 4)
    functions: list[Any] = [
        lambda x: x @ weights,
        lambda x: ops.stack([x, x]) @ weights,
    ]
    for function in functions:
        graph = make_fx(vmap(function))(BATCH)
        called = [node.op for node in graph.nodes]
        assert ops.mm.default in called
        assert ops.bmm.default not in called
        each = [np.asarray(function(keyslot.Tensor(x))) for x in BATCH]
        np.testing.assert_array_equal(graph(BATCH), each)


def test_a_vector_without_elements_joins_anything() -> None:
    """As for one item, where its dtype counts."""
    nothing = np.empty((2, 0), "complex64")
    tables = np.ones((2, 2, 3), "float32")
    made = vmap(lambda table, none: ops.cat([table, none]))(tables, nothing)
    assert (made.shape, made.dtype) == ((2, 2, 3), np.dtype("complex64"))


@pytest.mark.parametrize("form", ["II", ".II", "I.I", ".I.I", "..I", "I..I", ".J"])
@pytest.mark.parametrize("in_dims", [(0, 0), (0, None), (None, 0)])
def test_indices_pick_and_put_as_for_one_item(form: str, in_dims: Any) -> None:
    """Wherever they are, their dimensions are where they are for one item."""
    table = np.arange(2 * 3 * 3 * 3 * 3.0).reshape(2, 3, 3, 3, 3)
    places = np.array([[[0, 1], [2, 0]], [[1, 1], [0, 2]]])
    given = [
        array[0] if dim is None else array
        for array, dim in zip((table, places), in_dims, strict=True)
    ]

    def indices(places: Any) -> list[Any]:
        kinds = {"I": places, "J": np.array([[0], [2]]), ".": None}
        return [kinds[letter] for letter in form]

    def pick(table: Any, places: Any) -> Any:
        return ops.index(table, indices(places))

    def put(table: Any, places: Any) -> Any:
        return ops.index_put(table, indices(places), ops.neg(pick(table, places)))

    for function in (pick, put):
        made = vmap(function, in_dims)(*given)
        for number in range(2):
            item = [
                array if dim is None else array[number]
                for array, dim in zip(given, in_dims, strict=True)
            ]
            assert np.array_equal(made[number], function(*item))


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


def test_what_an_item_could_not_be_given_is_refused() -> None:
    """Neither another kind of numbers nor another shape; then nothing is written."""
    numbers, halves = np.ones((2, 3), int), np.full(2, 0.5)
    with pytest.raises(TypeError, match="cannot hold"):
        vmap(ops.add_)(numbers, halves)
    with pytest.raises(OutShapeError):
        vmap(lambda row, out: ops.sum(row, [0], True, out=out))(BATCH, numbers)
    assert (numbers == 1).all()


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
        with pytest.raises(NoBatchingRuleError) as caught:
            vmap(lambda row: op(row, BATCH[0], ratio=0.5))(BATCH)
        error = caught.value
        assert str(error) == (
            "test_batching::mix has no batching rule, so it does not take batched"
            " arrays\n"
            "  schema: mix(Tensor self, Tensor other, *, float ratio=0.5) -> Tensor\n"
            "  what to do: name a rule in its YAML entry and generate again, 'batching:"
            " pointwise' where elements are computed one by one; or register one, 'op'"
            " being the overload:\n\n"
            "    from typing import Any\n\n"
            "    from keyslot.transforms import batching_rule\n"
            "    from keyslot.transforms.batching import BatchedCall\n\n\n"
            "    @batching_rule(op)\n"
            "    def batched_mix(call: BatchedCall) -> Any:\n"
            "        self, other = call.args\n"
            '        ratio = call.kwargs["ratio"]\n'
            "        # Of self and other, those that call.batched names have the batch"
            " of\n"
            "        # call.size items as their first dimension. So has the result.\n"
            "        return op(self, other, ratio=ratio)\n\n"
            "  or call it once for each item, with vmap(..., loop=True)"
        )
        exec(error.example, {"op": op})
        made = vmap(lambda row: op(row, BATCH[0], ratio=0.5))(BATCH)
        assert np.array_equal(made, (BATCH + BATCH[0]) / 2)
