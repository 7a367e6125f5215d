"""Compare two versions of declarations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...codegen.model import Operators, Overload
from ...runtime.space import KeySpace
from ..cells import cells_of, group_keys, lead_of
from .changes import (
    CellChange,
    Change,
    Changes,
    KeySpaceChange,
    ListedOverload,
    OverloadChange,
)
from .compare_signatures import signature_changes
from .fields import fields_of


def compare(old: Operators, new: Operators, names: tuple[str, str | None]) -> Changes:
    """Return what is different in ``new``; ``names`` are those of the versions."""
    before, after = _by_name(old), _by_name(new)
    both = [name for name in before if name in after]
    changed = (
        _overload_change(before[name], after[name], old.space, new.space)
        for name in both
    )
    return Changes(
        *names,
        space=_space_change(old.space, new.space),
        added=_listed(overload for n, overload in after.items() if n not in before),
        removed=_listed(overload for n, overload in before.items() if n not in after),
        changed=tuple(change for change in changed if change is not None),
        docs=sum(_doc(before[name]) != _doc(after[name]) for name in both),
    )


def _by_name(operators: Operators) -> dict[str, Overload]:
    found = {overload.schema.qualified: overload for overload in operators.overloads}
    return {name: found[name] for name in sorted(found)}


def _listed(overloads: Iterable[Overload]) -> tuple[ListedOverload, ...]:
    return tuple(
        ListedOverload(
            overload.schema.qualified,
            str(overload.schema),
            _texts(overload),
            overload.derived_from,
        )
        for overload in overloads
    )


def _texts(overload: Overload) -> dict[str, str]:
    return {key: str(kernel) for key, kernel in sorted(overload.kernels.items())}


def _doc(overload: Overload) -> str:
    # That of a derived overload is counted with the entry it comes from.
    return "" if overload.derived_from else overload.declaration.doc


def _overload_change(
    old: Overload, new: Overload, old_space: KeySpace, new_space: KeySpace
) -> OverloadChange | None:
    change = OverloadChange(
        name=new.schema.qualified,
        signature=tuple(signature_changes(old.schema, new.schema)),
        kernels=tuple(differences(_texts(old), _texts(new))),
        cells=tuple(_cell_changes(old, new, old_space, new_space)),
        fields=tuple(differences(fields_of(old), fields_of(new))),
    )
    parts = (change.signature, change.kernels, change.cells, change.fields)
    return change if any(parts) else None


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Yield what two mappings differ in, sorted by key."""
    for key in sorted({*old, *new}):
        if old.get(key) != new.get(key):
            yield Change(key, old.get(key), new.get(key))


def _cell_changes(
    old: Overload, new: Overload, old_space: KeySpace, new_space: KeySpace
) -> Iterator[CellChange]:
    """Yield the keys of both versions that lead elsewhere, by where from and where to.

    Each group is in the place of its first key.
    """
    before = {cell.key: lead_of(old, cell) for cell in cells_of(old, old_space)}
    leads = (
        ((before.get(cell.key), lead_of(new, cell)), cell)
        for cell in cells_of(new, new_space)
    )
    for (was, now), group in group_keys(leads).items():
        if was is not None and was != now:
            yield CellChange(group.keys, was, now, group.reason)


def _space_change(old: KeySpace, new: KeySpace) -> KeySpaceChange:
    both = [key for key in new.keys if key in old.functionality_of]
    aliases = [alias for alias in new.aliases if alias in old.aliases]
    return KeySpaceChange(
        keys_added=_without(new.keys, old.keys),
        keys_removed=_without(old.keys, new.keys),
        reordered=both != [key for key in old.keys if key in new.functionality_of],
        aliases_added=_without(new.aliases, old.aliases),
        aliases_removed=_without(old.aliases, new.aliases),
        aliases_changed=tuple(
            alias for alias in aliases if {*old.aliases[alias]} != {*new.aliases[alias]}
        ),
    )


def _without(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    known = {*others}
    return tuple(name for name in names if name not in known)
