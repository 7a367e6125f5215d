"""Dispatch tables of keyslot's resolver against those that PyTorch computes.

PyTorch prints what is registered for an operator, and its table freshly computed from
that. (The table it stores can be stale at AutogradOther, so that is not asked.)
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from torch import _C

from keyslot.codegen.keyspace import load_keyspace
from keyslot.codegen.problems import Problems
from keyslot.runtime.resolver import Resolution, resolve_table
from keyslot.runtime.space import KeySpace

ROOT = Path(__file__).parents[2]

# PyTorch's word for the rule by which a cell got its kernel.
LABELS = {
    "CompositeExplicitAutogradNonFunctional": "default backend kernel",
    "CompositeExplicitAutograd": "default backend kernel",
    "CompositeImplicitAutogradNestedTensor": "nested kernel",
    "CompositeImplicitAutograd": "math kernel",
    "Autograd": "autograd kernel",
    "FuncTorchBatchedDecomposition": "batched kernel",
}
REGISTRATION = re.compile(r"(\w+)(?:\[alias\])?: (.*) :: .* \[ .*\]")
CELL = re.compile(r"(\w+): (?:fallthrough )?(.*) \[(.*)\]")


class Cell(NamedTuple):
    """One line of a printed table: where its kernel is from, and by which rule."""

    origin: str
    label: str


@pytest.fixture(scope="module")
def space() -> KeySpace:
    """PyTorch's key space as keyslot declares it."""
    problems = Problems()
    file = "schemas/torch/keys.yaml"
    found = load_keyspace(ROOT / file, file, problems)
    assert found is not None, str(problems)
    return found


@pytest.fixture(scope="module")
def fallbacks() -> Iterator[dict[str, str]]:
    """The fallbacks of this process: all that an operator without kernels has."""
    library = _C._dispatch_library("DEF", "keyslot_bare", "")
    library.define("bare(Tensor self) -> Tensor")
    yield {
        key: cell.origin for key, cell in printed_table("keyslot_bare::bare").items()
    }
    del library


def printed_table(operator: str) -> dict[str, Cell]:
    """Return the cells of a table that PyTorch prints, which leaves out empty ones."""
    lines = _C._dispatch_dump_table(operator).splitlines()
    cells = [CELL.fullmatch(line) for line in lines if line]
    assert None not in cells, lines
    return {cell[1]: Cell(cell[2], cell[3]) for cell in cells if cell}


def registrations(operator: str) -> dict[str, str]:
    """Return where the active kernel at each key and alias key was registered."""
    lines = _C._dispatch_dump(operator).splitlines()
    found = [REGISTRATION.fullmatch(line) for line in lines]
    return {match[1]: match[2] for match in found if match}


def expected_cell(
    key: str, resolution: Resolution, kernels: dict[str, str], fallbacks: dict[str, str]
) -> Cell | None:
    """Return the cell that PyTorch prints if it agrees with a resolution."""
    if resolution.kind == "missing":
        return None
    if resolution.kind == "ambiguous":
        return Cell("ambiguous_autogradother", "ambiguous autogradother")
    source = resolution.source or ""
    if resolution.kind == "fallback":
        return Cell(fallbacks[source], "backend fallback")
    return Cell(kernels[source], "kernel" if source == key else LABELS[source])


def differences(
    operator: str, space: KeySpace, fallbacks: dict[str, str]
) -> dict[str, Any]:
    """Return the cells of an operator for which keyslot and PyTorch differ."""
    kernels = registrations(operator)
    theirs = printed_table(operator)
    ours = resolve_table(space, kernels, fallbacks)
    return {
        f"{operator} at {key}": (resolution, theirs.get(key))
        for key, resolution in zip(space.keys, ours, strict=True)
        if expected_cell(key, resolution, kernels, fallbacks) != theirs.get(key)
    }


def test_every_cell_of_every_operator(
    space: KeySpace, fallbacks: dict[str, str], record_property: Any
) -> None:
    """Each cell of each operator has the kernel that PyTorch puts there."""
    operators = _C._dispatch_get_all_op_names()
    wrong: dict[str, Any] = {}
    for operator in operators:
        wrong.update(differences(operator, space, fallbacks))
    assert wrong == {}
    record_property("cells", len(operators) * len(space.keys))
    assert len(operators) > 3000


def test_random_registrations(
    space: KeySpace, fallbacks: dict[str, str], record_property: Any
) -> None:
    """Operators with kernels at random keys and alias keys have PyTorch's tables."""
    drawn = random.Random(20813)
    every = (*space.aliases, *space.keys[1:])
    # PyTorch's own parser does not know 42 of PyTorch's keys.
    names = [key for key in every if _C._parse_dispatch_key(key) is not None]
    assert len(names) == 100
    likely = [*space.aliases, "AutogradCPU", "AutogradOther", "CPU", "SparseCPU"]
    operators = 5000
    wrong: dict[str, Any] = {}
    for number in range(operators):
        library = _C._dispatch_library("DEF", "keyslot_drawn", "")
        library.define(f"op{number}(Tensor self) -> Tensor")
        keys = set(drawn.sample(likely, drawn.randint(0, 5)))
        keys.update(drawn.sample(names, drawn.randint(0, 6)))
        for key in sorted(keys):
            library.impl_t_t(f"op{number}", dispatch=key, debug=f"kernel at {key}")
        wrong.update(differences(f"keyslot_drawn::op{number}", space, fallbacks))
        del library
    assert wrong == {}
    record_property("cells", operators * len(space.keys))
