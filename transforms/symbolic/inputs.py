"""The example arrays of a traced program, and what their sizes say of other arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from ...runtime.errors import GuardError
from .compiling import compile_function, statements
from .knowledge import SMALLEST_SIZE
from .operations import OPERATIONS
from .sym_bool import SymBool
from .sym_number import SymInt
from .writing import Writer


class Dimension(NamedTuple):
    """A dimension of an example array."""

    #: Which of the arrays, and which of its dimensions.
    array: int
    place: int
    #: How the program has its size: ``x.shape[0]``.
    source: str
    #: A symbol, or a number that other arrays have to have there too.
    size: Any


class Inputs:
    """The example arrays."""

    def __init__(self) -> None:
        self.names: Final[list[str]] = []
        self.ranks: Final[list[int]] = []
        self.dimensions: Final[list[Dimension]] = []
        #: Where each symbol is found first.
        self.symbols: Final[dict[SymInt, Dimension]] = {}

    def add(self, name: str, sizes: Sequence[Any]) -> None:
        """Add an array, with symbolic sizes."""
        for place, size in enumerate(sizes):
            source = f"{name}.shape[{place}]"
            dimension = Dimension(len(self.names), place, source, size)
            self.dimensions.append(dimension)
            if isinstance(size, SymInt):
                self.symbols.setdefault(size, dimension)
        self.names.append(name)
        self.ranks.append(len(sizes))

    def bind(self, shapes: Sequence[Sequence[int]]) -> dict[SymInt, int]:
        """Return the values of the symbols for arrays of other shapes.

        Raises GuardError where there are more or fewer arrays or dimensions.
        """
        if wrong := [*self._wrong_ranks(shapes)]:
            raise GuardError(self.described(shapes), tuple(wrong))
        return {symbol: shapes[d.array][d.place] for symbol, d in self.symbols.items()}

    def described(self, shapes: Sequence[Sequence[int]]) -> str:
        """Return other shapes as text, each after the name of its array."""
        names = [*self.names, *["?"] * len(shapes)]
        each = zip(names, shapes, strict=False)
        return ", ".join(f"{name}: {tuple(shape)}" for name, shape in each)

    def wrong_sizes(self, shapes: Sequence[Sequence[int]]) -> Iterator[str]:
        """Yield what is to be true of the sizes of other arrays and is not."""
        for dimension in self.dimensions:
            given, size = shapes[dimension.array][dimension.place], dimension.size
            first = self.symbols.get(size)
            if first is None and given != size:
                wanted = f"== {size}, as in the example"
            elif first is dimension and given < SMALLEST_SIZE:
                wanted = f">= {SMALLEST_SIZE}, as in the example"
            elif first and given != (same := shapes[first.array][first.place]):
                wanted = f"== {first.source}, which is {same}"
            else:
                continue
            yield f"{dimension.source} {wanted}, not {given}"

    def compile_check(self, conditions: Sequence[SymBool]) -> Callable[..., bool]:
        """Return a function of shapes: whether they are as in the example.

        The conditions have to be true of them too.
        """
        shapes = [f"shape{n}" for n in range(len(self.names))]
        ranks = zip(shapes, self.ranks, strict=True)
        writer = Writer({})
        parts = statements(conditions, writer)
        body = [
            *_return_false_if([f"len({shape}) != {rank}" for shape, rank in ranks]),
            *(f"{s} = shape{d.array}[{d.place}]" for s, d in self.symbols.items()),
            *_return_false_if([*self._misfits()]),
            *_without_errors([*parts, f"return {_all_of(conditions, writer)}"]),
        ]
        return compile_function("accepts", ", ".join(shapes), body)

    def _misfits(self) -> Iterator[str]:
        """Yield the source of what is true of sizes that are not as in the example."""
        for dimension in self.dimensions:
            size = dimension.size
            if self.symbols.get(size) is dimension:
                yield f"{size} < {SMALLEST_SIZE}"
            else:
                yield f"shape{dimension.array}[{dimension.place}] != {size}"

    def _wrong_ranks(self, shapes: Sequence[Sequence[int]]) -> Iterator[str]:
        if len(shapes) != len(self.names):
            yield f"there are as many arrays as in the example: {', '.join(self.names)}"
            return
        for name, rank, shape in zip(self.names, self.ranks, shapes, strict=True):
            if len(shape) != rank:
                yield f"{name}.ndim == {rank}, as in the example, not {len(shape)}"


def _return_false_if(conditions: Sequence[str]) -> list[str]:
    return [f"if {' or '.join(conditions)}:", "    return False"] if conditions else []


def _all_of(conditions: Sequence[SymBool], writer: Writer) -> str:
    precedence = OPERATIONS["and"].precedence
    texts = [writer.written(each).within(precedence) for each in conditions]
    return " and ".join(texts) or "True"


def _without_errors(lines: Sequence[str]) -> list[str]:
    # A division by what is 0 now: the program would fail there.
    body = [f"    {line}" for line in lines]
    return ["try:", *body, "except (ArithmeticError, ValueError):", "    return False"]
