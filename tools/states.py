"""How the states of dispatch table cells look, on terminals and on pages."""

from __future__ import annotations

from typing import Final

#: The style of each state on a terminal.
STYLES: Final = {
    "own": "green",
    "composite": "cyan",
    "alias": "blue",
    "fallback": "magenta",
    "fallthrough": "dim",
    "ambiguous": "bold red",
    "missing": "red",
}
#: What each state says, for legends.
MEANINGS: Final = {
    "own": "a kernel of its own",
    "composite": "a kernel made of other operators",
    "alias": "the kernel of another alias key",
    "fallback": "the backend fallback, for all operators",
    "fallthrough": "passed over: the next key decides",
    "ambiguous": "an error: two kernels, none is first",
    "missing": "no kernel: a call is an error",
}
#: What it means that the keys of a column differ.
MIXED: Final = "different from backend to backend"
#: The states in which a call does something at the key.
CALLED: Final = frozenset({"own", "composite", "alias", "fallback"})
#: The states in which a call is an error.
FAILING: Final = frozenset({"ambiguous", "missing"})
