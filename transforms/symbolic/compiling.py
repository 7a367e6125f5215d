"""Expressions compiled to Python functions of the values of their symbols."""

from __future__ import annotations

import linecache
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Final

from ...runtime.adapters import compiled
from .expression import Expression, in_order
from .operations import SYMBOL
from .sym_number import SymInt
from .writing import Writer

_serial: Final = count()
#: What is deeper than this gets a name: Python refuses source with many parentheses.
_DEEPEST: Final = 10


def statements(roots: Sequence[Any], writer: Writer) -> list[str]:
    """Return assignments of parts, after which the expressions are short source.

    The writer knows the parts by their names then. What occurs in several places is
    computed once.
    """
    order = list(in_order(roots))
    uses = Counter(operand for each in order for operand in each.operands)
    depths: dict[Any, int] = {}
    lines: list[str] = []
    for each in order:
        depth = 1 + max(
            (depths.get(operand, 0) for operand in each.operands), default=0
        )
        if each.operation != SYMBOL and (uses[each] > 1 or depth > _DEEPEST):
            name = f"part{len(lines)}"
            lines.append(f"{name} = {writer.text(each)}")
            writer.name(each, name)
            depth = 0
        depths[each] = depth
    return lines


def compile_function(
    name: str, parameters: str, body: Sequence[str]
) -> Callable[..., Any]:
    """Return a function made of lines of source, which debuggers show."""
    lines = [
        "def make():",
        f"    def {name}({parameters}):",
        *(f"        {line}" for line in body),
        f"    return {name}",
    ]
    filename = f"<keyslot {name} {next(_serial)}>"
    function: Callable[..., Any] = compiled("\n".join(lines) + "\n", filename)()
    weakref.finalize(function, linecache.cache.pop, filename, None).atexit = False
    return function


def compile_expression(
    expression: Expression,
) -> tuple[tuple[SymInt, ...], Callable[..., Any]]:
    """Return the symbols in an expression, and a function of their values."""
    order = in_order([expression])
    symbols = tuple(e for e in order if isinstance(e, SymInt) and e.operation == SYMBOL)
    writer = Writer({})
    body = statements([expression], writer)
    body.append(f"return {writer.text(expression)}")
    return symbols, compile_function("size", ", ".join(map(str, symbols)), body)
