"""Rules about calls and tables, for declared and derived functions alike."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..runtime.resolver import IMPLICIT, Resolution, resolve_table
from ..runtime.space import KeySpace
from .checking import (
    AUTOGRAD_ONLY,
    DOTTED_NAME,
    HIDDEN_COMPOSITE,
    UNREACHABLE_KERNEL,
    Checking,
)
from .model import Overload, at_key
from .problems import where


class Complaint(NamedTuple):
    """What a rule has against the kernels of an overload."""

    rule: str
    #: The key concerned.
    key: str
    message: str


def check_distinguishable(overloads: Sequence[Overload], checking: Checking) -> None:
    """Report overloads of one operator that every call would take for each other."""
    seen: dict[object, Overload] = {}
    for overload in overloads:
        schema = overload.schema
        first = seen.setdefault(schema.as_called, overload)
        if first is not overload:
            message = (
                f"no call can tell {schema.qualified} from {first.schema.qualified},"
                f" at {where(first.declaration.place)}: their arguments have the same"
                " names and types"
            )
            checking.add(overload.declaration, "func", message)


def check_tables(overloads: Sequence[Overload], checking: Checking) -> None:
    """Warn of kernels that no call reaches, and of composites that others hide."""
    known: dict[frozenset[str], tuple[Complaint, ...]] = {}
    for overload in overloads:
        _warn_of_dots(overload, checking)
        if not _has_keys(overload, checking):
            continue
        registered = frozenset(overload.kernels)
        if registered not in known:
            known[registered] = tuple(_complaints(checking.space, registered))
        for rule, key, message in known[registered]:
            said = f"{overload.schema.qualified}: {message}"
            kernel = overload.kernels.get(key)
            field = kernel.name if kernel and kernel.by_rule else at_key(key)
            checking.warn(overload.declaration, field, said, rule)


def _has_keys(overload: Overload, checking: Checking) -> bool:
    """Report a kernel at a key that YAML leaves unsaid and the key space lacks."""
    space = checking.space
    there = {*space.keys, *space.aliases}
    for key in overload.kernels.keys() - there:
        checking.add(
            overload.declaration,
            "func",
            f"{overload.schema.qualified} would have its kernel at {key}, which the key"
            f" space {space.name!r} lacks; name the keys of its kernels under dispatch",
        )
    return overload.kernels.keys() <= there


def _warn_of_dots(overload: Overload, checking: Checking) -> None:
    """Warn of ``numpy.sin``, which asks the kernel module of the key for ``numpy``.

    A kernel module may well have modules of its own; only one named like a module of
    Python, or of a library whose arrays the key space knows, is hardly ever meant.
    """
    for key, kernel in (overload.declaration.dispatch or {}).items():
        module, _, name = kernel.name.rpartition(".")
        meant = module.partition(".")[0] in _well_known_modules(checking.space)
        if meant and kernel.module is None and overload.derived_from is None:
            checking.warn(
                overload.declaration,
                at_key(key),
                f"{kernel.name} is looked up in the kernel module of {key}; for one of"
                f" the module {module} write {module}:{name}",
                DOTTED_NAME,
            )


def _well_known_modules(space: KeySpace) -> frozenset[str]:
    classes = space.array_types
    return sys.stdlib_module_names | {
        name.partition(".")[0].partition(":")[0] for name in classes
    }


def _complaints(space: KeySpace, registered: frozenset[str]) -> Iterator[Complaint]:
    table = resolve_table(space, registered, space.fallback_keys)
    cells = dict(zip(space.keys, table, strict=True))
    used = {cell.source for cell in table if cell.kind == "kernel"}
    for key in sorted(registered - used):
        before = sorted({str(cells[served].source) for served in space.expand(key)})
        verb = "comes" if len(before) == 1 else "come"
        message = (
            f"no call reaches the kernel at {key}: {_listed(before)} {verb} before it"
        )
        yield Complaint(UNREACHABLE_KERNEL, key, message)
    yield from _hidden_composites(space, registered, cells)
    yield from _only_autograd(space, cells)


def _hidden_composites(
    space: KeySpace, registered: frozenset[str], cells: Mapping[str, Resolution]
) -> Iterator[Complaint]:
    """Yield the composite that gives way to a kernel which is not differentiated."""
    hiding: dict[str, None] = {}
    lost: list[str] = []
    for key, backends in space.autograd_backends.items():
        found = [backend for backend in backends if backend in registered]
        serves = IMPLICIT in registered and IMPLICIT in space.aliases_of(key)
        if serves and found and cells[key].kind in ("fallback", "missing"):
            hiding.setdefault(found[0])
            lost.append(key)
    if lost:
        yield Complaint(
            HIDDEN_COMPOSITE,
            IMPLICIT,
            f"{IMPLICIT} gives way at {_listed(lost)} because of {_listed(hiding)}:"
            " calls that record gradients find no kernel there",
        )


def _only_autograd(
    space: KeySpace, cells: Mapping[str, Resolution]
) -> Iterator[Complaint]:
    """Yield the kernel that is gone as soon as a call is below autograd."""
    behind = {key for keys in space.autograd_backends.values() for key in keys}
    if any(cells[key].kind == "kernel" for key in behind):
        return
    for alias in space.aliases:
        if any(cells[key].source == alias for key in space.autograd_backends):
            message = f"there is a kernel at {alias} only: calls below it find none"
            yield Complaint(AUTOGRAD_ONLY, alias, message)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)
