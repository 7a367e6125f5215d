"""What notebooks show: operators, overloads, tables and explanations as HTML."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser

import pytest

from keyslot import Library, explain

from .calling import a, define, ops

SHOWN = {
    "operator": ops.mul,
    "packet": ops.mul.packet,
    "overload": ops.mul.Tensor,
    "table": ops.square.default.table,
    "explanation": explain(ops.mul, a, 2),
}


class Reader(HTMLParser):
    """Reads HTML, and notes the tags that are open and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(shown: object) -> Reader:
    """Return what a notebook shows of an object, read to its end."""
    reader = Reader(getattr(shown, "_repr_html_")())  # noqa: B009 # any object
    assert reader.open == []
    return reader


@pytest.mark.parametrize("name", SHOWN)
def test_html_is_whole_and_quiet(name: str) -> None:
    """Every tag is closed, and there are no scripts, styles or pictures."""
    assert {"script", "style", "img"}.isdisjoint(read(SHOWN[name]).tags)


@pytest.mark.parametrize("name", ["operator", "packet"])
def test_operator_lists_its_overloads(name: str) -> None:
    """An operator shows the schema of every overload, and where it has kernels."""
    text = read(SHOWN[name]).text
    assert all(op.schema_text in text for op in ops.mul.packet.members)
    assert "keyslot::mul" in text


def test_overload_shows_its_table() -> None:
    """An overload shows its schema, what it does, and where its keys lead."""
    text = read(ops.mul.Tensor).text
    assert ops.mul.Tensor.schema_text in text
    assert "Multiply self by other, element by element." in text
    assert ops.mul.Tensor.table["NumPy"].kernel in text


def test_table_joins_equal_neighbours() -> None:
    """Neighbours that lead to the same are one row, and its tooltip names them."""
    table = ops.square.default.table
    html = table._repr_html_()
    assert html.count("<tr>") == 1 + len(table.groups())
    assert all(key in html for key in ops.square.default.dispatcher.space.keys)


def test_explanation_of_a_call_that_fails(library: Library) -> None:
    """The error in which a call ends is shown with the explanation."""
    op = library.define("f(Tensor x) -> Tensor").op
    assert f"{op.name} has no kernel for NumPy" in read(op.explain(a)).text


def test_text_is_escaped(library: Library) -> None:
    """What a schema or a documentation says is text, whatever it looks like."""
    schema = 'f(Tensor x, str s="<img src=x>") -> Tensor'
    op = define(library, schema)
    for shown in (op, library.ops.f, op.table, op.explain(a)):
        assert "img" not in read(shown).tags
    assert schema in read(op).text


def test_importing_operators_makes_no_html() -> None:
    """Neither keyslot nor an operator imports what only notebooks need."""
    code = (
        "import sys, keyslot; keyslot.ops.mul;"
        "found = {'keyslot.runtime.notebook', 'html'} & {*sys.modules};"
        "sys.exit(', '.join(found) or 0)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
