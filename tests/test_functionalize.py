"""functionalize: programs that write, without their writes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import keyslot
from keyslot import Library, errors
from keyslot.runtime.namespace import ops as defined
from keyslot.transforms import functionalize, grad, jacrev, make_fx, vjp, vmap

from .arrays import matrix, same
from .dispatching import fresh_namespace
from .functional_calls import (
    as_list,
    assert_functional,
    assert_same,
    chooses_elements,
    functional_graph,
    operators,
    seen,
    some_calls,
    viewing,
    writing,
)
from .schema_calls import shipped
from .shape_calls import replaced

ops: Any = keyslot.ops


# --- every operator -------------------------------------------------------------------


@pytest.mark.parametrize("name", writing())
def test_operator_that_writes_does_what_it_does_plainly(name: str) -> None:
    """Results, arguments and refusals; dtypes of ``out`` need only hold the result."""
    op = shipped()[name]
    for call in some_calls(name, op):
        plain, functional = seen(op, call), seen(functionalize(op), call)
        if plain.error is not None:
            is_dtype = isinstance(plain.error, errors.DtypeError)
            assert functional.error is not None or is_dtype, call
        else:
            assert functional.error is None, call
            if chooses_elements(op):
                assert_same(functional.result, plain.result)
                assert_same(functional.arguments, plain.arguments)


@pytest.mark.parametrize("name", writing())
def test_graph_of_operator_that_writes_has_a_functional_one(name: str) -> None:
    """All that is left of the writes is a copy into the argument at the end."""
    op = shipped()[name]
    accepted = (c for c in some_calls(name, op) if seen(op, c).error is None)
    # Arrays of one call may share memory.
    call = replaced(next(accepted), np.copy)
    with np.errstate(all="ignore"):
        graph = make_fx(functionalize(op))(*call.args, **call.kwargs)
    assert_functional(graph)
    assert "copy_" in operators(graph)


@pytest.mark.parametrize("name", viewing())
def test_write_to_a_view_reaches_what_it_is_a_view_of(name: str) -> None:
    """It reaches every other view as well, made before or after; graphs are pure."""
    op = shipped()[name]
    order = "contiguous_format" if name == "as_strided" else None

    def program(self: Any, *args: Any, **kwargs: Any) -> Any:
        base = ops.clone(self, memory_format=order)
        first = op(base, *args, **kwargs)
        whole = ops.alias(base)
        for view in as_list(first):
            ops.fill_(view, 7)
        ops.mul_(whole, 2)
        return base, first, op(base, *args, **kwargs)

    graphs = 0
    for call in some_calls(name, op):
        plain, functional = seen(program, call), seen(functionalize(program), call)
        if plain.error is not None:
            assert functional.error is not None, call
            continue
        assert functional.error is None, call
        assert_same(functional.result, plain.result)
        if graphs < 3:
            graph = make_fx(functionalize(program))(*call.args, **call.kwargs)
            assert_functional(graph)
            assert_same(graph(*call.args, **call.kwargs), plain.result)
            graphs += 1


# --- programs -------------------------------------------------------------------------


def smooth(x: Any) -> Any:
    """Write to views of views of an intermediate result."""
    made = ops.mul(x, 2)
    ops.mul_(ops.select(made, 0, 1), ops.select(x, 0, 0))
    turned = ops.permute(made, [1, 0])
    ops.copy_(ops.slice(turned, 0, 0, 2), ops.permute(ops.slice(x, 1, 1, 3), [1, 0]))
    ops.add_(ops.view(made, [-1]), 1)
    return made


def flat(x: Any) -> Any:
    """Return a view."""
    return ops.view(x, [-1])


def copied_row(x: Any, n: int) -> Any:
    """A kernel: a row of an array, in memory of its own."""
    return x[n].copy()


def add_number(x: Any, by: int) -> Any:
    """A kernel over operators, which writes."""
    return ops.add_(x, by)


def test_argument_that_is_changed_changes() -> None:
    """As it does plainly, and by one copy at the end."""

    def program(x: Any) -> Any:
        ops.add_(ops.select(x, 0, 0), 10)
        ops.mul_(x, 2)
        return ops.sum(x)

    x, y = matrix(), matrix()
    same(functionalize(program)(x), program(y))
    same(x, y)
    graph = functional_graph(program, matrix())
    assert operators(graph).count("copy_") == 1


def test_argument_given_twice_is_one_array() -> None:
    """A write through one name is seen through the other."""

    def program(x: Any, y: Any) -> Any:
        ops.add_(x, 1)
        return ops.mul(y, 1)

    x = matrix()
    same(functionalize(program)(x, x), matrix() + 1)
    same(x, matrix() + 1)


def test_arguments_that_share_memory() -> None:
    """Two views of one array are refused if one is changed, and else as good as any."""

    def program(x: Any, y: Any) -> Any:
        ops.add_(x, 1)
        return ops.mul(y, 1)

    x = matrix()
    with pytest.raises(errors.SharedInputsError) as raised:
        functionalize(program)(x, x[0])
    assert (raised.value.written, raised.value.other) == (0, 1)
    same(x, matrix())
    same(functionalize(ops.add)(x, x[:1]), x + x[:1])
    columns = matrix()
    functionalize(program)(columns[:, :1], columns[:, 1:])
    assert columns.tolist() == [[1.0, 1.0, 2.0], [4.0, 4.0, 5.0]]


def test_arrays_made_inside_can_be_written_to() -> None:
    """Whatever made them: no array at all, or arrays from outside."""
    outside = matrix()

    def program(x: Any) -> Any:
        made = ops.zeros([2, 3])
        ops.add_(made, x)
        other = ops.mul(outside, 2)
        ops.add_(ops.select(other, 0, 1), ops.select(made, 0, 0))
        return made, other

    assert_same(functionalize(program)(matrix()), program(matrix()))
    functional_graph(program, matrix())


def test_array_from_outside_cannot_be_written_to() -> None:
    """The write would be lost, or not be there in a graph."""
    outside = matrix()

    def program(x: Any) -> Any:
        return ops.add_(outside, x)

    with pytest.raises(errors.FunctionalWriteError) as raised:
        functionalize(program)(matrix())
    assert str(raised.value) == (
        "keyslot::add_.Tensor cannot change self under functionalize: it comes from"
        " outside the function; pass it as an argument"
    )
    same(outside, matrix())


def test_brackets_write() -> None:
    """Arrays are indexed in Python."""

    def program(x: Any) -> Any:
        x[0, 1:] = 5
        x[1] = x[0]
        x[..., 0] += 1
        return x[0, 0]

    x, y = matrix(), matrix()
    same(functionalize(program)(x), program(y))
    same(x, y)


def test_pytrees_and_other_values_pass_through() -> None:
    """Arguments and results are nested as they like."""

    def program(tree: dict[str, Any], name: str) -> Any:
        ops.add_(tree["a"], 1)
        return {"name": name, "arrays": [tree["a"], None, 3]}

    array = matrix()
    found = functionalize(program)({"a": array}, name="x")
    assert (found["name"], found["arrays"][1:]) == ("x", [None, 3])
    same(found["arrays"][0], matrix() + 1)


def test_refused_write_changes_nothing() -> None:
    """An error leaves the arguments as they were."""

    def program(x: Any) -> Any:
        ops.add_(x, 1)
        ops.add_(ops.select(x, 0, 0), ops.zeros([2, 2]))

    x = matrix()
    with pytest.raises(ValueError):
        functionalize(program)(x)
    same(x, matrix())


def test_array_without_elements_cannot_escape() -> None:
    """What is kept from a run that has ended is no use."""
    kept: list[Any] = []
    functionalize(kept.append)(matrix())
    with pytest.raises(errors.EscapedTensorError):
        ops.add(kept[0], 1)


# --- with other transforms ------------------------------------------------------------


def test_shapes_may_be_symbolic() -> None:
    """A graph that was traced at one size does the same at others."""
    graph = functional_graph(smooth, matrix(), tracing_mode="symbolic")
    for shape in ((2, 3), (4, 3)):
        x = np.arange(float(np.prod(shape))).reshape(shape)
        same(graph(x), smooth(x.copy()))


def test_gradients_inside_and_outside() -> None:
    """The gradient of a functionalized program, and a functionalized gradient."""

    def total(x: Any) -> Any:
        return ops.sum(ops.mul(smooth(x), smooth(x)))

    expected = grad(total)(matrix())
    same(grad(functionalize(total))(matrix()), expected)
    same(functionalize(grad(total))(matrix()), expected)
    same(functionalize(grad(functionalize(total)))(matrix()), expected)
    functional_graph(grad(total), matrix())


def test_batches_inside_and_outside() -> None:
    """The same for `vmap`, and for Jacobians, which are made of both."""
    batch = np.stack([matrix(), matrix() + 1])
    expected = vmap(smooth)(batch)
    same(vmap(functionalize(smooth))(batch), expected)
    same(functionalize(vmap(smooth))(batch), expected)
    same(functionalize(jacrev(smooth))(matrix()), jacrev(smooth)(matrix()))
    same(jacrev(functionalize(smooth))(matrix()), jacrev(smooth)(matrix()))
    functional_graph(vmap(smooth), batch)


def test_batched_write_to_what_is_no_batch() -> None:
    """Plainly refused; without writes there is nothing to refuse."""

    def program(x: Any) -> Any:
        made = ops.zeros([3])
        ops.add_(made, x)
        return made

    same(vmap(functionalize(program))(matrix()), matrix())


def test_pull_back_of_a_functionalized_program() -> None:
    """It runs after the program has ended."""
    value, pull_back = vjp(functionalize(smooth), matrix())
    same(value, smooth(matrix()))
    same(pull_back(np.ones((2, 3)))[0], vjp(smooth, matrix())[1](np.ones((2, 3)))[0])


# --- views ----------------------------------------------------------------------------


def test_views_may_become_copies() -> None:
    """Then no two arrays of the program share memory; the values are the same."""
    remove = "mutations_and_views"
    same(functionalize(smooth, remove=remove)(matrix()), smooth(matrix()))
    graph = functional_graph(flat, matrix(), remove=remove)
    assert operators(graph) == ["view", "clone"]
    x = matrix()
    assert not np.shares_memory(graph(x), x)


def test_operator_that_copies_takes_the_place_of_a_view() -> None:
    """PyTorch's names: ``row_copy`` does what ``row`` does without sharing memory."""
    namespace = fresh_namespace()
    with Library(namespace, "DEF") as library:
        library.define("row(Tensor(a) self, int n) -> Tensor(a)")
        library.define("row_copy(Tensor self, int n) -> Tensor")
        library.impl("row", operator.getitem, "NumPy")
        library.impl("row_copy", copied_row, "NumPy")
        row = getattr(defined, namespace).row

        def program(x: Any) -> Any:
            ops.add_(row(x, 1), 1)
            return x

        for remove in ("mutations", "mutations_and_views"):
            found = functionalize(program, remove=remove)(matrix())
            assert found.tolist() == [[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]]
        graph = functional_graph(program, matrix(), remove="mutations_and_views")
        assert operators(graph)[0] == "row_copy"


def test_unknown_remove_is_refused() -> None:
    """The error names what there is."""
    with pytest.raises(ValueError) as raised:
        functionalize(smooth, remove="views")
    assert str(raised.value) == (
        "remove is 'views'; it can be ('mutations', 'mutations_and_views')"
    )


def test_expanded_array_is_read_only() -> None:
    """One element stands for several, in a view of the view too."""

    def program(x: Any) -> Any:
        ops.add_(ops.select(ops.expand(x, [2, 2, 3]), 0, 0), 1)

    with pytest.raises(ValueError):
        program(matrix())
    with pytest.raises(ValueError) as raised:
        functionalize(program)(matrix())
    assert "clone it first" in str(raised.value)


def test_as_strided_sees_all_of_an_array() -> None:
    """The memory of the array that a view is of, whatever was written to it."""

    def program(x: Any) -> Any:
        made = ops.add(x, 1)
        part = ops.select(made, 0, 1)
        ops.copy_(ops.permute(made, [1, 0]), ops.permute(x, [1, 0]))
        diagonal = ops.as_strided(part, [2], [2], 0)
        ops.fill_(diagonal, -1)
        rest = ops.as_strided(part, [2], [1])
        return made, diagonal, rest, part

    assert_same(functionalize(program)(matrix()), program(matrix()))
    functional_graph(program, matrix())


def test_as_strided_of_a_part_of_an_array_is_read_only() -> None:
    """The rest of the memory is not known."""

    def program(x: Any) -> Any:
        return ops.as_strided(x, [2], [3])

    def written(x: Any) -> Any:
        return ops.fill_(program(x), 1)

    column = matrix()[:, 1]
    same(functionalize(program)(column), program(column))
    with pytest.raises(errors.FunctionalWriteError):
        functionalize(written)(column)


# --- operators of the user ------------------------------------------------------------


def test_operator_without_a_companion_is_refused() -> None:
    """The error names it, and what to do."""
    namespace = fresh_namespace()
    with Library(namespace, "DEF") as library:
        library.define("bump_(Tensor(a!) self, int by) -> Tensor(a!)")
        library.impl("bump_", ops.add_, "NumPy")
        bump_ = getattr(defined, namespace).bump_
        with pytest.raises(errors.NoFunctionalCompanionError) as raised:
            functionalize(bump_)(matrix(), 1)
        assert str(raised.value) == (
            f"{namespace}::bump_ changes its arguments, and there is no functional"
            " operator to call in its place\n"
            "  schema: bump_(Tensor(a!) self, int by) -> Tensor(a!)\n"
            "  what to do: declare bump with the same arguments, or ask for it with"
            " 'autogen: bump'; or register a kernel at the key Functionalize that calls"
            " other operators"
        )


@pytest.mark.parametrize(
    "key",
    ["CompositeImplicitAutograd", "CompositeExplicitAutograd", "Functionalize"],
)
def test_kernels_over_operators_are_functionalized(key: str) -> None:
    """Those of composites, and those at the very key, are called with the Tensors."""
    namespace = fresh_namespace()
    with Library(namespace, "DEF") as library:
        library.define("bump_(Tensor(a!) self, int by) -> Tensor(a!)")
        library.impl("bump_", add_number, key)
        bump_ = getattr(defined, namespace).bump_
        x = matrix()

        def program(x: Any) -> Any:
            return bump_(ops.reshape(x, [-1]), 2)

        functionalize(program)(x)
        same(x, matrix() + 2)


def test_functional_companion_of_several_results() -> None:
    """Each result goes to the argument that is written; the others are returned."""
    namespace = fresh_namespace()
    with Library(namespace, "DEF") as library:
        library.define(
            "count(Tensor x, Tensor(a!) counts, Tensor(b!)[] sums) -> Tensor"
        )
        library.define(
            "count_functional(Tensor x, Tensor counts, Tensor[] sums)"
            " -> (Tensor, Tensor counts_out, Tensor[] sums_out)"
        )

        def functional(x: Any, counts: Any, sums: Any) -> Any:
            return x * 2, counts + 1, [one + x for one in sums]

        library.impl("count_functional", functional, "NumPy")
        count = getattr(defined, namespace).count
        x, counts, sums = np.ones(2), np.zeros(2), [np.zeros(2), np.ones(2)]
        result = functionalize(count)(x, counts, sums)
        assert_same([result, counts, sums], [x * 2, x, [x, x + 1]])


def test_array_that_would_change_its_shape_is_refused() -> None:
    """resize_ gives the array itself another shape."""
    with pytest.raises(errors.FunctionalWriteError) as raised:
        functionalize(ops.resize_)(matrix(), [6])
    assert str(raised.value) == (
        "keyslot::resize_ cannot change self under functionalize: it would have another"
        " shape from now on; take a view of that shape"
    )
