"""Python's operators, ``x + y``, and what they call: a table in YAML.

The table is ``schemas/python_operators.yaml``, which explains itself.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Final

from .config import SourceFile
from .expect import expect_fields, expect_flag, expect_map, expect_text
from .nodes import List, Map, Node, read_yaml
from .problems import Problems, unknown

#: The methods by which Python calls operators, those of one operand first.
UNARY: Final = ("__abs__", "__invert__", "__neg__", "__pos__")
_COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge")
_ARITHMETIC: Final = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_BINARY: Final = tuple(
    f"__{prefix}{name}__" for name in _ARITHMETIC for prefix in ("", "r", "i")
)
METHODS: Final = (*UNARY, *_BINARY, *(f"__{name}__" for name in _COMPARISONS))


@dataclass(frozen=True, slots=True)
class PythonOperator:
    """What a method calls: an operator, with which arguments in which order."""

    method: str
    op: str
    swapped: bool = False
    #: Arguments that are given by name.
    named: tuple[tuple[str, str], ...] = ()

    @property
    def is_unary(self) -> bool:
        """Whether there is no other operand."""
        return self.method in UNARY


def python_operators(file: SourceFile, ops: Container[str]) -> list[PythonOperator]:
    """Return what each method calls in a package that has these operators.

    Raises DeclarationError for a table with mistakes.
    """
    problems = Problems()
    root = read_yaml(file.path, file.name, problems)
    table = {} if root is None else parse_operators(root, problems)
    problems.raise_any()
    there = [[each for each in choices if each.op in ops] for choices in table.values()]
    return [choices[0] for choices in there if choices]


def parse_operators(root: Node, problems: Problems) -> dict[str, list[PythonOperator]]:
    """Read the table: of each method what it may call, the best first."""
    entries = expect_map(root, "a table of Python's operators", problems)
    found: dict[str, list[PythonOperator]] = {}
    for method, node in entries.entries.items() if entries else ():
        assert entries is not None  # there is an entry
        if method not in METHODS:
            problems.add(entries.keys[method], unknown("method", method, METHODS))
        choices = node.items if isinstance(node, List) else [node]
        found[method] = [_read(method, choice, problems) for choice in choices]
    return found


def _read(method: str, node: Node, problems: Problems) -> PythonOperator:
    what = f"what {method} calls"
    if not isinstance(node, Map):
        return PythonOperator(method, expect_text(node, what, problems) or "")
    fields = ("swapped", "with")
    expect_fields(node, what, problems, required=("op",), optional=fields)
    op, swapped, named = map(node.entries.get, ("op", *fields))
    return PythonOperator(
        method,
        op=(op and expect_text(op, f"'op' of {what}", problems)) or "",
        swapped=bool(swapped and expect_flag(swapped, "'swapped'", problems)),
        named=() if named is None else tuple(_named(named, what, problems)),
    )


def _named(node: Node, what: str, problems: Problems) -> Iterator[tuple[str, str]]:
    entries = expect_map(node, f"'with' of {what}", problems)
    for name, value in entries.entries.items() if entries else ():
        yield name, expect_text(value, f"the argument {name!r}", problems) or ""
