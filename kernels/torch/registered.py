"""What PyTorch has registered: its kernels, fallbacks and keys, as it prints them.

PyTorch has no other way to list them. The text is that of ``Dispatcher::dumpState`` and
``OperatorEntry::dumpState``; tests hold what is read here against whole tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from torch import _C

_REGISTRATION: Final = re.compile(r"(\w+)(?:\[alias\])?: (.*) :: .* \[ (.*)\]")
_FALLBACK: Final = re.compile(r"(\w+): (fallthrough )?(.*) \[backend fallback\]")


class Registered(NamedTuple):
    """One kernel of PyTorch's."""

    #: Where it was registered, in PyTorch's words.
    site: str
    #: Whether dispatch passes over the key.
    is_fallthrough: bool


def registered_kernels(operator: str) -> dict[str, Registered]:
    """Return the active kernel at each key and alias key of an operator.

    ``operator`` is its name with the namespace, ``aten::mul.Tensor``.
    """
    found: dict[str, Registered] = {}
    for line in _C._dispatch_dump(operator).splitlines():
        match = _REGISTRATION.fullmatch(line)
        if match:
            key, site, forms = match.groups()
            found[key] = Registered(site, "fallthrough" in forms.split())
    return found


def registered_fallbacks() -> dict[str, Registered]:
    """Return the backend fallback of each key that has one.

    An operator without any kernel has nothing else in its table, so one is asked that
    is defined for the purpose.
    """
    library = _C._dispatch_library("FRAGMENT", "keyslot_bare", "")
    library.define("bare(Tensor self) -> Tensor")
    lines = _C._dispatch_dump_table("keyslot_bare::bare").splitlines()
    del library
    matches = (_FALLBACK.fullmatch(line) for line in lines)
    return {m[1]: Registered(m[3], m[2] is not None) for m in matches if m}


@cache
def keys_by_name() -> Mapping[str, Any]:
    """Return PyTorch's runtime and alias keys by name.

    The enum of Python has them all, but names only some.
    """
    return dict(_keys())


def _keys() -> Iterator[tuple[str, Any]]:
    yield "Undefined", _C.DispatchKey.Undefined
    for value in range(1, _C.DispatchKey.EndOfAutogradFunctionalityBackends.value + 1):
        key = _C.DispatchKey(value)
        # Functionalities per backend and marks between keys make an empty set.
        for name in key_names(_C.DispatchKeySet(key)):
            yield name, key
    for name, key in _C.DispatchKey.__members__.items():
        if _C._dispatch_is_alias_key(key):
            yield name, key


def key_names(keyset: Any) -> tuple[str, ...]:
    """Return the names of the keys in one of PyTorch's key sets, lowest first."""
    inside = str(keyset).removeprefix("DispatchKeySet(").removesuffix(")")
    return tuple(name for name in inside.split(", ") if name)


def keyset_of(keys: tuple[str, ...]) -> Any:
    """Return PyTorch's set of some keys. It is a product of backends and the rest."""
    together = _C.DispatchKeySet(_C.DispatchKey.Undefined)
    for key in keys:
        together = together | _C.DispatchKeySet(keys_by_name()[key])
    return together
