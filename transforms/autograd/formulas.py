"""Formulas of gradients as source: what YAML says of an operator, compiled.

A formula is an expression over the arguments, results and gradients of a call. Where an
array is surely meant, its arithmetic and methods become calls of operators: they have
the dtypes of ours whatever library the arrays are from, and every transform sees them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from ... import generated as ops
from ...runtime.errors import FormulaError
from ...runtime.formula import parse_formula
from ...runtime.namespace import find_packet

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

_BINARY: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
}
_UNARY: Final[Mapping[type[ast.AST], str]] = {
    ast.USub: "neg",
    ast.Invert: "bitwise_not",
}
_COMPARISONS: Final[Mapping[type[ast.AST], str]] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
#: Attributes of arrays that are kept without the array.
_FACTS: Final = ("shape", "dtype", "ndim")
#: The operator that does nothing to real numbers.
_CONJ: Final = "conj"


@dataclass(frozen=True, slots=True)
class Expression:
    """A formula as source."""

    source: str
    #: The values that it names.
    values: frozenset[str]
    #: What else it reads of arrays: pairs of a name and ``shape``, ``dtype`` or
    #: ``ndim``. Of these alone the elements are not needed.
    facts: frozenset[tuple[str, str]]
    #: What it calls, by the names in the source.
    functions: Mapping[str, Any]


def compile_formula(
    op: OpOverload,
    text: str,
    arrays: frozenset[str],
    real: bool,
    kept: frozenset[str] = frozenset(),
) -> Expression:
    """Return a formula of an operator's gradient as source.

    ``arrays`` names the values that are arrays for certain, ``kept`` those whose shapes
    and dtypes are values of their own. With ``real`` no number is complex, and
    conjugation is left out.

    Raises FormulaError where a function is neither an operator nor one of the module
    that YAML names for formulas.
    """
    formula = parse_formula(text)
    tree = ast.parse(text.strip(), mode="eval").body
    translation = _Translation(op, text, arrays, real, kept)
    body = translation.visit(tree)
    values = {n.id for n in ast.walk(body) if isinstance(n, ast.Name)}
    facts = frozenset(translation.facts)
    return Expression(
        ast.unparse(body),
        frozenset(values & formula.values.keys()),
        facts,
        translation.functions,
    )


def fact_name(name: str, attribute: str) -> str:
    """Return what a formula's source calls the shape, say, of an array."""
    return f"{name}__{attribute}"


class _Translation(ast.NodeTransformer):
    """Turns what is done with arrays into calls of operators."""

    def __init__(
        self,
        op: OpOverload,
        text: str,
        arrays: frozenset[str],
        real: bool,
        kept: frozenset[str],
    ) -> None:
        self.functions: Final[dict[str, Any]] = {}
        self.facts: Final[set[tuple[str, str]]] = set()
        self._op: Final = op
        self._text: Final = text
        self._arrays: Final = arrays
        self._real: Final = real
        self._kept: Final = kept
        self._made: Final[set[int]] = set()

    def _is_array(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self._arrays
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Name) and node.value.id == "grads"
        return id(node) in self._made

    def _call(self, name: str, *arguments: ast.expr) -> ast.Call:
        found = self._operator(name)
        if found is None:
            raise FormulaError(self._text, 1, f"there is no operator {name!r}")
        self.functions[f"op_{name}"] = found
        function = ast.Name(f"op_{name}", ast.Load())
        return self._array(ast.Call(function, list(arguments), []))

    def _array(self, node: ast.Call) -> ast.Call:
        self._made.add(id(node))
        return node

    def _operator(self, name: str) -> Any:
        """Return an operator of the namespace of this one, or else one of ours."""
        try:
            return find_packet(self._op.namespace, name)
        except (AttributeError, LookupError):
            return getattr(ops, name, None)

    def _helper(self, name: str) -> Any:
        """Return a function of the module that YAML names for formulas, if any."""
        module = self._op.derivative_functions
        return None if module is None else getattr(import_module(module), name, None)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        if self._is_array(left) or self._is_array(right):
            return self._call(_BINARY[type(node.op)], left, right)
        return ast.BinOp(left, node.op, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if self._is_array(operand) and type(node.op) in _UNARY:
            return self._call(_UNARY[type(node.op)], operand)
        return ast.UnaryOp(node.op, operand)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        owner = node.value
        if (
            isinstance(owner, ast.Name)
            and owner.id in self._kept
            and node.attr in _FACTS
        ):
            self.facts.add((owner.id, node.attr))
            return ast.Name(fact_name(owner.id, node.attr), ast.Load())
        return ast.Attribute(self.visit(owner), node.attr, node.ctx)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        sides = [self.visit(side) for side in (node.left, *node.comparators)]
        if len(sides) == 2 and any(map(self._is_array, sides)):
            name = _COMPARISONS.get(type(node.ops[0]))
            if name is not None:
                return self._call(name, *sides)
        return ast.Compare(sides[0], node.ops, sides[1:])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        arguments = [self.visit(argument) for argument in node.args]
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        if isinstance(node.func, ast.Attribute):
            owner = self.visit(node.func.value)
            name, arguments = node.func.attr, [owner, *arguments]
        else:
            assert isinstance(node.func, ast.Name)  # formulas call nothing else
            name = node.func.id
        if name == _CONJ and self._real:
            (value,) = arguments
            assert isinstance(value, ast.expr)  # an argument is one
            return value
        function, is_operator = self._function(name, node)
        self.functions[function[0]] = function[1]
        call = ast.Call(ast.Name(function[0], ast.Load()), arguments, keywords)
        return self._array(call) if is_operator else call

    def _function(self, name: str, node: ast.Call) -> tuple[tuple[str, Any], bool]:
        if not isinstance(node.func, ast.Attribute):
            helper = self._helper(name)
            if helper is not None:
                return (f"fn_{name}", helper), False
        found = self._operator(name)
        if found is None:
            column = node.col_offset + 1
            where = self._op.derivative_functions
            why = f"{name!r} is no operator and no function of {where}"
            raise FormulaError(self._text, column, why)
        return (f"op_{name}", found), True
