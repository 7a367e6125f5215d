"""Operators for tests of dispatch, made at run time and gone after the test."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from typing import Any

import numpy as np

from keyslot import Library, with_keyset
from keyslot.generated.keys import SPACE
from keyslot.runtime.resolver import EXPLICIT, IMPLICIT, SERVE_UNDEFINED
from keyslot.runtime.space import UNDEFINED, KeySpace, NamedKey

UNARY = "f(Tensor x) -> Tensor"
#: The keys at which the key space itself has something for operators without a kernel.
BUILT_IN = (*SPACE.fallthrough, *SPACE.fallbacks)
_numbers = count()


class Foreign:
    """An array of a library that nobody knows, for `register_array_type`."""


def array() -> Any:
    """Return an array of the backend NumPy, which brings NumPy and AutogradNumPy."""
    return np.zeros(2)


def names(keyset: Any) -> list[str]:
    """Return the names of the keys of a key set, highest first."""
    return [key.name for key in reversed([*keyset])]


def answer(value: object) -> Callable[..., Any]:
    """Return a kernel that returns ``value`` whatever it is given."""

    def kernel(*_args: Any, **_named: Any) -> Any:
        return value

    return kernel


def unary(kernel: Callable[[Any], Any]) -> Any:
    """Return a kernel of one argument as it is; a lambda gets its types from here."""
    return kernel


def binary(kernel: Callable[[Any, Any], Any]) -> Any:
    """Return a kernel of two arguments as it is; a lambda gets its types from here."""
    return kernel


def with_keys(kernel: Callable[[Any, Any], Any]) -> Any:
    """Return a kernel that takes the key set and one argument."""
    return with_keyset(kernel)


def fresh_namespace() -> str:
    """Return a namespace that no other test uses."""
    return f"tested{next(_numbers)}"


@contextmanager
def fresh_library() -> Generator[Library]:
    """Yield a Library that defines a namespace of its own."""
    with Library(fresh_namespace(), "DEF") as library:
        yield library


@contextmanager
def operator(schema: str = UNARY, /, **kernels: Any) -> Generator[tuple[Library, Any]]:
    """Yield a Library with one operator, which has these kernels by key."""
    with fresh_library() as library:
        op = library.define(schema).op
        for key, kernel in kernels.items():
            library.impl(op, kernel, key)
        yield library, op


def cells_reading(space: KeySpace, key: str | NamedKey) -> tuple[str, ...]:
    """Return the runtime keys whose cells may change with a registration at ``key``.

    ``key`` may be an alias key. No other cell of the operator depends on it.
    """
    name = space.check(key, alias_ok=True)
    cells = set(space.expand(name))
    if name in SERVE_UNDEFINED:
        cells.add(UNDEFINED)
    if name == EXPLICIT:
        # It counts as a backend kernel wherever CompositeImplicitAutograd asks.
        cells.update(space.aliases.get(IMPLICIT, ()))
    for autograd, backends in space.autograd_backends.items():
        if name in backends:
            cells.add(autograd)
    if space.autograd_other is not None and name in space.behind_autograd_other:
        cells.add(space.autograd_other)
    return tuple(cell for cell in space.keys if cell in cells)
