"""Coverage as a page: one file, which loads nothing and needs no script to be read."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from ..codegen.outputs import replace_file
from ..runtime.notebook import prose_html
from .coverage_data import Coverage, Row, States, overload_count, state_text
from .facts import overload_facts
from .sources import Source
from .states import MEANINGS, MIXED

_TEMPLATES: Final = "templates"

#: Returns what a place in a file links to, None if there is nothing to link to.
LinkTo = Callable[[Source | None], str | None]


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of the table: its words, and its states as classes."""

    text: str
    classes: str


@dataclass(frozen=True, slots=True)
class KernelView:
    """A kernel in the card of an overload."""

    key: str
    name: str
    source: Source | None
    link: str | None


@dataclass(frozen=True, slots=True)
class RowView:
    """An overload: its row of the table, and its card."""

    name: str
    schema: str
    #: HTML, as the texts of all other fields are not.
    summary: str
    derived_from: str | None
    declared_in: str
    link: str | None
    cells: tuple[CellView, ...]
    kernels: tuple[KernelView, ...]


@dataclass(frozen=True, slots=True)
class FigureView:
    """A summary figure: of how many overloads a backend has kernels."""

    name: str
    called: int


def write_page(page: Path, coverage: Coverage, source_url: str | None = None) -> None:
    """Write the page. Whoever has the old one open sees it until the new one is whole.

    Raises OSError where it cannot be written.
    """
    link_to = _links_to(source_url) if source_url else _links_from(page.parent)
    replace_file(page, render_page(coverage, link_to).encode())


def render_page(coverage: Coverage, link_to: LinkTo) -> str:
    """Return the page; imports the kernels to say where they are written."""
    style, script = _read("coverage.css"), _read("coverage.js")
    return (
        _environment()
        .get_template("coverage.html.jinja")
        .render(
            package=coverage.package,
            overloads=overload_count(coverage),
            operators=len({row.op.name.partition(".")[0] for row in coverage.rows}),
            columns=coverage.columns,
            rows=[_row_view(row, link_to) for row in coverage.rows],
            figures=_figures(coverage),
            states=MEANINGS,
            mixed=MIXED,
            style=style,
            script=script,
            policy=_policy(style, script),
        )
    )


def _row_view(row: Row, link_to: LinkTo) -> RowView:
    facts = overload_facts(row.op)
    return RowView(
        name=facts.name,
        schema=facts.schema,
        summary=prose_html(facts.summary),
        derived_from=facts.derived_from,
        declared_in=str(facts.declaration or facts.declared_in),
        link=link_to(facts.declaration),
        cells=tuple(map(_cell_view, row.columns)),
        kernels=tuple(
            KernelView(kernel.key, kernel.kernel, kernel.source, link_to(kernel.source))
            for kernel in facts.kernels
        ),
    )


def _cell_view(states: States) -> CellView:
    classes = [*states, *(["mixed"] if len(states) > 1 else [])]
    return CellView(state_text(states), " ".join(classes))


def _figures(coverage: Coverage) -> list[FigureView]:
    return [
        FigureView(column.name, coverage.called(place))
        for place, column in enumerate(coverage.columns)
        if column.kind == "backend"
    ]


def _links_to(pattern: str) -> LinkTo:
    """Return links to a site that has the files below the current folder."""

    def link_to(source: Source | None) -> str | None:
        if source is None or Path(source.file).is_absolute():
            return None
        line = str(source.line)
        return pattern.replace("{file}", source.file).replace("{line}", line)

    return link_to


def _links_from(folder: Path) -> LinkTo:
    """Return links to the files below the current folder, relative to a page's."""

    def link_to(source: Source | None) -> str | None:
        if source is None or Path(source.file).is_absolute():
            return None
        return Path(os.path.relpath(source.file, folder)).as_posix()

    return link_to


def _policy(style: str, script: str) -> str:
    """Return the page's content security policy: our style and script, nothing else.

    Even text that escaping let through could neither run nor load anything.
    """
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src"
        f" '{_digest(script)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _read(name: str) -> str:
    folder = resources.files(__package__ or "") / _TEMPLATES
    return (folder / name).read_text("utf-8")


def _environment() -> Environment:
    loader = PackageLoader(__package__ or "", _TEMPLATES)
    return Environment(
        loader=loader,
        autoescape=True,
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
