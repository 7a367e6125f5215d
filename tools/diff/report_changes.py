"""Say what two versions of declarations differ in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from ...codegen.counting import counted
from ...runtime.space import KeySpace
from ..cells import name_keys
from ..text import Code, Line, codes, joined
from .changes import (
    CellChange,
    Change,
    Changes,
    KeySpaceChange,
    ListedOverload,
    OverloadChange,
)
from .report import Item, Report, Section

#: So many overloads that were added are listed, and so many that were removed.
_MOST: Final = 50
_NO_DISPATCH = "No dispatch cell changes."


def report_changes(changes: Changes, space: KeySpace) -> Report:
    """Return the report of what changed; ``space`` is that of the new version."""
    sections = (
        Section("Key space", tuple(_space_items(changes.space))),
        Section("Overloads added", tuple(_first(changes.added))),
        Section("Overloads removed", tuple(_first(changes.removed))),
        Section("Overloads changed", tuple(_changed(changes.changed, space))),
    )
    return Report(
        title=("Operators of ", Code(changes.old), " and ", *_new(changes)),
        summary=tuple((line,) for line in _summary(changes)),
        sections=tuple(section for section in sections if section.items),
    )


def _new(changes: Changes) -> Line:
    return ("the working tree",) if changes.new is None else (Code(changes.new),)


def _summary(changes: Changes) -> Iterator[str]:
    if not changes.is_dispatch:
        yield _NO_DISPATCH
    else:
        numbers = (
            (len(changes.added), "overload", "added"),
            (len(changes.removed), "overload", "removed"),
            (changes.cells, "dispatch cell", "changed"),
        )
        said = [f"{counted(n, noun)} {what}" for n, noun, what in numbers if n]
        yield f"{', '.join(said) or 'The key space changed'}."
    if changes.docs:
        yield f"The text of {counted(changes.docs, 'overload')} changed."


def _space_items(space: KeySpaceChange) -> Iterator[Item]:
    lists = (
        ("keys added: ", space.keys_added),
        ("keys removed: ", space.keys_removed),
        ("alias keys added: ", space.aliases_added),
        ("alias keys removed: ", space.aliases_removed),
        ("alias keys that stand for other keys: ", space.aliases_changed),
    )
    for what, names in lists:
        if names:
            yield Item((what, *codes(names)))
    if space.reordered:
        yield Item(("keys have another order of priority",))


def _first(overloads: Sequence[ListedOverload]) -> Iterator[Item]:
    """Yield items for as many overloads as anybody reads."""
    yield from map(_listed, overloads[:_MOST])
    if len(overloads) > _MOST:
        yield Item((f"and {len(overloads) - _MOST:,} more, which --json lists",))


def _listed(overload: ListedOverload) -> Item:
    source = overload.derived_from
    derived: Line = () if source is None else (", derived from ", Code(source))
    kernels = [
        (Code(kernel), " of ", Code(k)) for k, kernel in overload.kernels.items()
    ]
    return Item(
        (Code(overload.schema), *derived),
        (joined(kernels) if kernels else ("no kernel",),),
    )


def _changed(changes: Iterable[OverloadChange], space: KeySpace) -> Iterator[Item]:
    """Yield an item for all overloads about which the same is to be said."""
    found: dict[tuple[Line, ...], list[str]] = {}
    for change in changes:
        found.setdefault(tuple(_details(change, space)), []).append(change.name)
    for details, names in found.items():
        yield Item(codes(names), details)


def _details(change: OverloadChange, space: KeySpace) -> Iterator[Line]:
    yield from (_fact("", signature) for signature in change.signature)
    yield from (_fact("kernel at ", kernel) for kernel in change.kernels)
    for cells in change.cells:
        if _is_said(cells, change.kernels):
            continue
        yield (
            *name_keys(cells.keys, space),
            ": ",
            *cells.before.line,
            " → ",
            *cells.after.line,
            f" ({cells.reason})",
        )
    yield from (_fact("", field) for field in change.fields)


def _is_said(cells: CellChange, kernels: Collection[Change]) -> bool:
    """Whether a key leads to its own kernel, which is another now: that is said."""
    if len(cells.keys) != 1 or cells.before.source or cells.after.source:
        return False
    return Change(cells.keys[0], cells.before.kernel, cells.after.kernel) in kernels


def _fact(what: str, change: Change) -> Line:
    name = Code(change.of) if what else change.of
    return (what, name, ": ", *_value(change.before), " → ", *_value(change.after))


def _value(text: str | None) -> Line:
    return ("none",) if text is None else (Code(text),)
