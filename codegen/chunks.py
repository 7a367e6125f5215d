"""The text of operators, kept from one run to the next.

A chunk is found by everything that it is made from, so what is kept is never stale. It
is what makes a run after a small change fast; nothing else depends on it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, NamedTuple

from .model import Overload, Packet
from .view_names import PacketNames


class Chunk(NamedTuple):
    """The texts of one operator, and what they use of what they may have to import."""

    text: str
    used: tuple[str, ...]
    #: The same for its stub.
    stub: str
    stub_used: tuple[str, ...]


class Chunks:
    """The chunks of earlier runs and of this one."""

    def __init__(self, fingerprint: str, kept: bytes | None = None) -> None:
        #: What the generator itself is; nothing is kept across its versions.
        self._fingerprint = fingerprint
        self._kept = _read(kept, fingerprint)
        self._used: dict[str, Chunk] = {}

    def get(self, key: str, make: Callable[[], Chunk]) -> Chunk:
        """Return the chunk of a key, made now if it was not kept."""
        chunk = self._kept.get(key) or make()
        self._used[key] = chunk
        return chunk

    @property
    def changed(self) -> bool:
        """Whether what should be kept is not what was."""
        return self._used.keys() != self._kept.keys()

    def dump(self) -> bytes:
        """Return what to keep: the chunks that this run used."""
        content = {"fingerprint": self._fingerprint, "chunks": self._used}
        return json.dumps(content).encode()


def chunk_key(
    packet: Packet, namespace: str, names: PacketNames, native: str | None
) -> str:
    """Return a digest of everything that the text of an operator is made from."""
    facts: list[object] = [
        namespace,
        native,
        sorted(names.stems.items()),
        sorted(names.avoided),
    ]
    facts.extend(_facts(overload) for overload in packet.overloads)
    return blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def _facts(overload: Overload) -> tuple[object, ...]:
    declaration = overload.declaration
    return (
        str(overload.schema),
        declaration.origin,
        overload.doc,
        overload.mixed_backends,
        [(key, str(kernel)) for key, kernel in overload.kernels.items()],
        overload.tags,
        overload.variants,
        overload.rules,
        overload.derived_from,
    )


def _read(kept: bytes | None, fingerprint: str) -> dict[str, Chunk]:
    try:
        content: Any = json.loads(kept or b"{}")
        if content.get("fingerprint") != fingerprint:
            return {}
        return {
            key: Chunk(
                str(text), tuple(map(str, used)), str(stub), tuple(map(str, stub_used))
            )
            for key, (text, used, stub, stub_used) in content["chunks"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        # Somebody else's file, or half of one.
        return {}
