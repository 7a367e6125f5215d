"""Random compositions of transforms of random programs, against `torch.func`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from keyslot.runtime.errors import InPlaceError, RandomnessError
from keyslot.transforms import make_fx

from .transform_programs import KEYSLOT, TORCH, Composition

#: So many seeds are one test, and so many tests there are for each kind of numbers.
SEEDS = 25
TESTS = {"real": 12, "complex": 6}
GROUPS = [(kind, n) for kind, count in TESTS.items() for n in range(count)]
SHAPES = ((), (3,), (2, 3), (2, 2, 2))
SHOWN = 3

pytestmark = pytest.mark.filterwarnings("ignore")
in_groups = pytest.mark.parametrize(("kind", "group"), GROUPS)


def compositions(kind: str, group: int) -> Iterator[tuple[int, Composition, Random]]:
    """Yield the compositions of a test, each with a source of numbers for more."""
    for seed in range(group * SEEDS, (group + 1) * SEEDS):
        rng = Random(f"{kind} {seed}")
        yield seed, Composition.random(rng, kind), rng


def arrays(kind: str, shape: tuple[int, ...], seed: int) -> tuple[Any, Any]:
    """Return two arrays."""
    rng = np.random.default_rng(seed)
    made = [np.asarray(0.5 * rng.standard_normal(shape)) for _ in range(4)]
    if kind == "real":
        return made[0], made[1]
    return made[0] + 1j * made[1], made[2] + 1j * made[3]


def difference(found: Any, expected: Any) -> str:
    """Return how two arrays differ, an empty text where they do not."""
    got, due = np.asarray(found), np.asarray(expected)
    if (got.shape, got.dtype) != (due.shape, due.dtype):
        return f"{got.dtype}{got.shape}, not {due.dtype}{due.shape}"
    if np.allclose(got, due, rtol=1e-6, atol=1e-8, equal_nan=True):
        return ""
    return f"differs by {np.nanmax(np.abs(got - due)):.3g}"


def check(found: list[str], compared: int) -> None:
    """Fail for differences, and where too little was compared to say anything."""
    assert not found, "\n".join([f"{len(found)} differ:", *found[:SHOWN]])
    assert compared > SEEDS / 2


@in_groups
def test_compositions_are_those_of_pytorch(kind: str, group: int) -> None:
    """Wherever PyTorch takes them."""
    found: list[str] = []
    compared = 0
    for seed, composition, rng in compositions(kind, group):
        x, y = arrays(kind, rng.choice(SHAPES), seed)
        try:
            theirs = composition.build(TORCH)(torch.tensor(x), torch.tensor(y))
        except Exception:  # whatever it is, it says nothing of ours
            continue
        compared += 1
        problem = outcome(
            composition.build(KEYSLOT), x, y, theirs.detach().resolve_conj().numpy()
        )
        if problem:
            found.append(f"{seed}: {composition} of {x.shape}: {problem}")
    check(found, compared)


@in_groups
def test_compositions_are_traced_and_replayed(kind: str, group: int) -> None:
    """With symbols for sizes; at other sizes each graph does what its program does."""
    found: list[str] = []
    compared = 0
    for seed, composition, rng in compositions(kind, group):
        shape = rng.choice(SHAPES)
        function = composition.build(KEYSLOT)
        try:
            function(*arrays(kind, shape, seed))
        except (RandomnessError, InPlaceError):
            # jacrev and jacfwd are batches inside; tangents may be written to memory
            # that an outer gradient does not go through.
            continue
        graph = make_fx(function, "symbolic")(*arrays(kind, shape, seed))
        # Sizes that were equal stay so, and none becomes 0 or 1.
        for sizes in (shape, tuple(size + 2 for size in shape)):
            x, y = arrays(kind, sizes, seed + 1)
            for run in (graph, graph.compile()):
                problem = outcome(run, x, y, function(x, y))
                if problem:
                    found.append(f"{seed}: {composition} of {sizes}: {problem}")
        compared += 1
    check(found, compared)


def outcome(function: Callable[..., Any], x: Any, y: Any, expected: Any) -> str:
    """Return what is wrong with the result of a function, an error too."""
    given = x.copy(), y.copy()
    try:
        problem = difference(function(*given), expected)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    if problem:
        return problem
    changed = [not np.array_equal(a, b) for a, b in zip(given, (x, y), strict=True)]
    return "an argument has been changed" if any(changed) else ""
