"""Selections: how a key space says "these keys".

A selection is a functionality or group, a list of them, or a mapping that takes
something away again:

    functionalities: [backend]
    except: [Sparse]
    except_backends: [JAX, Dask]
"""

from __future__ import annotations

from typing import Final

from .expect import (
    expect_fields,
)
from .keyspace_names import Names
from .nodes import (
    Map,
    Node,
)

REQUIRED: Final = ("functionalities",)
OPTIONAL: Final = ("except", "except_backends")


def select(node: Node, what: str, names: Names) -> tuple[str, ...]:
    """Read a selection; return its runtime keys, lowest priority first.

    ``what`` names in messages what the keys are for.
    """
    if not isinstance(node, Map):
        return names.keys_of(_choose(node, what, names))
    expect_fields(node, what, names.problems, required=REQUIRED, optional=OPTIONAL)
    chosen = _choose(node.entries.get("functionalities"), what, names)
    without = _choose(node.entries.get("except"), f"'except' of {what}", names)
    for name in without:
        if name not in chosen:
            message = f"{name!r} is not in 'functionalities', so not to be taken out"
            names.problems.add(node.keys["except"], message)
    kept = [name for name in chosen if name not in without]
    return names.keys_of(kept, _backends(node, what, names))


def select_some(node: Node, what: str, complaint: str, names: Names) -> tuple[str, ...]:
    """Read a selection that must not be empty; ``complaint`` says so of ``what``."""
    before = len(names.problems)
    keys = select(node, what, names)
    # An empty selection that has a problem already is empty because of it.
    if not keys and len(names.problems) == before:
        names.problems.add(node, f"{what} {complaint}")
    return keys


def _choose(node: Node | None, what: str, names: Names) -> list[str]:
    """Read functionalities and groups; return functionalities."""
    if node is None:
        return []
    known = (*names.functionalities, *names.groups)
    chosen: list[str] = []
    for name in names.read_list(node, what, "functionality or group", known):
        chosen += names.groups.get(name, [name])
    return chosen


def _backends(node: Map, what: str, names: Names) -> list[str]:
    excepted = node.entries.get("except_backends")
    if excepted is None:
        return []
    what = f"'except_backends' of {what}"
    return names.read_list(excepted, what, "backend", names.backends)
