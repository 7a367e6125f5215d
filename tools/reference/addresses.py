"""Where the page of each operator is, and in it the section of each overload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...codegen.model import Packet
from ...runtime.schema import FunctionSchema


def make_addresses(packets: Iterable[Packet]) -> dict[str, str]:
    """Return the address of each name, as seen from the page of an operator.

    ``add`` has a page, ``add.Tensor`` a section of it.
    """
    seen: Counter[str] = Counter()
    addresses: dict[str, str] = {}
    for packet in packets:
        # Some file systems do not tell T.html from t.html.
        folded = packet.name.lower()
        seen[folded] += 1
        twin = f"-{seen[folded]}" if seen[folded] > 1 else ""
        page = f"{packet.name}{twin}.html"
        for overload in packet.overloads:
            name = overload.schema.qualified
            addresses[name] = f"{page}#{section_id(overload.schema)}"
        addresses[packet.name] = page
    return addresses


def section_id(schema: FunctionSchema) -> str:
    """Return the id of the section of an overload."""
    return f"overload-{schema.overload_name}"
