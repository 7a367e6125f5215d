"""What PyTorch has registered: its kernels, fallbacks and keys, as it prints them.

PyTorch has no other way to list them; tests hold what is read here against whole
tables. The tables that it prints are computed afresh from what is registered. Those
that its calls read are stored, and may lag behind: see docs/pytorch_tables.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count
from typing import Any, Final

from torch import _C

from .printed import (
    FALLBACK_RULE,
    PrintedCell,
    Registered,
    read_registrations,
    read_table,
)

#: Names for operators that are only there to be asked.
_numbers: Final = count()


def registered_kernels(operator: str) -> dict[str, Registered]:
    """Return the kernel in force at each key and alias key of an operator.

    ``operator`` is its name with the namespace, ``aten::mul.Tensor``. An operator that
    PyTorch does not know has no kernels; one that has kernels need not be defined.
    Functionalities such as ``Dense`` are no keys, though PyTorch takes kernels there.

    Raises UnreadableTextError where PyTorch prints what is not known here.
    """
    stacks = read_registrations(_C._dispatch_dump(operator)).items()
    return {key: stack[0] for key, stack in stacks if key in keys_by_name()}


def computed_table(operator: str) -> dict[str, PrintedCell]:
    """Return the cells of an operator's table by key, computed now by PyTorch.

    Keys without any kernel are left out.

    Raises UnreadableTextError where PyTorch prints what is not known here.
    """
    return read_table(_C._dispatch_dump_table(operator))


def registered_fallbacks() -> dict[str, Registered]:
    """Return the backend fallback of each key that has one.

    An operator without any kernel has nothing else in its table, so one is asked that
    is defined for the purpose.

    Raises UnreadableTextError where PyTorch prints what is not known here.
    """
    library = _C._dispatch_library("FRAGMENT", "keyslot_bare", "")
    # A name of its own: another thread may ask at the same time.
    name = f"bare{next(_numbers)}"
    library.define(f"{name}(Tensor self) -> Tensor")
    cells = computed_table(f"keyslot_bare::{name}")
    # This takes the operator away. So would `reset`, which tells all who watch it.
    del library
    return {
        key: Registered(cell.site, cell.is_fallthrough)
        for key, cell in cells.items()
        if cell.rule == FALLBACK_RULE
    }


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
