"""Formulas of derivatives: text that is checked, and evaluated without being trusted.

The language is that of PyTorch's ``derivatives.yaml`` in Python's grammar: arguments,
results and gradients by name, arithmetic, attributes, methods, and functions of the
array library: ``grad * cos(self)``. There are no texts, no names that begin with an
underscore and no statements, so a formula computes with what it is given, and names no
file and no module.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any, Final

from .errors import FormulaError

#: Longest formula, and how deep one may be nested; Python's parser has bounds too.
MAX_LENGTH: Final = 1000
MAX_NESTING: Final = 50

_NO_EXPRESSION: Final = "not a formula: as an expression, Python cannot read it"

#: What a formula is made of, but for names, attributes, calls and constants.
_PARTS: Final = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.List,
    ast.keyword,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.expr_context,
    ast.Name,
    ast.Attribute,
    ast.Call,
    ast.Constant,
)
#: ``...`` stands in indices; None, numbers and truth values anywhere.
_CONSTANTS: Final = (bool, int, float, complex, type(None), type(...))


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that has been read."""

    text: str
    #: The values that it names, each with the column of its first use, from 1.
    values: Mapping[str, int]
    #: The functions that it calls by a bare name.
    functions: Mapping[str, int]
    code: CodeType

    def evaluate(self, values: Mapping[str, Any], find: Callable[[str], Any]) -> Any:
        """Return the result; ``find`` returns a function by its name."""
        names = {name: values[name] for name in self.values}
        names.update({name: find(name) for name in self.functions})
        # The code holds nothing but what was checked when it was parsed. Every name
        # in it is among these, so none is looked up further.
        return eval(self.code, {}, names)


@cache
def parse_formula(text: str) -> Formula:
    """Read a formula.

    Raises FormulaError, with a column, for what is none.
    """
    if len(text) > MAX_LENGTH:
        raise FormulaError(text, 1, f"a formula has at most {MAX_LENGTH} characters")
    # Blanks before an expression are an error to Python.
    bare = text.lstrip(" ")
    try:
        tree = ast.parse(bare, mode="eval")
    except SyntaxError as error:
        # Python says 0 where something is missing at the end, or everything.
        column = len(text) - len(bare) + (error.offset or len(bare) + 1)
        raise FormulaError(text, column, _NO_EXPRESSION) from None
    except (ValueError, RecursionError, MemoryError):
        raise FormulaError(text, 1, _NO_EXPRESSION) from None
    called = {id(n.func): n.func for n in ast.walk(tree) if isinstance(n, ast.Call)}
    values: dict[str, int] = {}
    functions: dict[str, int] = {}
    for node, column in _checked(tree, text, len(text) - len(bare)):
        if isinstance(node, ast.Name):
            found = functions if id(node) in called else values
            found.setdefault(node.id, column)
    try:
        code = compile(tree, "<formula>", "eval")
    except SyntaxError as error:
        # What Python finds only now, as a keyword that is repeated.
        column = len(text) - len(bare) + (error.offset or 1)
        raise FormulaError(text, column, f"not a formula: {error.msg}") from None
    return Formula(text, values, functions, code)


def _checked(
    tree: ast.Expression, text: str, indent: int
) -> Iterator[tuple[ast.AST, int]]:
    """Yield every part of a formula with its column; refuse what may not be one."""
    waiting: list[tuple[ast.AST, int, int]] = [(tree, 1, 1)]
    while waiting:
        node, outer, depth = waiting.pop()
        offset: int | None = getattr(node, "col_offset", None)
        # Python counts the bytes of UTF-8.
        before = text.encode()[: indent + (offset or 0)].decode(errors="replace")
        column = outer if offset is None else len(before) + 1
        refusal = _why_not(node)
        if depth > MAX_NESTING:
            refusal = f"a formula may be nested {MAX_NESTING} deep, not deeper"
        if refusal:
            raise FormulaError(text, column, refusal)
        yield node, column
        children = ((n, column, depth + 1) for n in ast.iter_child_nodes(node))
        waiting.extend(reversed([*children]))


def _why_not(node: ast.AST) -> str:
    """Return why something may not stand in a formula, or an empty string."""
    if not isinstance(node, _PARTS):
        return f"a formula has no {type(node).__name__}"
    if isinstance(node, ast.Constant) and not isinstance(node.value, _CONSTANTS):
        return "a formula has no texts: name a backward function instead"
    if isinstance(node, ast.Call) and not isinstance(
        node.func, (ast.Name, ast.Attribute)
    ):
        return "only functions and methods can be called"
    if isinstance(node, ast.keyword) and node.arg is None:
        return "a formula has no ** before arguments"
    name = node.attr if isinstance(node, ast.Attribute) else ""
    name = node.id if isinstance(node, ast.Name) else name
    if name.startswith("_") or not name.isascii():
        return f"a formula names nothing like {name!r}"
    return ""
