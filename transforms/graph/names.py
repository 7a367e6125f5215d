"""Names for the nodes of a graph: identifiers, each there once."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from keyword import iskeyword, issoftkeyword
from typing import Final

from .node import Kind, Node

#: No name in a printed graph is one of these: what they mean in Python stays true.
_BUILTINS: Final = frozenset(dir(builtins))


class Names:
    """Gives out names, each once."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken: Final = {*reserved}
        #: How many names have been made of one.
        self._counts: Final[dict[str, int]] = {}

    def new(self, wanted: str) -> str:
        """Return ``wanted``, or if it is taken, ``wanted_1`` and so on.

        What Python takes for no name is made one.
        """
        base = identifier(wanted)
        count = self._counts.get(base, 0)
        name = f"{base}_{count}" if count else base
        while name in self._taken or not _is_free(name):
            count += 1
            name = f"{base}_{count}"
        self._counts[base] = count + 1
        self._taken.add(name)
        return name


def identifier(text: str) -> str:
    """Return some text as an identifier of ASCII letters, digits and underscores."""
    name = re.sub(r"[^0-9A-Za-z_]+", "_", text) or "_"
    if name.startswith("__") and name.endswith("__"):
        # Python gives such names a meaning of its own.
        name = name.strip("_") or "_"
    return f"_{name}" if name[0].isdigit() else name


def _is_free(name: str) -> bool:
    return not (name in _BUILTINS or iskeyword(name) or issoftkeyword(name))


def wanted_name(node: Node) -> str:
    """Return what a node is called where nothing else has that name."""
    op = node.op
    if op is Kind.PLACEHOLDER:
        return str(node.args[0]) if node.args else "input"
    if isinstance(op, Kind):
        return op.value
    return str(op.qualified_name).rpartition(".")[0]
