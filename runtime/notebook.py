"""Operators, tables and explanations as HTML: what notebooks show of them.

Plain, compact HTML without scripts or styles of its own, so that it takes on the looks
of the notebook. Imported when a notebook asks for it; every text is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .cells import CellGroup, TableView
    from .explain import Explanation
    from .op import OpOverload
    from .packet import OpOverloadPacket

_COLUMNS = ("key", "leads to", "by way of", "kernel", "registered")


def packet_html(packet: OpOverloadPacket) -> str:
    """Return an operator as a table of its overloads, in order of trial."""
    rows = [
        (_code(op.schema_text), prose_html(op.summary), escape(", ".join(op.kernels)))
        for op in packet.members
    ]
    header = ("overload", "what it does", "kernels at")
    return f"{_heading(packet.name)}{_table(header, rows)}"


def overload_html(op: OpOverload) -> str:
    """Return an overload as its schema, a line about it, and its dispatch table."""
    about = f"<p>{prose_html(op.summary)}</p>" if op.summary else ""
    schema = f"<p>{_code(op.schema_text)}</p>"
    return f"{_heading(op.name)}{schema}{about}{_groups_html(op.table)}"


def table_html(table: TableView) -> str:
    """Return a dispatch table, highest key first, equal neighbours in one row."""
    return f"{_heading(table.op.name)}{_groups_html(table)}"


def explanation_html(explanation: Explanation) -> str:
    """Return an explanation as what was chosen, with the whole report below it."""
    chosen = f"<p>{escape(str(explanation.chosen))}</p>"
    error = f"<pre>{escape(explanation.error)}</pre>" if explanation.error else ""
    report = f"<pre>{escape(str(explanation))}</pre>"
    details = f"<details><summary>how it was found</summary>{report}</details>"
    return f"{_heading(explanation.op)}{chosen}{error}{details}"


def prose_html(text: str) -> str:
    """Return a line of documentation; what stands in backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _groups_html(table: TableView) -> str:
    return _table(_COLUMNS, (_row(group) for group in table.groups()))


def _row(group: CellGroup) -> tuple[str, ...]:
    keys = f'<span title="{escape(", ".join(group.keys))}">{escape(group.key_text)}'
    return (
        f"{keys}</span>",
        escape(group.state),
        escape(group.source or ""),
        _code(group.kernel) if group.kernel else "",
        escape(group.site or ""),
    )


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of cells that are HTML already."""
    head = "".join(f'<th scope="col">{name}</th>' for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(html: str) -> str:
    return f'<td style="text-align: left">{html}</td>'


def _heading(name: str) -> str:
    return f"<p><strong>{escape(name)}</strong></p>"


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"
