"""Rules for shapes take symbolic sizes, and ask of these only what decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from keyslot.kernels.shapes import (
    ArraySpec,
    arithmetic,
    copying,
    creation,
    joining,
    linalg,
    reduction,
    sizes,
    sorting,
    view,
)
from keyslot.runtime.errors import ArgumentValueError
from keyslot.transforms.symbolic import ShapeEnv

from .oracle.op_arguments import Array, Call
from .oracle.op_cases import CASES
from .shape_calls import Outcome, replaced, rule_outcome, writes
from .test_shape_rules import RULED, SHIPPED

FLOAT = np.dtype("float64")
INT = np.dtype("int64")
FUNCTIONAL = [name for name in RULED if not writes(SHIPPED[name]) and name in CASES]
#: How many cases of an overload are asked about.
MOST_CASES = 80
#: Sizes that stand for others, to see whether what was told holds of them too.
OTHER_SIZES = {2: 3, 3: 5, 4: 7, 5: 4, 6: 8, 7: 9}


class Strict:
    """A size that stands for one only, and counts every question, however idle."""

    def __init__(self, value: int, asked: list[str]) -> None:
        self.value = value
        self.asked = asked

    def __eq__(self, other: object) -> Any:
        return Answer(self.value == getattr(other, "value", other), self.asked)

    __hash__ = object.__hash__


class Answer:
    """What a comparison gives: whoever wants to know the truth of it is noted."""

    def __init__(self, truth: bool, asked: list[str]) -> None:
        self.truth = truth
        self.asked = asked

    def __bool__(self) -> bool:
        self.asked.append("==")
        return self.truth


def test_broadcasting_asks_one_equality_for_sizes_that_may_differ() -> None:
    """Nothing against 1, nothing against the same object, and one question else."""
    asked: list[str] = []
    a, b, c = Strict(4, asked), Strict(4, asked), Strict(5, asked)
    shape = (a, b)
    assert sizes.broadcast(shape, shape) is shape
    assert sizes.broadcast(shape, (a, b)) is shape
    assert sizes.broadcast(shape, (1, b)) is shape
    assert sizes.broadcast((1, 1), (a, c)) == (a, c)
    assert sizes.broadcast((b,), shape) is shape
    assert sizes.broadcast(shape, ()) is shape
    assert asked == []
    assert sizes.broadcast((a,), (b,)) == (a,)
    assert asked == ["=="]


def test_sizes_that_differ_do_not_broadcast() -> None:
    """A size that is computed may be 1, so that is asked before it is refused."""
    asked: list[str] = []
    a, c = Strict(4, asked), Strict(5, asked)
    with pytest.raises(ArgumentValueError, match="do not broadcast"):
        sizes.broadcast((a,), (c,))
    assert len(asked) == 3
    assert sizes.broadcast((Strict(1, asked),), (c,)) == (c,)


def specs(env: ShapeEnv, *shapes: tuple[int, ...], dtype: Any = FLOAT) -> list[Any]:
    """Return descriptions of arrays that messages call x, y, z."""
    named = zip(shapes, "xyz", strict=False)
    return [ArraySpec(env.create_symbols(shape, name), dtype) for shape, name in named]


Rule = Callable[..., Any]
Shapes = tuple[tuple[int, ...], ...]

#: Rules, the shapes of arrays, the other arguments, the shape of the result as text.
ASKS_NOTHING: list[tuple[Rule, Shapes, tuple[Any, ...], str]] = [
    (arithmetic.mul, ((4, 5), (4, 5)), (), "(s0, s1)"),
    (arithmetic.mul, ((4, 5), (5,)), (), "(s0, s1)"),
    (arithmetic.mul, ((4, 1), (1, 5)), (), "(s0, s1)"),
    (arithmetic.mul, ((1, 5), (4, 5)), (), "(s1, s0)"),
    (reduction.sum_dim, ((4, 5),), ([1], True), "(s0, 1)"),
    (reduction.amax, ((4, 5),), ([0],), "(s1,)"),
    (reduction.cumsum, ((4, 5),), (0,), "(s0, s1)"),
    (view.transpose, ((4, 5),), (0, 1), "(s1, s0)"),
    (view.unsqueeze, ((4, 5),), (-1,), "(s0, s1, 1)"),
    (view.squeeze_dim, ((4, 1),), (1,), "(s0,)"),
    (view.squeeze_dim, ((4, 5),), (1,), "(s0, s1)"),
    (view.view, ((4, 5),), ([-1],), "(s0*s1,)"),
    (view.view, ((4, 5),), ([1, -1],), "(1, s0*s1)"),
    (view.slice_dim, ((4, 5),), (0, None, None), "(s0, s1)"),
    (view.slice_dim, ((4, 5),), (1, 1, None), "(s0, s1 - 1)"),
    (view.slice_dim, ((4, 5),), (1, None, -1), "(s0, s1 - 1)"),
    (view.select, ((4, 5),), (0, 1), "(s1,)"),
    (view.select, ((4, 5),), (0, -1), "(s1,)"),
    (view.expand, ((1, 5),), ([3, -1],), "(3, s0)"),
    (view.diagonal, ((4, 4),), (), "(s0,)"),
    (joining.repeat, ((4, 5),), ([2, 1, 1],), "(2, s0, s1)"),
    (joining.constant_pad_nd, ((4, 5),), ([1, 2],), "(s0, s1 + 3)"),
    (joining.flip, ((4, 5),), ([0],), "(s0, s1)"),
    (linalg.mm, ((4, 5), (5, 4)), (), "(s0, s0)"),
    (linalg.bmm, ((2, 4, 5), (2, 5, 4)), (), "(s0, s1, s1)"),
    (copying.clone, ((4, 5),), (), "(s0, s1)"),
    (copying.copy, ((4, 5), (5,)), (), "(s0, s1)"),
    (creation.zeros_like, ((4, 5),), (), "(s0, s1)"),
    (reduction.argmax, ((4, 5),), (1,), "(s0,)"),
    (reduction.max_all, ((4, 5),), (), "()"),
]


@pytest.mark.parametrize(("rule", "shapes", "arguments", "expected"), ASKS_NOTHING)
def test_what_rules_can_tell_of_any_size_they_do_not_ask(
    rule: Rule, shapes: Shapes, arguments: tuple[Any, ...], expected: str
) -> None:
    """A program that only does this is valid for all sizes."""
    env = ShapeEnv()
    result = rule(*specs(env, *shapes), *arguments)
    told = result[0] if isinstance(result[0], ArraySpec) else result
    assert str(told.shape) == expected
    assert [guard.sizes for guard in env.guards] == []


#: Calls with sizes as arguments, of n by m elements, and the result as text.
SIZES_GIVEN: list[tuple[Callable[[Any, Any, Any], ArraySpec], str]] = [
    (lambda x, n, m: view.view(x, [n * m]), "(s0*s1,)"),
    (lambda x, n, m: view.view(x, [m, n]), "(s1, s0)"),
    (lambda x, n, m: view.view(x, [n, -1]), "(s0, s1)"),
    (lambda x, n, m: view.expand(x, [3, n, m]), "(3, s0, s1)"),
    (lambda x, n, m: view.slice_dim(x, 0, 1, n), "(s0 - 1, s1)"),
    (lambda x, n, m: view.slice_dim(x, 0, 0, n), "(s0, s1)"),
    (lambda x, n, m: view.select(x, 0, n - 1), "(s1,)"),
    (lambda x, n, m: view.split(x, n)[0], "(s0, s1)"),
    (lambda x, n, m: view.split_with_sizes(x, [1, n - 1])[1], "(s0 - 1, s1)"),
    (lambda x, n, m: joining.cat([x, x], 0), "(2*s0, s1)"),
    (lambda x, n, m: joining.stack([x, x]), "(2, s0, s1)"),
    (lambda x, n, m: joining.repeat(x, [n, 1]), "(s0*s0, s1)"),
    (lambda x, n, m: sorting.topk(x, m)[0], "(s0, s1)"),
    (lambda x, n, m: creation.empty([n, 3]), "(s0, 3)"),
    (lambda x, n, m: creation.new_zeros(x, [m]), "(s1,)"),
    (lambda x, n, m: creation.arange(n), "(s0,)"),
    (lambda x, n, m: creation.arange_step(1, n, 2), "(s0 // 2,)"),
    (lambda x, n, m: creation.randperm(n), "(s0,)"),
]


@pytest.mark.parametrize(("rule", "expected"), SIZES_GIVEN)
def test_sizes_may_be_given_as_arguments(
    rule: Callable[[Any, Any, Any], ArraySpec], expected: str
) -> None:
    """What is made of the sizes of an array fits it, whatever these are."""
    env = ShapeEnv()
    (x,) = specs(env, (4, 5))
    assert str(rule(x, *x.shape).shape) == expected
    assert [guard.sizes for guard in env.guards] == []


def test_a_symbolic_number_is_weak_as_the_number_it_stands_for() -> None:
    """A size is an integer, and a quotient of sizes is a float."""
    env = ShapeEnv()
    small, whole = ArraySpec((3,), np.dtype("int8")), ArraySpec((3,), INT)
    (n,) = env.create_symbols((4,), "x")
    assert arithmetic.mul_number(small, n).dtype == small.dtype
    assert arithmetic.mul(small, n).dtype == small.dtype
    assert arithmetic.mul_number(whole, n / 2).dtype == FLOAT
    assert arithmetic.add(whole, whole, alpha=n).dtype == INT
    assert creation.full([2], n).dtype == INT
    assert env.guards == []


#: The same with symbols that are not known to be equal, and what then is asked.
ASKS: list[tuple[Rule, Shapes, tuple[Any, ...], list[str]]] = [
    (
        arithmetic.mul,
        ((4, 5), (4, 5)),
        (),
        ["x.shape[0] == y.shape[0]", "x.shape[1] == y.shape[1]"],
    ),
    (linalg.mm, ((4, 5), (5, 4)), (), ["x.shape[1] == y.shape[0]"]),
    (view.view, ((4, 6),), ([8, 3],), ["x.shape[0]*x.shape[1] == 24"]),
    (view.view, ((4, 6),), ([2, -1],), ["x.shape[0]*x.shape[1] % 2 == 0"]),
    (view.slice_dim, ((8, 5),), (0, None, 3), ["x.shape[0] >= 3"]),
    (view.select, ((4, 5),), (0, 3), ["x.shape[0] > 3"]),
    (sorting.topk, ((4, 5),), (2,), []),
    (sorting.topk, ((4, 5),), (3,), ["x.shape[1] >= 3"]),
    (view.split, ((6, 5),), (2,), ["(x.shape[0] + 1) // 2 == 3"]),
]


@pytest.mark.parametrize(("rule", "shapes", "arguments", "expected"), ASKS)
def test_what_decides_is_asked(
    rule: Rule, shapes: Shapes, arguments: tuple[Any, ...], expected: list[str]
) -> None:
    """Every guard is one that the result depends on."""
    env = ShapeEnv(duck_shape=False)
    rule(*specs(env, *shapes), *arguments)
    assert [guard.sizes for guard in env.guards] == expected


def some_cases(name: str) -> list[Call]:
    """Return cases of an overload, those that follow each other being much alike."""
    cases = [*CASES[name]()]
    return cases[:: len(cases) // MOST_CASES + 1]


def symbolic_outcome(name: str, call: Call, env: ShapeEnv) -> Outcome:
    """Ask a rule about a call with symbols for the sizes of arrays."""
    places = iter(range(100))

    def abstract(array: Array) -> ArraySpec:
        shape = env.create_symbols(array.shape, f"x{next(places)}")
        return ArraySpec(tuple(shape), array.dtype)

    return rule_outcome(SHIPPED[name], replaced(call, abstract))


def evaluated(env: ShapeEnv, result: Any, binding: Any) -> Any:
    """Return a description with the values of sizes in their place."""
    if isinstance(result, tuple):
        return tuple(evaluated(env, [*cast(Any, result)], binding))
    if isinstance(result, list):
        return [evaluated(env, each, binding) for each in cast(Any, result)]
    return result if isinstance(result, str) else env.evaluate(result, binding)


def shapes_of(call: Call) -> list[tuple[int, ...]]:
    """Return the shapes of the arrays in a call."""
    found: list[tuple[int, ...]] = []

    def note(array: Array) -> None:
        found.append(array.shape)

    replaced(call, note)
    return found


def in_other_sizes(call: Call) -> Call:
    """Return a call with descriptions of arrays of other sizes."""

    def resized(array: Array) -> ArraySpec:
        shape = tuple([OTHER_SIZES.get(size, size) for size in array.shape])
        return ArraySpec(shape, array.dtype)

    return replaced(call, resized)


@pytest.mark.parametrize("duck_shape", [True, False])
@pytest.mark.parametrize("name", FUNCTIONAL)
def test_what_is_told_of_symbols_holds_of_all_sizes_that_the_guards_accept(
    name: str, duck_shape: bool
) -> None:
    """The sizes of the example, and others where these fit: what a graph relies on."""
    for call in some_cases(name):
        env = ShapeEnv(duck_shape=duck_shape)
        told = symbolic_outcome(name, call, env)
        for same in (call, in_other_sizes(call)):
            shapes = shapes_of(same)
            if same is call:
                assert env.accepts(*shapes)
            elif not env.accepts(*shapes):
                continue
            plain = rule_outcome(SHIPPED[name], same)
            assert type(plain.error) is type(told.error), f"{name}{same}"
            if told.error is None:
                result = evaluated(env, told.result, env.bind(*shapes))
                assert result == plain.result, f"{name}{same}: {env.guards}"
