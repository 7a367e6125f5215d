"""Names that a generated module makes up: of modules, caches and packets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import PurePath
from typing import Final

from .model import Packet
from .view_calls import free_name

#: A schema file with more functions than this becomes several modules.
MAX_FUNCTIONS: Final = 200

_KINDS: Final = ("cache", "handlers", "packet")


@dataclass(frozen=True, slots=True)
class PacketNames:
    """The module-level names that belong to one operator."""

    #: What names begin with: those of the operator under the key ``""``, those of an
    #: overload under its name.
    stems: Mapping[str, str]
    #: Names that would hide an operator of the module or a parameter.
    avoided: frozenset[str]

    def cache(self, overload: str) -> str:
        """Return the name of the cache of an overload, or of the operator."""
        return free_name(f"{self.stems[overload]}_cache", self.avoided)

    def handlers(self, overload: str) -> str:
        """Return the name of the dictionary of a cache."""
        return free_name(f"{self.stems[overload]}_handlers", self.avoided)

    def packet(self) -> str:
        """Return the name of the packet object."""
        return free_name(f"{self.stems['']}_packet", self.avoided)


def name_packets(packets: Sequence[Packet]) -> dict[str, PacketNames]:
    """Return the names of all operators of a module, by operator.

    The names of an operator depend on others only where they would be the same.
    """
    operators = {packet.name for packet in packets}
    stems = Counter(stem for packet in packets for stem in _stems(packet).values())
    return {packet.name: _names(packet, operators, stems) for packet in packets}


def module_of_file(origin: str) -> str:
    """Return the name of the module for a schema file: ``pointwise``."""
    name = re.sub(r"\W", "_", PurePath(origin).stem)
    if iskeyword(name):
        return f"{name}_"
    return name if name.isidentifier() else f"ops_{name}"


def split_modules(module: str, packets: Sequence[Packet]) -> dict[str, list[Packet]]:
    """Return the modules for the operators of one file, split by first letter.

    Files of moderate size are not split.
    """
    if sum(len(packet.overloads) for packet in packets) <= MAX_FUNCTIONS:
        return {module: list(packets)}
    found: dict[str, list[Packet]] = {}
    for packet in packets:
        letter = packet.name.lstrip("_")[:1].lower() or "_"
        found.setdefault(f"{module}_{letter}", []).append(packet)
    return found


def group_of(overload: str) -> str:
    """Return the key in ``stems`` of a group of overloads, after its first one."""
    return f"{overload}_group"


def _stems(packet: Packet) -> dict[str, str]:
    names = [overload.schema.overload_name for overload in packet.overloads]
    keys = [*names, *map(group_of, names)]
    # Classes read these names, and there two underscores in front have a meaning.
    own = f"op{packet.name}" if packet.name.startswith("__") else packet.name
    return {"": own, **{key: f"{own}_{key}" for key in keys}}


def _names(packet: Packet, operators: set[str], stems: Counter[str]) -> PacketNames:
    found = _stems(packet)
    for key, wanted in found.items():
        stem = wanted
        # An operator called mul_out owns the stem that mul would give its overload out.
        while key and stems[stem] > (stem == wanted):
            stem += "_"
        found[key] = stem
    schemas = (overload.schema for overload in packet.overloads)
    parameters = {arg.name for schema in schemas for arg in schema.arguments}
    made = (f"{stem}_{kind}" for stem in found.values() for kind in _KINDS)
    return PacketNames(found, frozenset(_taken(made, operators | parameters)))


def _taken(names: Iterable[str], taken: Container[str]) -> Iterator[str]:
    for name in names:
        while name in taken:
            yield name
            name += "_"
