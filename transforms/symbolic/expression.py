"""Expressions over the sizes of arrays, each there once.

An expression is an operation and its operands, other expressions or plain numbers. A
`ShapeEnv` keeps those it has made in a dict, so that the same operation on the same
operands gives the very same object: asking whether two expressions are the same is
``is``, an expression is made once however often a program computes it, and no operation
makes more than one small object.
"""

from __future__ import annotations

import numbers
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ...runtime.errors import ComplexSizeError, MixedShapeEnvsError
from .operations import FUNCTIONS
from .simplification import RULES

if TYPE_CHECKING:
    from typing import Self

    from .shape_env import ShapeEnv

#: Which class of expressions has values of a type, for example SymInt those of int.
_CLASSES: Final[dict[type, type[Expression]]] = {}
#: What takes part in arithmetic as it is.
_OPERANDS: Final[set[type]] = {int}


class Expression:
    """What all expressions have in common. Only a `ShapeEnv` makes them.

    They are immutable, and equal only if they are the same: their hash is that of the
    object. So tuples of sizes are found in dicts without a question to the program, and
    the sizes of two dimensions are two keys as long as they could differ.
    """

    __slots__ = ("env", "hint", "number", "operands", "operation")

    #: What it belongs to.
    env: Final[ShapeEnv]
    #: A key of ``OPERATIONS``, or ``symbol``.
    operation: Final[str]
    #: Expressions of the same environment and plain numbers; of a symbol its name.
    operands: Final[tuple[Any, ...]]
    #: The value in the example that the program is traced with.
    hint: Final[Any]
    #: How many expressions there were before.
    number: Final[int]

    #: The type of the values; the class with a type is the one of its expressions.
    hint_type: ClassVar[type]

    def __init_subclass__(cls, hint_type: type | None = None) -> None:
        if hint_type is not None:
            cls.hint_type = hint_type
            _CLASSES[hint_type] = cls
            if hint_type is not bool:
                _OPERANDS.add(cls)

    def __init__(
        self, env: ShapeEnv, operation: str, operands: tuple[Any, ...], hint: Any
    ) -> None:
        self.env = env
        self.operation = operation
        self.operands = operands
        self.hint = hint
        self.number = len(env.expressions)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return self.env.render(self)

    def __format__(self, spec: str) -> str:
        # A format such as `d` is one of numbers, and fixes the value.
        return format(self.hint_type(self), spec) if spec else str(self)


def combine(env: ShapeEnv, operation: str, left: Any, right: Any) -> Any:
    """Return an operation on two operands: an expression, or a number if it is known.

    NotImplemented where an operand is no number. Raises MixedShapeEnvsError.
    """
    key = (operation, left, right)
    if type(left) not in _OPERANDS or type(right) not in _OPERANDS:
        left, right = _operand(left), _operand(right)
        if left is NotImplemented or right is NotImplemented:
            return NotImplemented
        key = (operation, _in_key(left), _in_key(right))
    found = env.expressions.get(key)
    if found is None:
        # Of two threads that make it the first keeps it.
        found = env.expressions.setdefault(key, _combined(env, operation, left, right))
    return found


def _combined(env: ShapeEnv, operation: str, left: Any, right: Any) -> Any:
    a = left.hint if isinstance(left, Expression) else left
    b = right.hint if isinstance(right, Expression) else right
    if getattr(left, "env", env) is not getattr(right, "env", env):
        raise MixedShapeEnvsError(operation, str(left), str(right))
    if type(a) is int and type(b) is int and operation in RULES:
        simple = RULES[operation](left, right)
        if simple is not None:
            return simple
    hint = FUNCTIONS[operation](a, b)
    return _class_of(hint)(env, operation, (left, right), hint)


def apply(env: ShapeEnv, operation: str, *operands: Any) -> Any:
    """Return the expression of an operation on operands, as it is."""
    key = (operation, *map(_in_key, operands))
    found = env.expressions.get(key)
    if found is None:
        hint = FUNCTIONS[operation](*map(hint_of, operands))
        made = _class_of(hint)(env, operation, operands, hint)
        found = env.expressions.setdefault(key, made)
    return found


def hint_of(value: Any) -> Any:
    """Return the value of an expression or a number in the example."""
    return value.hint if isinstance(value, Expression) else value


def in_order(roots: Iterable[Any], done: Container[Any] = ()) -> Iterator[Expression]:
    """Yield expressions and all they are made of, each once, operands first.

    Those that are ``done`` are left out, with what only they are made of.
    """
    seen: set[Expression] = set()
    # Not recursive: a program that adds up in a loop makes deep expressions.
    waiting = [*roots][::-1]
    while waiting:
        each = waiting[-1]
        if not isinstance(each, Expression) or each in seen or each in done:
            waiting.pop()
        elif missing := [
            operand
            for operand in reversed(each.operands)
            if isinstance(operand, Expression)
            and operand not in seen
            and operand not in done
        ]:
            waiting += missing
        else:
            seen.add(waiting.pop())
            yield each


def _operand(value: Any) -> Any:
    """Return a number in the form that expressions have it, or NotImplemented."""
    if type(value) in _OPERANDS:
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if isinstance(value, numbers.Real) else NotImplemented


def _in_key(operand: Any) -> Any:
    # 1 and 1.0 are equal, as are 0.0 and -0.0, and they are not the same operands.
    return repr(operand) if type(operand) is float else operand


def _class_of(hint: object) -> type[Expression]:
    found = _CLASSES.get(type(hint))
    if found is None:
        raise ComplexSizeError(repr(hint))
    return found
