"""The calls of each overload, which the modules beside this one register."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..op_arguments import Call

Cases = Callable[[], Iterator[Call]]
CASES: dict[str, Cases] = {}


def cases(*names: str) -> Callable[[Cases], Cases]:
    """Register a function as the source of the cases of some overloads."""

    def register(function: Cases) -> Cases:
        assert CASES.keys().isdisjoint(names)
        CASES.update(dict.fromkeys(names, function))
        return function

    return register
