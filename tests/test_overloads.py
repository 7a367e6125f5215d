"""Overload resolution: decided by types and declarations alone, and explained."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from keyslot import Library, errors, explain

from .calling import Mine, a, define, ops, reports, seen

OVERLOADS = [
    "f.Tensor(Tensor x, Tensor y) -> Tensor",
    "f.Scalar(Tensor x, Scalar y) -> Tensor",
    "f.int(Tensor x, int y) -> Tensor",
    "f.list(Tensor x, Tensor[] y) -> Tensor",
    "f.flag(Tensor x, Tensor y, *, bool flag) -> Tensor",
]
CALLS: list[tuple[Any, ...]] = [
    (a, a),
    (a, 2.5),
    (a, [a]),
    (a, np.float64(1.0)),
    (a, np.array(1.0)),
]


def answers(library: Library) -> list[Any]:
    """Return which overload each of the calls means."""
    return [library.ops.f(*call) for call in CALLS]


def test_resolution_follows_the_declarations(library: Library) -> None:
    """Calls made before do not change what a call means, whatever their order."""
    for schema in OVERLOADS:
        define(library, schema, reports(schema.partition("(")[0]))
    expected = ["f.Tensor", "f.Scalar", "f.list", "f.Tensor", "f.Tensor"]
    for order in itertools.permutations(range(len(CALLS))):
        for place in order:
            assert library.ops.f(*CALLS[place]) == expected[place]
    assert answers(library) == expected


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_nearest_wins_in_any_order(library: Library, order: tuple[int, ...]) -> None:
    """Where one overload is nearer than the others, their order does not matter."""
    schemas = [OVERLOADS[0], OVERLOADS[1], OVERLOADS[3]]
    for place in order:
        define(library, schemas[place], reports(schemas[place].partition("(")[0]))
    expected = ["f.Tensor", "f.Scalar", "f.list", "f.Tensor", "f.Tensor"]
    assert answers(library) == expected


@pytest.mark.parametrize("first", ["one", "two"])
def test_first_declared_wins_a_tie(library: Library, first: str) -> None:
    """Of two overloads at the same distance the one declared first is called."""
    types = {"one": "Scalar", "two": "float"}
    second = {"one": "two", "two": "one"}[first]
    for name in (first, second):
        schema = f"f.{name}(Tensor x, {types[name]} y) -> Tensor"
        define(library, schema, reports(name))
    assert library.ops.f(a, 1.5) == first
    assert explain(library.ops.f, a, 1.5).ranking == (
        (f"f.{first}", "exact match"),
        (f"f.{second}", "exact match"),
    )


def test_overload_that_no_call_could_mean_is_refused(library: Library) -> None:
    """Neither hides the other in silence; what is there stays as it is."""
    library.define("f.one(Tensor x, int[] size, *, bool flag=False) -> Tensor")
    for same in (
        "f.two(Tensor x, SymInt[] size, *, bool flag=False) -> Tensor",
        "f.two(Tensor(a!) x, int[] size, *, SymBool flag=True) -> ()",
    ):
        with pytest.raises(errors.LibraryError) as caught:
            library.define(same)
        assert str(caught.value).startswith("no call can tell f.two from f.one, at ")
        assert library.ops.f.overloads() == ["one"]
    for other in (
        "f.two(Tensor y, int[] size, *, bool flag=False) -> Tensor",
        "f.three(Tensor x, int[2] size, *, bool flag=False) -> Tensor",
        "f.four(Tensor x, int[] size, bool flag=False) -> Tensor",
        "f.five(Tensor x, int[] size, *, bool flag) -> Tensor",
        "g.two(Tensor x, int[] size, *, bool flag=False) -> Tensor",
    ):
        library.define(other)


def test_names_of_arguments_decide(library: Library) -> None:
    """An overload that has no argument of a given name is not meant."""
    define(library, "f.one(Tensor x, *, int one=1) -> Tensor", reports("one"))
    define(library, "f.two(Tensor x, *, int two=2) -> Tensor", reports("two"))
    f = library.ops.f
    assert [f(a), f(a, one=1), f(a, two=1), f(two=1, x=a)] == [
        "one",
        "one",
        "two",
        "two",
    ]
    with pytest.raises(errors.OverloadError) as caught:
        f(a, one=1, two=2)
    assert caught.value.refusals == (
        ("f.one(Tensor x, *, int one=1) -> Tensor", "has no argument 'two'"),
        ("f.two(Tensor x, *, int two=2) -> Tensor", "has no argument 'one'"),
    )


def test_same_names_at_other_places(library: Library) -> None:
    """A name may stand at another place in another overload."""
    define(library, "f.ab(Tensor a, int b) -> Tensor", seen)
    define(library, "f.ba(int b, Tensor a) -> Tensor", seen)
    f = library.ops.f
    assert [f(a, 1), f(1, a), f(b=1, a=a)] == [seen(a, 1), seen(1, a), seen(a, 1)]


@pytest.mark.usefixtures("mine")
def test_union_types_do_not_make_calls_ambiguous(library: Library) -> None:
    """Types of one family in two overloads: the nearer one wins, without an error."""
    define(library, "f.opt(Tensor x, Scalar? y=None) -> Tensor", reports("opt"))
    define(library, "f.arr(Tensor x, Tensor? y=None) -> Tensor", reports("arr"))
    library.impl("f.opt", reports("mine opt"), "mine")
    library.impl("f.arr", reports("mine arr"), "mine")
    f = library.ops.f
    assert [f(a), f(a, None), f(a, 1), f(a, a)] == ["opt", "opt", "opt", "arr"]
    assert [f(Mine(), 1), f(Mine(), Mine())] == ["mine opt", "mine arr"]


def test_explain_ranks_every_overload(library: Library) -> None:
    """The ranking of a call lists all overloads in the order of trial, with why."""
    for schema in OVERLOADS:
        define(library, schema)
    assert explain(library.ops.f, a, np.int64(1)).ranking == (
        ("f.Tensor", "exact match"),
        ("f.Scalar", "match at distance 1"),
        ("f.int", "match at distance 1"),
        ("f.list", "argument 'y' takes Tensor[], not numpy.int64"),
        ("f.flag", "missing argument 'flag'"),
    )


def test_explain_of_one_overload_does_not_rank_others() -> None:
    """Asked about an overload, explain speaks of that one."""
    assert ops.add.Scalar.explain(a, 1).ranking == (("add.Scalar", "exact match"),)


def test_overload_is_called_without_resolution(library: Library) -> None:
    """An overload called by its name takes its own arguments and no others."""
    for schema in OVERLOADS[:2]:
        define(library, schema, reports(schema.partition("(")[0]), tags="pointwise")
    f = library.ops.f
    assert f.Scalar(a, np.float64(1.0)) == "f.Scalar"
    assert f.Tensor(a, 1) == "f.Tensor"
    with pytest.raises(errors.OverloadError) as caught:
        f.Scalar(a, "one")
    assert caught.value.refusals == (
        (
            "f.Scalar(Tensor x, Scalar y) -> Tensor",
            "argument 'y' takes Scalar, not str",
        ),
    )


def test_missing_value_is_shown_as_such() -> None:
    """What a signature shows for a parameter without a default reads as what it is."""
    (default,) = {value for value in ops.sum.__defaults__ if value is not None}
    assert repr(default) == "<not given>"
    assert ops.sum(a, default, default) == ops.sum(a)
    with pytest.raises(errors.OverloadError) as caught:
        ops.sum(a, keepdim=True)
    assert "missing argument 'dim'" in [why for _, why in caught.value.refusals]
