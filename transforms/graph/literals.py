"""Values as Python source: those that have a text, and names for all others.

Nothing that comes from outside becomes code: a text is written by this module or it is
the ``repr`` of a built-in type. Every other value goes by a name that is bound to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..nested import is_nested
from .dtypes import dtype_name, is_dtype
from .names import Names
from .sizes import is_size

#: Ints of more bits are written in hexadecimal: Python limits decimal digits.
_MANY_BITS: Final = 2000


class Literals:
    """Writes values, and binds names to those that cannot be written."""

    def __init__(self, names: Names) -> None:
        self._names: Final = names
        #: What the text needs as globals.
        self.bound: Final[dict[str, Any]] = {}
        self._by_identity: Final[dict[int, str]] = {}

    def text(self, value: object) -> str:
        """Return the source of one value that is no list or tuple."""
        text = written(value)
        return self.bind(value) if text is None else text

    def bind(self, value: Any, wanted: str = "") -> str:
        """Return the name of a value, always the same for one object."""
        name = self._by_identity.get(id(value))
        if name is None:
            name = self._names.new(wanted or _name_for(value))
            self._by_identity[id(value)] = name
            # This keeps it alive as well, so that no other one gets its identity.
            self.bound[name] = value
        return name


def _name_for(value: Any) -> str:
    if isinstance(value, type):
        return value.__name__
    return dtype_name(value) if is_dtype(value) else type(value).__name__.lower()


def _int(value: int) -> str:
    return hex(value) if value.bit_length() > _MANY_BITS else repr(value)


def _float(value: float) -> str:
    text = repr(value)
    return f"float({text!r})" if text.lstrip("-")[0] in "in" else text


def _complex(value: complex) -> str:
    # repr loses the sign of a zero.
    return f"complex({_float(value.real)}, {_float(value.imag)})"


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    type(None): repr,
    type(...): lambda value: "...",
    bool: repr,
    int: _int,
    float: _float,
    complex: _complex,
    str: repr,
}


def written(value: object) -> str | None:
    """Return the source of a value, None where it has none."""
    write = _WRITERS.get(type(value))
    return None if write is None else write(value)


def nested(value: Any, text: Callable[[Any], str]) -> str:
    """Return the source of an argument, ``text`` giving that of what is in lists."""
    if not is_nested(value):
        return text(value)
    if type(value) is list:
        return f"[{', '.join([nested(item, text) for item in value])}]"
    comma = "," if len(value) == 1 else ""
    return f"({', '.join([nested(item, text) for item in value])}{comma})"


def described(spec: Any) -> str:
    """Return a spec as comments show it: ``float32[s0, 20]``; empty for None."""
    if spec is None:
        return ""
    if hasattr(spec, "dtype"):
        return f"{dtype_name(spec.dtype)}[{', '.join(map(str, spec.shape))}]"
    if is_nested(spec):
        return nested(spec, described)
    if is_size(spec):
        return str(spec)
    return spec.__name__ if isinstance(spec, type) else str(spec)


def comment(text: str) -> str:
    """Return some text so that it stays within a comment, whatever it holds."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
