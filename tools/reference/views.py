"""The operator reference as data: what each page says and where its links lead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...codegen.model import KernelReference, Operators, Overload, Packet
from ...codegen.problems import Located
from ...codegen.view_names import module_of_file
from ...runtime.schema_kinds import functional_name
from ...runtime.space import KeySpace
from ..sources.links import LinkedKernel, SourceLink, SourceLinks
from ..sources.names import find_named
from ..sources.source import Source
from ..text import Line
from .addresses import make_addresses, section_id
from .dispatch import DispatchTable, dispatch_tables
from .doc_text import Block, read_blocks, read_line, summary
from .highlight import Token
from .signature_tokens import call_tokens, schema_tokens


@dataclass(frozen=True, slots=True)
class Link:
    """A name, and the page or place on a page that it leads to."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class OverloadSection:
    """What there is to say about one overload."""

    name: str
    anchor: str
    call: tuple[Token, ...]
    schema: tuple[Token, ...]
    blocks: tuple[Block, ...]
    #: Whether it has a text of its own, and not one that says what it follows from.
    is_described: bool
    #: Names in the text that have a page -> the address.
    links: Mapping[str, str]
    tags: tuple[str, ...]
    variants: tuple[str, ...]
    mixed_backends: tuple[str, ...]
    derived_from: Link | None
    declared: SourceLink
    kernels: tuple[LinkedKernel, ...]


@dataclass(frozen=True, slots=True)
class OperatorPage:
    """The page of one operator."""

    name: str
    #: The address from the index.
    path: str
    summary: Line
    overloads: tuple[OverloadSection, ...]
    tables: tuple[DispatchTable, ...]
    #: The name without its in-place mark.
    functional: str
    #: The functional and the in-place operator of the same name.
    related: tuple[Link, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys and alias keys at which any overload has a kernel."""
        kernels = (k for overload in self.overloads for k in overload.kernels)
        return tuple(sorted({kernel.key for kernel in kernels}))


@dataclass(frozen=True, slots=True)
class Entry:
    """An operator, and with it the one that does the same in place."""

    #: One page, or two.
    pages: tuple[OperatorPage, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys and alias keys at which any of them has a kernel."""
        return tuple(sorted({key for page in self.pages for key in page.keys}))


@dataclass(frozen=True, slots=True)
class Family:
    """The operators of one schema file."""

    name: str
    #: What the file begins with: its first comment.
    intro: Line
    pages: tuple[OperatorPage, ...]
    #: The same, each with its in-place one.
    entries: tuple[Entry, ...]


def make_families(operators: Operators, links: SourceLinks) -> tuple[Family, ...]:
    """Return the pages of all operators, by the file of their first overload."""
    addresses = make_addresses(operators.packets)
    by_name: dict[str, list[Packet]] = {}
    for packet in operators.packets:
        origin = packet.overloads[0].declaration.origin
        by_name.setdefault(module_of_file(origin), []).append(packet)
    families: list[Family] = []
    for name, packets in sorted(by_name.items()):
        space = operators.space
        pages = tuple(_page(packet, space, addresses, links) for packet in packets)
        families.append(Family(name, _intro(packets[0]), pages, _entries(pages)))
    return tuple(families)


def _entries(pages: tuple[OperatorPage, ...]) -> tuple[Entry, ...]:
    """Join each operator with its in-place one."""
    found: dict[str, list[OperatorPage]] = {}
    for page in pages:
        found.setdefault(page.functional, []).append(page)
    # The functional one comes first: its name is that of the other, and shorter.
    return tuple(
        Entry(tuple(sorted(joined, key=lambda page: page.name)))
        for joined in found.values()
    )


def _intro(packet: Packet) -> Line:
    """Return the first comment of the file that declares an operator.

    A line that tells editors of its JSON Schema is none of it.
    """
    text = packet.overloads[0].declaration.place.source.text
    comment = re.match(r"(?:#.*(?:\n|\Z))*", text)
    assert comment is not None  # the pattern takes any text
    lines = [line.lstrip("#").strip() for line in comment[0].splitlines()]
    said = [line for line in lines if not line.startswith("yaml-language-server:")]
    return read_line("\n".join(said).strip())


def _page(
    packet: Packet, space: KeySpace, addresses: Mapping[str, str], links: SourceLinks
) -> OperatorPage:
    texts = [overload.doc for overload in packet.overloads if overload.doc]
    return OperatorPage(
        name=packet.name,
        path=f"ops/{addresses[packet.name]}",
        summary=summary(texts[0]) if texts else (),
        overloads=tuple(_section(o, addresses, links) for o in packet.overloads),
        tables=tuple(dispatch_tables(packet, space)),
        functional=functional_name(packet.overloads[0].schema),
        related=tuple(_related(packet, addresses)),
    )


def _related(packet: Packet, addresses: Mapping[str, str]) -> Iterator[Link]:
    functional = functional_name(packet.overloads[0].schema)
    for name in (functional, f"{functional}_"):
        if name in addresses and name != packet.name:
            yield Link(name, addresses[name])


def _section(
    overload: Overload, addresses: Mapping[str, str], links: SourceLinks
) -> OverloadSection:
    schema, derived = overload.schema, overload.derived_from
    return OverloadSection(
        name=schema.qualified,
        anchor=section_id(schema),
        call=tuple(call_tokens(schema)),
        schema=tuple(schema_tokens(schema)),
        blocks=tuple(read_blocks(overload.doc)),
        is_described=bool(overload.declaration.doc) and derived is None,
        links=_mentioned(overload, addresses),
        tags=overload.tags,
        variants=overload.variants,
        mixed_backends=overload.mixed_backends,
        derived_from=Link(derived, addresses[derived]) if derived else None,
        declared=_declared(overload.declaration.place, links),
        kernels=tuple(
            LinkedKernel(key, str(kernel), links.to_source(_kernel_source(kernel)))
            for key, kernel in overload.kernels.items()
        ),
    )


def _kernel_source(kernel: KernelReference) -> Source | None:
    return None if kernel.module is None else find_named(kernel.module, kernel.name)


def _declared(place: Located, links: SourceLinks) -> SourceLink:
    name, line = place.source.file, place.line
    found = links.to_source(Source.at(links.root / name, line))
    return found or SourceLink(f"{Path(name).name}:{line}", None)


def _mentioned(overload: Overload, addresses: Mapping[str, str]) -> dict[str, str]:
    """Return what a text may mean by a name: operators, not its arguments."""
    own = {argument.name for argument in overload.schema.arguments}
    words = (
        {*re.findall(r"`([\w.]+)`", overload.doc)} - own - {overload.schema.qualified}
    )
    return {word: addresses[word] for word in sorted(words) if word in addresses}
