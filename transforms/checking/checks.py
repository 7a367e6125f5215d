"""The checks, one function each.

Each raises Skipped where it has nothing to do, returns what it compared where all is
well, and raises Disagreement with what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ...generated.keys import DISPATCHER
from ...runtime.errors import (
    BatchedDataError,
    DataNeededError,
    KernelCheckError,
    NoBatchingRuleError,
    RandomnessError,
    UnbatchedWriteError,
)
from ..arrays import is_array
from ..batches.functions import vmap
from ..meta import MetaTensor
from ..pytree import flatten
from ..tracing.functions import make_fx
from .report import Skipped
from .result_types import wrong_types
from .sample import Sample, copy_of, difference

#: The tag of operators whose results are not the same twice.
_RANDOM: Final = "nondeterministic_seeded"


class Disagreement(Exception):
    """What a check found wrong."""


def check_schema(sample: Sample) -> str:
    """Hold the kernel to its schema: what it writes, returns, and shares."""
    try:
        with DISPATCHER.check_kernels():
            result = sample.copied().run()
    except KernelCheckError as error:
        raise Disagreement(str(error)) from None
    if problem := wrong_types(sample.op.schema, result):
        raise Disagreement(problem)
    return "writes, returns and shares what the schema says"


def check_meta(sample: Sample) -> str:
    """Compare shapes and dtypes of results with those for abstract arrays."""
    abstract = sample.mapped(lambda array: MetaTensor(array.shape, array.dtype))
    if not sample.arrays:
        raise Skipped("no argument is an array")
    try:
        found = abstract.results()
    except DataNeededError as error:
        raise Skipped(str(error)) from None
    wanted = sample.copied().results()
    if len(found) != len(wanted):
        raise Disagreement(f"{len(found)} results, not {len(wanted)}")
    for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
        if is_array(other):
            _check_like(place, one, other)
    return "abstract arrays give results of the same shapes and dtypes"


def _check_like(place: int, found: Any, wanted: Any) -> None:
    got = f"{found.dtype}{list(found.shape)}"
    due = f"{wanted.dtype}{list(wanted.shape)}"
    if got != due:
        raise Disagreement(f"result {place} is {due}, and abstract arrays give {got}")


def check_vmap(sample: Sample) -> str:
    """Compare the call with a batch with a call for each item."""
    if not sample.arrays:
        raise Skipped("no argument is an array")
    _skip_random(sample)
    items = [sample.with_arrays(_varied(sample.arrays, n)) for n in range(2)]
    batches = [np.stack(pair) for pair in zip(*(i.arrays for i in items), strict=True)]

    def of_item(*arrays: Any) -> Any:
        return tuple(
            leaf for leaf in sample.with_arrays(arrays).results() if is_array(leaf)
        )

    try:
        found = vmap(of_item)(*batches)
    except (NoBatchingRuleError, RandomnessError, UnbatchedWriteError) as error:
        raise Disagreement(str(error)) from None
    except (DataNeededError, BatchedDataError) as error:
        raise Skipped(str(error)) from None
    wanted = [[r for r in item.copied().results() if is_array(r)] for item in items]
    stacked = [np.stack(pair) for pair in zip(*wanted, strict=True)]
    if problem := difference([*found], stacked):
        raise Disagreement(f"with a batch, {problem}")
    return "a batch of 2 gives what a call for each item does"


def _varied(arrays: list[Any], n: int) -> list[Any]:
    """Return arrays that are a little different for each item, where that is safe."""
    if n == 0:
        return [copy_of(array) for array in arrays]
    return [
        (
            np.asarray(array * 0.97).astype(array.dtype)
            if array.dtype.kind in "fc"
            else copy_of(array)
        )
        for array in arrays
    ]


def check_trace(sample: Sample) -> str:
    """Compare what make_fx records, replayed and compiled, with the call itself."""
    if not sample.arrays:
        raise Skipped("no argument is an array")
    _skip_random(sample)
    modes: list[str] = []

    def of_arrays(*arrays: Any) -> Any:
        return tuple(sample.with_arrays(arrays).results())

    wanted = sample.copied().results()
    for mode in ("real", "symbolic"):
        given = sample.copied().arrays
        try:
            graph = make_fx(of_arrays, mode)(*given)
        except DataNeededError:
            continue
        for name, run in (("replayed", graph), ("compiled", graph.compile())):
            found = flatten(run(*sample.copied().arrays))[0]
            if problem := difference(found, wanted):
                raise Disagreement(f"traced with {mode} and {name}, {problem}")
        modes.append(mode)
    if not modes:
        raise Skipped("what it returns depends on data")
    return f"traced with {' and '.join(modes)}, replayed and compiled, it is the same"


def _skip_random(sample: Sample) -> None:
    if _RANDOM in sample.op.tags:
        raise Skipped("it draws random numbers")


#: Every check but that of gradients, in order.
CHECKS: Final[dict[str, Callable[[Sample], str]]] = {
    "schema": check_schema,
    "meta": check_meta,
    "vmap": check_vmap,
    "trace": check_trace,
}
