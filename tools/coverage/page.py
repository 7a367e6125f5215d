"""Coverage as a page: one file, which loads nothing and needs no script to be read."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

from ...codegen.outputs import replace_file
from ...runtime.notebook import prose_html
from ..facts import overload_facts
from ..pages import page_templates
from ..sources.links import LinkedKernel, SourceLink, SourceLinks
from ..states import MEANINGS, MIXED
from .data import Coverage, Row, States, state_text


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of the table: its words, and its states as classes."""

    text: str
    classes: str


@dataclass(frozen=True, slots=True)
class RowView:
    """An overload: its row of the table, and its card."""

    name: str
    schema: str
    #: HTML, as the texts of all other fields are not.
    summary: str
    derived_from: str | None
    declared: SourceLink
    cells: tuple[CellView, ...]
    kernels: tuple[LinkedKernel, ...]


@dataclass(frozen=True, slots=True)
class FigureView:
    """A summary figure: of how many overloads a backend has kernels."""

    name: str
    called: int


def write_page(page: Path, coverage: Coverage, links: SourceLinks) -> None:
    """Write the page. Whoever has the old one open sees it until the new one is whole.

    Raises OSError where it cannot be written.
    """
    replace_file(page, render_page(coverage, links).encode())


def render_page(coverage: Coverage, links: SourceLinks) -> str:
    """Return the page."""
    templates = page_templates(__package__ or "")
    style = templates.get_template("coverage.css.jinja").render()
    script = templates.get_template("coverage.js").render()
    return templates.get_template("coverage.html.jinja").render(
        package=coverage.package,
        overloads=len(coverage.rows),
        operators=len({row.op.name.partition(".")[0] for row in coverage.rows}),
        columns=coverage.columns,
        rows=[_row_view(row, links) for row in coverage.rows],
        figures=_figures(coverage),
        states=MEANINGS,
        mixed=MIXED,
        style=style,
        script=script,
        policy=_policy(style, script),
    )


def _row_view(row: Row, links: SourceLinks) -> RowView:
    facts = overload_facts(row.op)
    declared = links.to_source(facts.declaration)
    return RowView(
        name=facts.name,
        schema=facts.schema,
        summary=prose_html(facts.summary),
        derived_from=facts.derived_from,
        declared=declared or SourceLink(facts.declared_in, None),
        cells=tuple(map(_cell_view, row.columns)),
        kernels=tuple(
            LinkedKernel(kernel.key, kernel.kernel, links.to_source(kernel.source))
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
