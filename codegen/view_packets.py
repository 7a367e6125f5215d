"""Views of packets: the function that is called by an operator's name.

Overloads that take arguments of the same names share a branch of the function, with one
cache: which of them a call means depends on types, and the cache knows by types. Which
branch a call means depends on the arguments that are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

from .literals import docstring, string, tuple_of
from .model import Packet
from .reserved import class_name
from .view_calls import (
    CacheView,
    CallView,
    Shape,
    call_view,
    free_name,
    hides_globals,
    shape_of,
)
from .view_names import PacketNames, group_of
from .view_overloads import overload_cache
from .view_parameters import (
    MISSING,
    NONE,
    Group,
    Parameter,
    groups_of,
    needs_rest,
    parameters_of,
    signature,
)


@dataclass(frozen=True, slots=True)
class BranchView:
    """What the function does with calls that have certain arguments."""

    #: Defaults to fill in before the condition, ``(name, value)``.
    fill_before: tuple[tuple[str, str], ...]
    #: Empty for the branch that takes all that is left.
    condition: str
    #: Defaults to fill in once the condition holds.
    fill_inside: tuple[tuple[str, str], ...]
    call: CallView


@dataclass(frozen=True, slots=True)
class PacketView:
    """The function of one operator, as pieces of source."""

    name: str
    doc: str
    #: Caches of its own: those of branches with several overloads.
    caches: tuple[CacheView, ...]
    parameters: tuple[str, ...]
    branches: tuple[BranchView, ...]
    #: The name of the packet object, where the function calls it.
    packet: str | None
    #: Arguments of the call for what no branch takes, and whether there may be such.
    args: str
    kwargs: str
    falls_through: bool
    #: The name of the parameter that takes further positional arguments, if any, and
    #: the arguments of a call that has such, by position and by name.
    rest: str | None
    rest_args: str
    rest_named: str
    #: What the packet is made of.
    overloads: tuple[str, ...]
    cache_names: tuple[str, ...]
    #: True if the function speaks of ``MISSING``.
    uses_missing: bool


def packet_view(packet: Packet, namespace: str, own: PacketNames) -> PacketView:
    """Return the view of a packet."""
    schemas = [overload.schema for overload in packet.overloads]
    names = {arg.name for schema in schemas for arg in schema.arguments}
    doc = packet_doc(packet, namespace)
    overloads = tuple(f"{class_name(schema)}()" for schema in schemas)
    if hides_globals(names):
        return _general_view(packet.name, doc, overloads, own.packet())
    groups = groups_of(schemas)
    parameters = parameters_of(schemas, groups)
    taken = {param.name for param in parameters}
    chooses = [_has_to_choose(group, groups, parameters) for group in groups]
    caches = _caches(groups, chooses, parameters, own)
    branches = _branches(groups, chooses, parameters, caches)
    own_caches = tuple(compress(caches, chooses))
    rest = free_name("rest", taken) if needs_rest(schemas, parameters) else None
    falls_through = bool(branches[-1].condition)
    positional = [param.name for param in parameters if param.positional]
    keyword_only = [param.name for param in parameters if not param.positional]
    return PacketView(
        name=packet.name,
        doc=doc,
        caches=own_caches,
        parameters=tuple(signature(parameters, rest)),
        branches=branches,
        packet=own.packet() if rest or falls_through else None,
        args=tuple_of(positional),
        kwargs=f"{{{', '.join(f'{string(name)}: {name}' for name in keyword_only)}}}",
        falls_through=falls_through,
        rest=rest,
        rest_args=tuple_of([*positional, f"*{rest}"]) if positional else str(rest),
        rest_named=tuple_of(keyword_only),
        overloads=overloads,
        cache_names=tuple(cache.name for cache in own_caches),
        uses_missing=any(param.default == MISSING for param in parameters),
    )


def _general_view(
    name: str, doc: str, overloads: tuple[str, ...], packet: str
) -> PacketView:
    """Return the view of a function that leaves everything to its packet."""
    return PacketView(
        name=name,
        doc=doc,
        caches=(),
        parameters=("*args: object", "**kwargs: object"),
        branches=(),
        packet=packet,
        args="args",
        kwargs="kwargs",
        falls_through=True,
        rest=None,
        rest_args="",
        rest_named="",
        overloads=overloads,
        cache_names=(),
        uses_missing=False,
    )


def packet_doc(packet: Packet, namespace: str) -> str:
    """Return the docstring of an operator's function as source."""
    # What an operator is shows in its plainest overload, the one without a name, and
    # not in one that is told how to write its result.
    telling = [made for made in packet.overloads if not made.schema.is_out]
    plain_first = sorted(
        telling or packet.overloads, key=lambda made: bool(made.schema.overload)
    )
    docs = (overload.doc for overload in plain_first)
    first = next(filter(None, docs), f"The operator {namespace}::{packet.name}.")
    listed = "\n".join(f"    {overload.schema}" for overload in packet.overloads)
    return docstring(first, f"Overloads:\n{listed}")


def _has_to_choose(
    group: Group, groups: Sequence[Group], parameters: Sequence[Parameter]
) -> bool:
    """Whether a call that comes to a group's branch may mean one of two overloads.

    That is so for several overloads in the group, and where all arguments that such a
    call surely has are among those of another group: others may be left to defaults.
    """
    given = {param.name for param in parameters if param.default is None}
    given |= {arg.name for schema in group.schemas for arg in schema.out}
    others = (other for other in groups if other is not group)
    return len(group.schemas) > 1 or any(given <= other.names for other in others)


def _caches(
    groups: Sequence[Group],
    chooses: Sequence[bool],
    parameters: Sequence[Parameter],
    own: PacketNames,
) -> list[CacheView]:
    """Return the cache of each branch: that of its overload, or one that chooses."""
    caches: list[CacheView] = []
    several = 0
    for group, has_to_choose in zip(groups, chooses, strict=True):
        first = group.schemas[0]
        if not has_to_choose:
            caches.append(overload_cache(first, own))
            continue
        key = group_of(first.overload_name) if several else ""
        several += 1
        shape = _with_positions(shape_of(group.schemas), parameters)
        caches.append(CacheView(own.cache(key), own.handlers(key), shape))
    return caches


def _with_positions(shape: Shape, parameters: Sequence[Parameter]) -> Shape:
    """Return a shape that says which arguments the function takes by position."""
    taken = {param.name for param in parameters if param.positional}
    count = sum(name in taken for name in shape.positional)
    return (
        shape if count == len(shape.positional) else replace(shape, by_position=count)
    )


def _branches(
    groups: Sequence[Group],
    chooses: Sequence[bool],
    parameters: Sequence[Parameter],
    caches: Sequence[CacheView],
) -> tuple[BranchView, ...]:
    conditions = [
        _condition(group, groups[place + 1 :], parameters)
        for place, group in enumerate(groups)
    ]
    # Where the cache chooses it has to know which arguments a call left away.
    fills = [
        () if has_to_choose else _fills(group, parameters)
        for group, has_to_choose in zip(groups, chooses, strict=True)
    ]
    branches: list[BranchView] = []
    filled: set[tuple[str, str]] = set()
    for place, cache in enumerate(caches):
        # Once for all branches that are left, if they all fill it in alike and one of
        # them surely follows.
        everywhere = set[tuple[str, str]].intersection(*map(set, fills[place:]))
        hoisted = set[tuple[str, str]]() if conditions[-1] else everywhere - filled
        filled.update(hoisted)
        branches.append(
            BranchView(
                fill_before=tuple(fill for fill in fills[place] if fill in hoisted),
                condition=conditions[place],
                fill_inside=tuple(f for f in fills[place] if f not in filled),
                call=call_view(cache),
            )
        )
    return tuple(branches)


def _condition(
    group: Group, later: Sequence[Group], parameters: Sequence[Parameter]
) -> str:
    """Return the test that a call has the arguments of a group and no others.

    An ``out`` argument has to be there where a later group would do without it. Any
    other argument that is missing is told by its type, and the cache knows what to do.
    """
    tests: list[str] = []
    for param in parameters:
        if param.name not in group.names:
            tests.append(f"{param.name} is {param.absent}")
        elif param.absent == NONE and any(param.name not in g.names for g in later):
            tests.append(f"{param.name} is not {NONE}")
    return " and ".join(tests)


def _fills(
    group: Group, parameters: Sequence[Parameter]
) -> tuple[tuple[str, str], ...]:
    """Return the defaults that a branch fills in, for arguments that are not given."""
    fills: list[tuple[str, str]] = []
    for param in parameters:
        if param.name in group.names and param.absent == MISSING:
            (value,) = group.defaults(param.name)
            if value is not None:
                fills.append((param.name, value))
    return tuple(fills)
