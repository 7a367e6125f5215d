"""Types of arguments as people type them on a command line.

``int`` and ``None``; ``numpy:ndarray``, or ``ndarray`` alone where the key space
declares one such class; ``list[int]``, a list of ints; ``dim=int``, given by name.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ...runtime.given import Given, ListOf
from ...runtime.nearest import nearest
from ..imports import import_named
from ..inputs import InputError

if TYPE_CHECKING:
    from ...runtime.space import KeySpace

_LIST: Final = re.compile(r"(list|tuple)(?:\[(.*)\])?")
_NAMED: Final = re.compile(r"(\w+)=(.+)")
#: Separates the items of a list, not those of a list in it.
_COMMA: Final = re.compile(r",(?![^\[]*\])")


@dataclass(frozen=True, slots=True)
class GivenTypes:
    """The types of a call's arguments, those given by name last."""

    types: tuple[Given, ...]
    names: tuple[str, ...]


def read_types(space: KeySpace, texts: Sequence[str]) -> GivenTypes:
    """Return the types that are meant by what was typed.

    Raises InputError for a name that means no type or several, and for a positional
    argument after one that is given by name.
    """
    types: list[Given] = []
    names: list[str] = []
    for text in texts:
        named = _NAMED.fullmatch(text)
        if named:
            names.append(named[1])
        elif names:
            raise InputError(f"{text}: a positional argument follows {names[-1]!r}")
        types.append(read_type(space, named[2] if named else text))
    if len(set(names)) < len(names):
        raise InputError(f"an argument is given twice: {', '.join(names)}")
    return GivenTypes(tuple(types), tuple(names))


def read_type(space: KeySpace, text: str) -> Given:
    """Return the type that is meant by a text. Raises InputError."""
    text = text.strip()
    if text == "None":
        return type(None)
    if listed := _LIST.fullmatch(text):
        items = filter(None, _COMMA.split(listed[2] or ""))
        kind = list if listed[1] == "list" else tuple
        return ListOf(kind, frozenset(read_type(space, item) for item in items))
    if ":" in text:
        return _find_class(space, text)
    builtin = getattr(builtins, text, None)
    if isinstance(builtin, type):
        return builtin
    return _find_class(space, _declared(space, text))


def _declared(space: KeySpace, name: str) -> str:
    """Return the class of a key space that has this name alone.

    The default backend's comes before those of others: ``ndarray`` is NumPy's.
    """
    known = {**space.array_types, **space.scalar_types}
    found = [full for full in known if _class_name(full) == name]
    default = [full for full in found if known[full] == space.default_backend]
    chosen = default if len(default) == 1 else found
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise InputError(f"{name} may be {' or '.join(chosen)}: name its module")
    names = {_class_name(full) for full in known} | {"int", "float", "bool", "str"}
    raise InputError(
        f"{name} is no builtin type and no class of arrays of the key space"
        f" {space.name!r}; write module:Class.{nearest(name, sorted(names))}"
    )


def _class_name(full: str) -> str:
    return full.partition(":")[2].rpartition(".")[2]


def _find_class(space: KeySpace, full: str) -> type[Any]:
    """Return the class of a module.

    A class that the key space declares is known by its name, and its library need not
    be there. Otherwise the module is imported.
    """
    module, _, path = full.partition(":")
    declared = full in space.array_types or full in space.scalar_types
    if declared and module not in sys.modules:
        return type(_class_name(full), (), {"__module__": module, "__qualname__": path})
    try:
        found: Any = import_named(module)
    except ImportError as error:
        raise InputError(f"{full}: {error}") from error
    for name in path.split("."):
        known = dir(found)
        found = getattr(found, name, None)
        if found is None:
            raise InputError(f"{module} has no {path!r}.{nearest(name, known)}")
    if not isinstance(found, type):
        raise InputError(f"{full} is {type(found).__name__}, not a class")
    return found
