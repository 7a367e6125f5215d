"""What a schema says: immutable values that print as the text they were read from.

Types and alias marks are kept apart. ``Tensor(a!)[] out`` has the type
``ListType(BaseType("Tensor"))``, equal to that of ``Tensor[] out``, and the mark
``(a!)`` at its innermost level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from .schema_literals import WORDS_FOR_INTS, Default, Word, read_literal

#: Types that no value can be told apart by.
_SYMBOLIC: Final = (("SymInt", "int"), ("SymBool", "bool"))
#: The alias set of which nothing is known: it may share memory with anything.
WILDCARD: Final = "*"

_AUGMENTED: Final = frozenset(
    f"__i{name}__"
    for name in (
        *("add", "sub", "mul", "div", "mod", "pow"),
        *("lshift", "rshift", "and", "xor", "or"),
    )
)


@dataclass(frozen=True, slots=True)
class AliasSet:
    """An alias mark: which memory a value shares, and whether it is written to.

    ``(a! -> b|c)`` has ``before == ("a",)``, ``is_write`` and ``after == ("b", "c")``;
    ``after`` is empty where the text has no arrow. The notation is PyTorch's, see
    "Annotations" in ``aten/src/ATen/native/README.md``.
    """

    before: tuple[str, ...]
    is_write: bool = False
    after: tuple[str, ...] = ()

    @property
    def is_wildcard(self) -> bool:
        """Whether the mark is ``(*)``."""
        return self.before == (WILDCARD,)

    def __str__(self) -> str:
        write = "!" if self.is_write else ""
        after = f" -> {'|'.join(self.after)}" if self.after else ""
        return f"({'|'.join(self.before)}{write}{after})"


#: The alias marks of a type, one a level from the innermost outwards; the levels after
#: the last mark are left away, so a type without marks has ``()``.
Marks: TypeAlias = tuple[AliasSet | None, ...]


@dataclass(frozen=True, slots=True)
class BaseType:
    """A type that holds no other: ``Tensor``, ``int``, a class of TorchScript."""

    #: What tells types apart for whoever does not import their classes.
    kind: ClassVar[Literal["base"]] = "base"
    name: str

    @property
    def base(self) -> BaseType:
        """The type itself."""
        return self

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class OptionalType:
    """``element?``: a value or ``None``."""

    kind: ClassVar[Literal["optional"]] = "optional"
    element: Type

    @property
    def base(self) -> BaseType:
        """The innermost type."""
        return self.element.base

    def __str__(self) -> str:
        return f"{self.element}?"


@dataclass(frozen=True, slots=True)
class ListType:
    """``element[]``, or ``element[2]`` for a list that one value can stand for."""

    kind: ClassVar[Literal["list"]] = "list"
    element: Type
    size: int | None = None

    @property
    def base(self) -> BaseType:
        """The innermost type."""
        return self.element.base

    @property
    def suffix(self) -> str:
        """What the text has after the element: ``[]`` or ``[2]``."""
        return "[]" if self.size is None else f"[{self.size}]"

    def __str__(self) -> str:
        return f"{self.element}{self.suffix}"


Type: TypeAlias = BaseType | OptionalType | ListType


def _levels(type: Type) -> Iterator[str]:
    """Yield the text that each level of a type adds, from the innermost outwards."""
    if isinstance(type, BaseType):
        yield type.name
    else:
        yield from _levels(type.element)
        yield "?" if isinstance(type, OptionalType) else type.suffix


def _marked(type: Type, marks: Marks) -> str:
    """Return the text of a type with its alias marks at their places."""
    if not marks:
        return str(type)
    levels = list(_levels(type))
    shown = [str(mark or "") for mark in marks] + [""] * (len(levels) - len(marks))
    return "".join(level + mark for level, mark in zip(levels, shown, strict=True))


def _outermost(marks: Marks) -> AliasSet | None:
    return marks[-1] if marks else None


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: ``int[2]? size=None``.

    ``default_text`` is the default as written, or ``None`` where there is none.
    """

    name: str
    type: Type
    marks: Marks = ()
    keyword_only: bool = False
    default_text: str | None = None

    @property
    def alias(self) -> AliasSet | None:
        """The alias mark; where a list and its elements have one each, the list's."""
        return _outermost(self.marks)

    @property
    def is_write(self) -> bool:
        """Whether the operator writes to the argument or to an element of it."""
        return any(mark is not None and mark.is_write for mark in self.marks)

    @property
    def has_default(self) -> bool:
        """Whether a call may leave the argument away."""
        return self.default_text is not None

    @property
    def default(self) -> Default:
        """The default as a Python value, a list made anew at each reading.

        A bare word such as ``contiguous_format`` is a ``Word``, a string, or the number
        that it stands for where the argument is an int. Without any
        default this is ``None``, as with the default ``None``: ask ``has_default``.
        """
        if self.default_text is None:
            return None
        default = read_literal(self.default_text)
        if isinstance(default, Word) and self.type.base.name == "int":
            return WORDS_FOR_INTS[default]
        return default

    def __str__(self) -> str:
        default = "" if self.default_text is None else f"={self.default_text}"
        return f"{_marked(self.type, self.marks)} {self.name}{default}"


@dataclass(frozen=True, slots=True)
class Return:
    """One result: ``Tensor(a!) values``, or without a name."""

    name: str | None
    type: Type
    marks: Marks = ()

    @property
    def alias(self) -> AliasSet | None:
        """The alias mark; where a list and its elements have one each, the list's."""
        return _outermost(self.marks)

    def __str__(self) -> str:
        name = "" if self.name is None else f" {self.name}"
        return f"{_marked(self.type, self.marks)}{name}"


@dataclass(frozen=True, slots=True)
class FunctionSchema:
    """The declaration of one overload: its names, arguments and results.

    ``str()`` gives back the text it was read from, but for white space between tokens.
    """

    namespace: str | None
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]

    @property
    def as_called(self) -> tuple[object, ...]:
        """What calls tell overloads apart by: the operator, and names and types."""
        arguments = (
            (arg.name, _plain(str(arg.type)), arg.keyword_only, arg.has_default)
            for arg in self.arguments
        )
        return self.name, *arguments

    @property
    def overload_name(self) -> str:
        """The name of the overload on its packet: ``default`` if it has none."""
        return self.overload or "default"

    @property
    def qualified(self) -> str:
        """The name and the overload without the namespace: ``add.Tensor``, ``add``."""
        return f"{self.name}.{self.overload}" if self.overload else self.name

    @property
    def positional(self) -> tuple[Argument, ...]:
        """The arguments before the ``*``."""
        return tuple(arg for arg in self.arguments if not arg.keyword_only)

    @property
    def keyword_only(self) -> tuple[Argument, ...]:
        """The arguments after the ``*``, ``out`` arguments included."""
        return tuple(arg for arg in self.arguments if arg.keyword_only)

    @property
    def out(self) -> tuple[Argument, ...]:
        """The keyword-only arguments that are written to."""
        return tuple(arg for arg in self.arguments if arg.keyword_only and arg.is_write)

    @property
    def is_inplace(self) -> bool:
        """Whether the name says that ``self`` is changed: ``add_``, ``__iadd__``."""
        if self.name.startswith("__") and self.name.endswith("__"):
            return self.name in _AUGMENTED
        return self.name.endswith("_")

    @property
    def is_out(self) -> bool:
        """Whether results are written to arguments given for them."""
        return bool(self.out)

    @property
    def is_mutable(self) -> bool:
        """Whether any argument is written to."""
        return any(arg.is_write for arg in self.arguments)

    @property
    def is_view(self) -> bool:
        """Whether a result shares the memory of an argument that is not written to."""
        marks = [mark for ret in self.returns for mark in ret.marks if mark is not None]
        return any(not mark.is_write for mark in marks)

    def __str__(self) -> str:
        namespace = "" if self.namespace is None else f"{self.namespace}::"
        return f"{namespace}{self.qualified}({self._arguments()}) -> {self._returns()}"

    def _arguments(self) -> str:
        parts = [str(arg) for arg in self.arguments]
        for index, arg in enumerate(self.arguments):
            if arg.keyword_only:
                parts.insert(index, "*")
                break
        return ", ".join(parts)

    def _returns(self) -> str:
        text = ", ".join(map(str, self.returns))
        return text if len(self.returns) == 1 else f"({text})"


def _plain(type: str) -> str:
    for symbolic, plain in _SYMBOLIC:
        type = type.replace(symbolic, plain)
    return type
