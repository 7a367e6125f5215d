"""Operators of a generated package by the names that people type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ..runtime.namespace import find_overload, find_packet
from ..runtime.packet import packet_of
from .inputs import InputError
from .project import import_operators

if TYPE_CHECKING:
    from ..runtime.calls import GeneralCalls
    from ..runtime.op import OpOverload


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator, or one overload of it."""

    #: ``keyslot::mul`` or ``keyslot::mul.Tensor``.
    name: str
    #: The overloads that a call chooses from, in order of trial.
    overloads: tuple[OpOverload, ...]
    calls: GeneralCalls


def find_operator(package: str | None, name: str) -> Operator:
    """Return the operator or overload of a package that a name means.

    Raises UnknownOperatorError with the nearest names, and what `import_operators`
    raises.
    """
    namespace = namespace_of(import_operators(package))
    given, marked, local = name.rpartition("::")
    if marked and given != namespace:
        raise InputError(f"the namespace is {namespace!r}, not {given!r}")
    if "." in local:
        op = find_overload(namespace, local)
        return Operator(f"{namespace}::{op.qualified_name}", (op,), op.calls)
    packet = packet_of(find_packet(namespace, local))
    return Operator(packet.name, packet.members, packet.calls)


def matching_overloads(package: Any, patterns: Sequence[str]) -> Iterator[OpOverload]:
    """Yield the overloads of a package whose names match a pattern, in order.

    A pattern without wildcards is the name of an operator or of an overload. Without
    patterns every overload matches.

    Raises InputError for a pattern that matches nothing.
    """
    unused = set(patterns)
    for name in package:
        for op in packet_of(getattr(package, name)).members:
            names = (name, op.qualified_name)
            found = {p for p in patterns if any(fnmatchcase(n, p) for n in names)}
            unused -= found
            if found or not patterns:
                yield op
    if unused:
        raise InputError(f"no operator or overload matches {min(unused)!r}")


def namespace_of(package: Any) -> str:
    """Return the namespace of a generated package.

    Raises InputError for any other module.
    """
    namespace = getattr(package, "_namespace", None)
    if not isinstance(namespace, str):
        raise InputError(f"{package.__name__} is no package of generated operators")
    return namespace
