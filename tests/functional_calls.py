"""Programs that write, run as they are and functionalized, and what is seen of each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from keyslot import OpOverload
from keyslot.runtime.companions import functional_companion
from keyslot.transforms import functionalize, make_fx
from keyslot.transforms.graph import Graph, Kind
from keyslot.transforms.pytree import flatten

from .oracle.op_arguments import Call
from .oracle.pointwise_calls import pointwise_calls
from .schema_calls import shipped
from .shape_calls import REFUSALS, calls, replaced

#: How many calls of an overload are made, spread over all there are.
_MOST_CALLS: Final = 40
#: Operators whose results have elements that nobody has chosen.
_RANDOM: Final = "nondeterministic_seeded"


class Seen(NamedTuple):
    """What a call has returned, and what its arguments are afterwards."""

    result: Any
    arguments: Any
    error: Exception | None


def seen(function: Callable[..., Any], call: Call) -> Seen:
    """Make a call with copies of its arrays."""
    given = replaced(call, lambda array: np.array(array, order="K", copy=True))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*given.args, **given.kwargs)
        except (*REFUSALS, RuntimeError, NotImplementedError) as error:
            return Seen(None, None, error)
    return Seen(result, [given.args, given.kwargs], None)


def some_calls(name: str, op: OpOverload) -> list[Call]:
    """Return calls of an overload, some of which it refuses."""
    made = _spread(calls(name, op))
    companion = functional_companion(op)
    if op.schema.is_mutable and companion is not None:
        # One that is derived takes what that takes which it is derived from.
        known = companion.derived_from or companion.schema.qualified
        of_known = [*calls(known, shipped()[known])]
        pure = _spread(of_known or pointwise_calls(companion.schema))
        made += [call for one in pure for call in _with_out(op, companion, one)]
    return made


def _spread(made: Iterable[Call]) -> list[Call]:
    every = [*made]
    return every[:: max(len(every) // _MOST_CALLS, 1)]


def _with_out(op: OpOverload, companion: OpOverload, call: Call) -> Iterator[Call]:
    """Yield a call of a functional operator as one of a companion that writes."""
    found = seen(companion, call)
    if found.error is not None:
        return
    if not op.schema.is_out:
        yield call
        return
    results = [found.result] if len(op.schema.out) == 1 else found.result
    outs = {
        argument.name: np.array(result, copy=True)
        for argument, result in zip(op.schema.out, results, strict=True)
    }
    names = {argument.name for argument in op.schema.arguments}
    kwargs = {key: value for key, value in call.kwargs.items() if key in names}
    yield Call(call.args, {**kwargs, **outs})


def writing() -> list[str]:
    """Return the overloads that write to an argument, but for those always refused."""
    return [
        name
        for name, op in sorted(shipped().items())
        if op.schema.is_mutable and "inplace_view" not in op.tags
    ]


def viewing() -> list[str]:
    """Return the overloads whose results share the memory of an argument."""
    return [name for name, op in sorted(shipped().items()) if op.schema.is_view]


def chooses_elements(op: OpOverload) -> bool:
    """Whether the elements of its results are what they are for a reason."""
    return _RANDOM not in op.tags and "empty" not in op.schema.name


def assert_same(one: Any, other: Any) -> None:
    """Check that two nested results have the same shapes, dtypes and elements."""
    ours, theirs = flatten(one)[0], flatten(other)[0]
    assert len(ours) == len(theirs)
    for value, expected in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(value, expected, strict=True)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return _leaves([*value.values()])
    if not isinstance(value, (list, tuple)):
        return [value]
    return [leaf for item in as_list(value) for leaf in _leaves(item)]


def as_list(value: Any) -> list[Any]:
    """Return the results of a call that may have one."""
    return [*value] if isinstance(value, (list, tuple)) else [value]


def functional_graph(
    function: Callable[..., Any], *args: Any, tracing_mode: str = "real", **kwargs: Any
) -> Graph:
    """Trace a functionalized program; check that it writes to its inputs at most."""
    trace = make_fx(functionalize(function, **kwargs), tracing_mode=tracing_mode)
    graph = trace(*args)
    assert_functional(graph)
    return graph


def assert_functional(graph: Graph) -> None:
    """Check that nothing in a graph writes, but for copies into inputs at its end."""
    written = False
    for node in graph.nodes:
        if isinstance(node.op, Kind):
            continue
        if node.op.schema.is_mutable:
            written = True
            assert node.op.name == "keyslot::copy_"
            assert node.args[0].op is Kind.PLACEHOLDER
        else:
            assert not written, f"{node} comes after the inputs were written to"


def operators(graph: Graph) -> list[str]:
    """Return the names of what a graph calls."""
    return [n.op.schema.name for n in graph.nodes if not isinstance(n.op, Kind)]
