"""`ShapeEnv`: the symbols of one traced program, and the guards on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Any, Final, Self, final

from ...runtime.errors import GuardError
from ...runtime.frames import user_line
from .compiling import compile_expression
from .expression import Expression, hint_of
from .guards import Guard, true_of
from .inputs import Inputs
from .knowledge import SMALLEST_SIZE, Knowledge
from .operations import SYMBOL
from .sym_bool import SymBool
from .sym_number import SymInt
from .sympy_form import simplify
from .writing import Writer

Size = int | SymInt
Shape = tuple[Size, ...]
#: What is made again rather than copied.
_NOT_PICKLED: Final = ("_lock", "_functions", "_accepts")


@final
class ShapeEnv:
    """Makes symbols for the sizes of example arrays, and records what is asked of them.

    Sizes 0 and 1 stay plain numbers, for they decide about broadcasting and emptiness.
    With ``duck_shape``, as in PyTorch's make_fx, sizes that are equal in the example
    share a symbol and have to be equal ever after. Without it each size has a symbol of
    its own, and a program that needs some to be equal leaves a guard.

    Like an operator it is itself what it stands for: a copy of it is the same.
    """

    def __init__(self, *, duck_shape: bool = True) -> None:
        self.duck_shape: Final = duck_shape
        #: The guards, in the order in which they were recorded.
        self.guards: Final[list[Guard]] = []
        #: Every expression by its operation and operands; see `Expression`.
        self.expressions: Final[dict[tuple[Any, ...], Any]] = {}
        self._inputs: Final = Inputs()
        self._knowledge: Final = Knowledge()
        self._by_size: Final[dict[int, SymInt]] = {}
        self._make_caches()

    def _make_caches(self) -> None:
        self._lock = RLock()
        self._functions: dict[Expression, Any] = {}
        self._accepts: Callable[..., bool] | None = None

    @property
    def symbols(self) -> tuple[SymInt, ...]:
        """The symbols, in the order in which they were created."""
        return tuple(self._inputs.symbols)

    @property
    def sources(self) -> dict[SymInt, str]:
        """How the program has the size of each symbol: ``x.shape[0]``."""
        return {symbol: d.source for symbol, d in self._inputs.symbols.items()}

    def create_symbols(self, shape: Sequence[Size], source: str) -> Shape:
        """Return symbolic sizes for an example array that messages call ``source``.

        Where a program is traced within another one that is traced, the example has
        the sizes of the example there.
        """
        with self._lock:
            sizes = tuple(self._size(hint_of(size)) for size in shape)
            self._inputs.add(source, sizes)
            self._accepts = None
        return sizes

    def _size(self, size: int) -> Size:
        if size < SMALLEST_SIZE:
            return size
        if self.duck_shape and size in self._by_size:
            return self._by_size[size]
        name = f"s{self._knowledge.symbol_count}"
        symbol = SymInt(self, SYMBOL, (name,), size)
        self.expressions[SYMBOL, name] = symbol
        self._knowledge.add_symbol(symbol)
        return self._by_size.setdefault(size, symbol) if self.duck_shape else symbol

    # --- what programs ask ------------------------------------------------------------

    def decide(self, condition: SymBool) -> bool:
        """Return whether a condition is true in the example.

        Unless it is so for all sizes that the guards admit, a guard is recorded.
        """
        with self._lock:
            answer = self._knowledge.answer(condition)
            if answer is None:
                answer = condition.hint
                self._record(true_of(condition, answer))
        return answer

    def specialise(self, value: Expression) -> Any:
        """Return the value of an expression in the example, and fix it to that."""
        bool(value == value.hint)
        return value.hint

    def _record(self, conditions: Sequence[SymBool]) -> None:
        line = user_line()
        for condition in conditions:
            if self._knowledge.answer(condition) is None:
                self.guards.append(Guard(condition, line))
                self._knowledge.learn(condition)
        self._accepts = None

    # --- other sizes ------------------------------------------------------------------

    def accepts(self, *shapes: Sequence[int]) -> bool:
        """Whether the program would do the same with arrays of other shapes."""
        if len(shapes) != len(self._inputs.names):
            return False
        if self._accepts is None:
            conditions = [guard.condition for guard in self.guards]
            self._accepts = self._inputs.compile_check(conditions)
        return self._accepts(*shapes)

    def check(self, *shapes: Sequence[int]) -> None:
        """Raise GuardError, which lists what is not true of arrays of other shapes."""
        if not self.accepts(*shapes):
            binding = self.bind(*shapes)
            failed = [
                *self._inputs.wrong_sizes(shapes),
                *(str(g) for g in self.guards if not self._holds(g, binding)),
            ]
            raise GuardError(self._inputs.described(shapes), tuple(failed))

    def _holds(self, guard: Guard, binding: Mapping[SymInt, int]) -> bool:
        try:
            return bool(self.evaluate(guard.condition, binding))
        except (ArithmeticError, ValueError):
            return False

    def bind(self, *shapes: Sequence[int]) -> dict[SymInt, int]:
        """Return the values of the symbols for arrays of other shapes.

        Guards are not looked at. Raises GuardError where there are more or fewer arrays
        or dimensions than in the example.
        """
        return self._inputs.bind(shapes)

    def evaluate(self, value: Any, binding: Mapping[SymInt, int]) -> Any:
        """Return the value of an expression, or of a plain number, for other sizes."""
        if not isinstance(value, Expression):
            return value
        found = self._functions.get(value)
        if found is None:
            found = self._functions[value] = compile_expression(value)
        symbols, function = found
        return function(*[binding[symbol] for symbol in symbols])

    # --- text -------------------------------------------------------------------------

    def simplify(self, value: Any) -> Any:
        """Return an expression of integers, or a condition, as SymPy simplifies it."""
        return simplify(value)

    def render(self, value: Any, names: Mapping[SymInt, str] | None = None) -> str:
        """Return an expression or a number as Python source.

        Symbols appear by the names given for them, or by their own, ``s0``.
        """
        return Writer(names or {}).text(value)

    # --- copies -----------------------------------------------------------------------

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {n: v for n, v in vars(self).items() if n not in _NOT_PICKLED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._make_caches()
