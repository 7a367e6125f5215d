"""Operators and arrays for tests of calls."""

from __future__ import annotations

import pydoc
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import numpy as np

import keyslot
from keyslot import Library, OpOverload, register_array_type, rename_backend

#: The shipped operators, to be called in ways that type checkers refuse.
ops: Any = keyslot.ops

a: Any = np.array([1.0, 2.0])


class Mine:
    """An array of the user's own, as awkward to compare as arrays are."""

    __hash__ = None  # type: ignore[assignment] # as for arrays

    def __eq__(self, other: object) -> Any:
        return np.array([True, False])

    def __bool__(self) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    def __len__(self) -> int:
        raise TypeError("len() of an array without dimensions")

    def __repr__(self) -> str:
        return "Mine()"


@contextmanager
def mine_registered() -> Generator[None]:
    """Make `Mine` an array of PrivateUse1, a backend that also goes by ``mine``."""
    with (
        register_array_type(Mine, "PrivateUse1"),
        rename_backend("PrivateUse1", "mine"),
    ):
        yield


def seen(*args: Any, **kwargs: Any) -> str:
    """Return the arguments of a call as text; as a kernel, what it was given."""
    named = [f"{name}={value!r}" for name, value in kwargs.items()]
    return f"({', '.join([*map(repr, args), *named])})"


def last(*args: Any, **kwargs: Any) -> Any:
    """Return the last argument; as a kernel, the very object that it was given."""
    return [*args, *kwargs.values()][-1]


def help_page(thing: object) -> str:
    """Return what ``help`` prints."""
    plain: Any = vars(pydoc)["plaintext"]
    return pydoc.render_doc(thing, renderer=plain)


def reports(answer: object) -> Callable[..., Any]:
    """Return a kernel that ignores its arguments and returns ``answer``."""
    return lambda *args, **kwargs: answer


def define(
    library: Library,
    schema: str,
    kernel: Any = seen,
    key: str = "NumPy",
    *,
    tags: str | tuple[str, ...] = (),
) -> OpOverload:
    """Define an overload with one kernel; by default one that returns what it got."""
    op: OpOverload = library.define(schema, tags=tags).op
    library.impl(op, kernel, key)
    return op
