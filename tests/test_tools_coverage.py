"""``keyslot coverage``: which operators have kernels where."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from keyslot.runtime.packet import packet_of
from keyslot.tools.__main__ import main

from .calling import ops
from .codegen_cases import IN_MANY_STATES, make_project
from .kernel_places import place_of

ROOT = Path(__file__).parent.parent
SPACE = ops.mul.Tensor.dispatcher.space

#: A project with cells in many states, and a text that is no HTML.
OPS = f"""\
- func: scale(Tensor self, str mode="<b>\\"&'") -> Tensor
  dispatch:
    NumPy: shop.kernels:scale
  doc: |
    Scale <script>alert(1)</script> by `mode`.
{IN_MANY_STATES}"""

KEYSLOT = (sys.executable, "-m", "keyslot.tools")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return the folder of a project of its own, generated."""
    make_project(tmp_path, {"ops.yaml": OPS})
    done = subprocess.run([*KEYSLOT, "codegen"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
    return tmp_path


def run_in(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run ``keyslot coverage`` in a project, and return what it printed."""
    command = [*KEYSLOT, "coverage", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


def data_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Return what the command says of keyslot's own operators as JSON."""
    assert main(["coverage", "--json", *arguments]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_every_cell_is_that_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Each key that is dispatched to is in one column, in the state of its table."""
    data = data_of(capsys)
    keys = [key for column in data["columns"] for key in column["keys"]]
    assert sorted(keys) == sorted({*SPACE.keys} - {"Undefined", "PythonDispatcher"})
    packets = [packet_of(getattr(ops, name)) for name in ops]
    overloads = [op for packet in packets for op in packet.members]
    assert [row["op"] for row in data["overloads"]] == [op.name for op in overloads]
    for op, row in zip(overloads, data["overloads"], strict=True):
        table = op.table
        for states in row["states"].values():
            for state, held in states.items():
                assert {table[key].state for key in held} == {state}


def test_totals_count_every_cell(capsys: pytest.CaptureFixture[str]) -> None:
    """The totals of a column count the states of its keys."""
    data = data_of(capsys)
    for column in data["columns"]:
        counted: Counter[str] = Counter()
        for row in data["overloads"]:
            for state, keys in row["states"][column["name"]].items():
                counted[state] += len(keys)
        assert data["totals"][column["name"]] == dict(counted)


def test_backends_and_functionalities(capsys: pytest.CaptureFixture[str]) -> None:
    """Columns are those of the key space: its backends, then its functionalities."""
    columns = data_of(capsys)["columns"]
    backends = [c["name"] for c in columns if c["kind"] == "backend"]
    assert tuple(backends) == SPACE.backends
    assert [c["keys"] for c in columns[: len(backends)]] == [[b] for b in backends]
    names = [c["name"] for c in columns if c["kind"] == "functionality"]
    held = dict.fromkeys(SPACE.functionality_of[key] for key in SPACE.keys)
    others = ("Undefined", "Dense", "PythonDispatcher")
    assert names == [name for name in held if name not in others]


@pytest.mark.parametrize(
    ("arguments", "columns"),
    [
        (["--backend", "NumPy"], {"NumPy": ["NumPy"]}),
        (["--functionality", "Batched"], {"Batched": ["Batched"]}),
        (
            ["--backend", "Torch", "--functionality", "Sparse"],
            {"Torch": ["Torch"], "Sparse": ["SparseTorch"]},
        ),
        (
            ["--backend", "Meta", "--functionality", "Python"],
            {"Meta": ["Meta"], "Python": ["Python"]},
        ),
    ],
)
def test_columns_are_chosen(
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    columns: dict[str, list[str]],
) -> None:
    """Backends and functionalities are chosen by name, the latter at these backends."""
    data = data_of(capsys, *arguments)
    assert {column["name"]: column["keys"] for column in data["columns"]} == columns


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["mul.Tensor"], ["mul.Tensor"]),
        (["square"], ["square"]),
        (["mul.*e*r", "div.Tensor"], ["div.Tensor", "mul.Tensor"]),
    ],
)
def test_overloads_are_chosen(
    capsys: pytest.CaptureFixture[str], patterns: list[str], found: list[str]
) -> None:
    """Operators and overloads are chosen by name or pattern."""
    rows = data_of(capsys, *patterns)["overloads"]
    assert [row["op"] for row in rows] == [f"keyslot::{name}" for name in found]


def test_text(shop: Path) -> None:
    """Columns that are alike are joined, and those with one state are named below."""
    lines = run_in(shop, "scale", "spread").splitlines()
    header, *rows = [line.split("  ") for line in lines[:3]]
    assert [name.strip() for name in header if name] == [
        *("overload", "NumPy", "Torch to Meta", "Sparse", "AutogradOther", "Autograd"),
    ]
    assert [text.strip() for text in rows[1] if text] == [
        *("spread.default", "composite", "composite", "own 1, composite 8"),
        *("ambiguous", "composite"),
    ]
    assert "fallthrough everywhere: BackendSelect, ADInplaceOrView, Autocast" in lines
    assert "2 overloads" in lines
    assert "  ambiguous: an error: two kernels, none is first" in lines


def test_all_columns(shop: Path) -> None:
    """With --all no column is left out or joined."""
    header = run_in(shop, "--all").splitlines()[0].split()
    assert len(header) == 1 + len(json.loads(run_in(shop, "--json"))["columns"])


def test_missing(shop: Path) -> None:
    """--missing shows overloads that fail in a column shown, and then ends with 1."""
    found = run_in(shop, "--backend", "Torch", "--missing", "--all", code=1)
    assert found.splitlines()[1:3] == ["scale.default  missing", ""]
    assert run_in(shop, "track", "--backend", "Torch", "--missing") == "0 overloads\n"
    other = run_in(shop, "--functionality", "AutogradOther", "--missing", code=1)
    assert "spread.default" in other


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backend", "numpy"], "there is no backend 'numpy'. Did you mean NumPy?\n"),
        (
            ["--functionality", "Autogrd"],
            "there is no functionality 'Autogrd'. Did you mean Autograd",
        ),
        (["no_such*"], "no operator or overload matches 'no_such*'\n"),
        (
            ["--html", "no_such_folder/page.html"],
            "no_such_folder/page.html: No such file or directory\n",
        ),
        (["--html", "."], ".: Is a directory\n"),
    ],
)
def test_wrong_input(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """What means nothing ends with 2 and one sentence."""
    assert main(["coverage", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith(message)
    assert len(said.splitlines()) == 1


# --- the page -------------------------------------------------------------------------


class Page(HTMLParser):
    """The elements of a page, with the attributes of each, and its rows of text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()

    def links(self) -> list[str]:
        """Return what the page links to outside of itself."""
        targets = (a.get("href") for tag, a in self.elements if tag == "a")
        return [target for target in targets if target and not target.startswith("#")]


def page_of(folder: Path, *arguments: str) -> Page:
    """Write the page of a project and read it."""
    run_in(folder, "--html", "page.html", *arguments)
    return Page((folder / "page.html").read_text("utf-8"))


def test_page_has_the_table(shop: Path) -> None:
    """Without any script the page is a table of the words of every cell."""
    page = page_of(shop)
    data = json.loads(run_in(shop, "--json"))
    header, *rows = page.rows
    assert header[1:] == [column["name"] for column in data["columns"]]
    assert [row[0] for row in rows] == [
        *("scale.default", "spread.default", "track.default", "turn.default")
    ]
    states = data["overloads"][1]["states"].values()
    assert (
        rows[1][1:-1]
        == [
            (
                ", ".join(f"{state} {len(keys)}" for state, keys in held.items())
                if len(held) > 1
                else next(iter(held))
            )
            for held in states
        ][:-1]
    )


def test_page_stands_alone(shop: Path) -> None:
    """Nothing on the page is loaded from elsewhere."""
    page = page_of(shop)
    assert all("src" not in attributes for _, attributes in page.elements)
    loaded = [a["href"] for tag, a in page.elements if tag == "link"]
    assert loaded == ["data:,"]
    assert "@import" not in page.text
    assert "url(" not in page.text


def test_page_escapes_what_yaml_says(shop: Path) -> None:
    """Markup and quotes in YAML are text; the only script is the page's own."""
    page = page_of(shop)
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert "Scale <script>alert(1)</script> by mode." in page.text
    titles = {attributes.get("title") for _, attributes in page.elements}
    schema = json.loads(run_in(shop, "scale", "--json"))["overloads"][0]["schema"]
    assert schema in titles


def test_page_links_to_files(shop: Path) -> None:
    """Links lead to the declarations, relative to the page or to a site's address."""
    assert set(page_of(shop).links()) == {"ops.yaml"}
    address = "https://example.org/blob/main"
    lines = OPS.splitlines()
    first = [n for n, line in enumerate(lines, 1) if line.startswith("- func")]
    assert set(page_of(shop, "--source-url", address).links()) == {
        f"{address}/ops.yaml#L{line}" for line in first
    }


def test_page_links_to_kernels(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links lead to where kernels below the current folder get their name."""
    monkeypatch.chdir(ROOT)
    page, address = tmp_path / "page.html", "https://example.org/blob/main"
    arguments = ["mul.out", "--html", str(page), "--source-url", address]
    assert main(["coverage", *arguments]) == 0
    assert capsys.readouterr().out == f"{page}: 1 overload\n"
    file, line = place_of(ops.mul.out.table["NumPy"].kernel)
    declared, *kernels = Page(page.read_text("utf-8")).links()
    assert declared.startswith(f"{address}/{ops.mul.out.origin}#L")
    assert f"{address}/{file}#L{line}" in kernels


def test_page_is_replaced_whole(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that cannot be put in place leaves the old one, and nothing else."""
    page = tmp_path / "page.html"
    page.write_text("old")

    def refuse(source: Path, target: Path) -> None:
        assert source.read_text("utf-8").endswith("</html>\n")
        raise OSError(13, "Permission denied", str(target))

    monkeypatch.setattr(os, "replace", refuse)
    assert main(["coverage", "mul", "--html", str(page)]) == 2
    assert capsys.readouterr().err == f"{page}: Permission denied\n"
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_page_goes_where_a_link_leads(tmp_path: Path) -> None:
    """A link stays one, and the file that it leads to is replaced."""
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    page.write_text("old")
    link.symlink_to(page)
    assert main(["coverage", "mul", "--html", str(link)]) == 0
    assert link.is_symlink()
    assert page.read_text("utf-8").endswith("</html>\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_page_goes_into_a_pipe(tmp_path: Path) -> None:
    """What is no plain file is written to. It is not replaced: it may be a device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        text = pool.submit(pipe.read_text, "utf-8")
        assert main(["coverage", "mul", "--html", str(pipe)]) == 0
    assert text.result().endswith("</html>\n")
    assert pipe.is_fifo()
