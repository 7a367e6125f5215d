"""`SymInt` and `SymFloat`: numbers that a program computes from sizes of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...runtime.symbols import SymbolicFloat, SymbolicInt
from .expression import Expression, apply, combine

if TYPE_CHECKING:
    from .shape_env import ShapeEnv


class SymNumber(Expression):
    """Arithmetic and comparisons of symbolic numbers, with plain ones too.

    Arithmetic gives further symbolic numbers and asks nothing. A comparison gives a
    `SymBool`, or plain ``True`` or ``False`` where it is seen at a glance.
    """

    __slots__ = ()
    # Equal sizes of two dimensions are two keys: see Expression.
    __hash__ = object.__hash__

    def __add__(self, other: Any) -> Any:
        return combine(self.env, "+", self, other)

    def __radd__(self, other: Any) -> Any:
        return combine(self.env, "+", other, self)

    def __sub__(self, other: Any) -> Any:
        return combine(self.env, "-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return combine(self.env, "-", other, self)

    def __mul__(self, other: Any) -> Any:
        return combine(self.env, "*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return combine(self.env, "*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return combine(self.env, "/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return combine(self.env, "/", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return combine(self.env, "//", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return combine(self.env, "//", other, self)

    def __mod__(self, other: Any) -> Any:
        return combine(self.env, "%", self, other)

    def __rmod__(self, other: Any) -> Any:
        return combine(self.env, "%", other, self)

    def __divmod__(self, other: Any) -> Any:
        quotient = self // other
        return (
            NotImplemented if quotient is NotImplemented else (quotient, self % other)
        )

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any) -> Any:
        return _power(self.env, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _power(self.env, other, self)

    def __neg__(self) -> Any:
        return apply(self.env, "neg", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return apply(self.env, "abs", self)

    def __eq__(self, other: object) -> Any:
        return True if self is other else combine(self.env, "==", self, other)

    def __ne__(self, other: object) -> Any:
        return False if self is other else combine(self.env, "!=", self, other)

    def __lt__(self, other: Any) -> Any:
        return combine(self.env, "<", self, other)

    def __le__(self, other: Any) -> Any:
        return combine(self.env, "<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return combine(self.env, ">", self, other)

    def __ge__(self, other: Any) -> Any:
        return combine(self.env, ">=", self, other)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __int__(self) -> int:
        return int(self.env.specialise(self))

    def __float__(self) -> float:
        return float(self.env.specialise(self))


class SymInt(SymNumber, SymbolicInt, hint_type=int):
    """An integer made of sizes of arrays, such as ``s0*s1 + 1``.

    Where Python needs a plain int, as in ``range(n)`` or ``items[n]``, the program is
    fixed to the value of the example, which is recorded as a guard ``s0 == 10``.
    """

    __slots__ = ()

    def __index__(self) -> int:
        return int(self)

    def __and__(self, other: Any) -> Any:
        return combine(self.env, "&", self, other)

    def __rand__(self, other: Any) -> Any:
        return combine(self.env, "&", other, self)

    def __or__(self, other: Any) -> Any:
        return combine(self.env, "|", self, other)

    def __ror__(self, other: Any) -> Any:
        return combine(self.env, "|", other, self)

    def __xor__(self, other: Any) -> Any:
        return combine(self.env, "^", self, other)

    def __rxor__(self, other: Any) -> Any:
        return combine(self.env, "^", other, self)

    def __lshift__(self, other: Any) -> Any:
        return combine(self.env, "<<", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return combine(self.env, "<<", other, self)

    def __rshift__(self, other: Any) -> Any:
        return combine(self.env, ">>", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return combine(self.env, ">>", other, self)

    def __round__(self, digits: int | None = None) -> SymInt:
        return self

    def __trunc__(self) -> SymInt:
        return self

    def __floor__(self) -> SymInt:
        return self

    def __ceil__(self) -> SymInt:
        return self


class SymFloat(SymNumber, SymbolicFloat, hint_type=float):
    """A float made of sizes of arrays, such as ``s0 / 2``."""

    __slots__ = ()

    def __trunc__(self) -> Any:
        return apply(self.env, "int", self)

    def __floor__(self) -> Any:
        return apply(self.env, "int", self // 1)

    def __ceil__(self) -> Any:
        return -apply(self.env, "int", -self // 1)


def _power(env: ShapeEnv, base: Any, exponent: Any) -> Any:
    # An integer to the power of one is an integer or a float, by the sign of it.
    if isinstance(exponent, SymInt):
        bool(exponent >= 0)
    return combine(env, "**", base, exponent)
