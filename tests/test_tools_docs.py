"""The command `keyslot docs`: a reference of a project's operators."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib import invalidate_caches
from itertools import count
from pathlib import Path

import pytest

from keyslot import ops
from keyslot.tools.__main__ import main
from keyslot.tools.reference.doc_text import read_blocks, read_line, summary
from keyslot.tools.reference.highlight import highlight
from keyslot.tools.reference.signature_tokens import schema_tokens
from keyslot.tools.sources.names import find_named
from keyslot.tools.text import Code

from .codegen_cases import CONFIG, Run, captured, generate, make_project
from .html_pages import check_links, read_page

ROOT = Path(__file__).parent.parent
OPS = """\
# What `demo` has.
# It is little.

- func: scale(Tensor self, *, Scalar by=1) -> Tensor
  tags: [core, pointwise]
  dispatch:
    NumPy: my_kernels:scale
    JAX: my_kernels:made.scale
  doc: |
    Multiply `self` by a number, see `fill_` and `by`.

    - one
    - two

    Example:
        >>> ops.scale(3, by=2)
        6
- func: fill_(Tensor(a!) self) -> Tensor(a!)
  autogen: fill
  doc: Fill `self`.
  dispatch:
    CompositeExplicitAutograd: my_kernels:fill_
"""
FILES = {"ops.yaml": OPS}
#: Text that would do something in a page if it were not escaped.
HOSTILE = (
    """<script>alert(1)</script> `"><img src=x onerror=alert(1)>` {{ 7 * 7 }} &amp;"""
)


def docs(folder: Path, *arguments: str) -> Run:
    """Run `keyslot docs` in a folder, and return what it said."""
    with pytest.MonkeyPatch.context() as patch, captured() as said:
        patch.chdir(folder)
        patch.setattr(sys, "path", sys.path.copy())
        code = main(["docs", *arguments])
    return Run(code, said())


def write_docs(folder: Path, files: Mapping[str, str], *arguments: str) -> Path:
    """Make a project and the pages of it, and return their folder."""
    make_project(folder, files)
    run = docs(folder, "--skip-examples", *arguments)
    assert run.code == 0, run.said
    return folder / "build" / "docs"


def texts(folder: Path) -> dict[str, str]:
    """Return the files of a reference, by their name."""
    paths = (path for path in folder.rglob("*.*") if ".keyslot-cache" not in path.parts)
    return {p.relative_to(folder).as_posix(): p.read_text("utf-8") for p in paths}


@pytest.fixture(scope="module")
def own() -> Iterator[Path]:
    """Yield the reference of keyslot's own operators, within the repository."""
    folder = ROOT / "build" / "docs-of-tests"
    run = docs(ROOT, "--output", str(folder))
    assert run.code == 0, run.said
    yield folder
    shutil.rmtree(folder)


NAMES = count()


@pytest.fixture
def examples(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return a generated project of a name of its own, which can be imported."""
    name = f"docs_of_tests_{next(NAMES)}"
    config = CONFIG.replace("demo_ops", name).replace("demo", name)
    doc = getattr(request, "param", "doc: None.")
    kernels = "def double(self):\n    return self + self\n"
    ops = (
        "- func: double(Tensor self) -> Tensor\n  dispatch:\n"
        f"    NumPy: {name}_kernels:double\n  {doc}\n"
    )
    files = {"pyproject.toml": config, "ops.yaml": ops, f"{name}_kernels.py": kernels}
    assert generate(tmp_path, files).code == 0
    return tmp_path


# --- pages ----------------------------------------------------------------------------


def test_own_reference_is_valid(own: Path) -> None:
    """All pages of keyslot's operators are balanced, and all links lead somewhere."""
    check_links(own)
    add = read_page(own / "ops" / "add.html")
    sources = {link.rpartition("/")[0] for link in add.links if ".html" not in link}
    assert {"../../../kernels/numpy", "../../../schemas/ops"} <= sources
    assert "overload-Tensor" in add.ids


def test_page_of_an_operator_says_everything(tmp_path: Path) -> None:
    """Signature, text, tags, kernels and dispatch of each overload are there."""
    page = read_page(write_docs(tmp_path, FILES) / "ops" / "scale.html")
    text = re.sub(r"\s+", " ", page.text)
    for part in (
        "scale(self, *, by=1)",
        "scale(Tensor self, *, Scalar by=1) -> Tensor",
        "Multiply self by a number, see fill_ and by.",
        ">>> ops.scale(3, by=2) 6",
        "core pointwise",
        "Kernel at NumPy my_kernels:scale",
        "ops.yaml:4",
        "NumPy, JAX the kernel at the key itself",
        "every Dense key but NumPy and JAX",
    ):
        assert part in text, part
    # An operator that the text names is linked, an argument is not.
    assert "fill_.html" in page.links
    assert "../../../ops.yaml" in page.links


def test_derived_overload_leads_to_its_source(tmp_path: Path) -> None:
    """What is derived says of what, instead of repeating its text."""
    folder = write_docs(tmp_path, FILES)
    page = read_page(folder / "ops" / "fill.html")
    assert "fill_.html" in page.links
    assert "Derived from" in page.text
    assert "Do what fill_ does, but leave self unchanged" in page.text
    check_links(folder)


def test_index_lists_families_with_their_introduction(tmp_path: Path) -> None:
    """The index has a section for each file, introduced by its first comment."""
    files = {"ops_a.yaml": OPS, "ops_b.yaml": "- func: g(Tensor self) -> Tensor\n"}
    page = read_page(write_docs(tmp_path, files) / "index.html")
    assert {"family-ops_a", "family-ops_b"} <= {*page.ids}
    assert "What demo has. It is little." in page.text
    assert {"ops/scale.html", "ops/g.html"} <= {*page.links}
    assert "4 operators in\n2 families" in page.text


def test_text_of_declarations_is_only_text(tmp_path: Path) -> None:
    """Nothing from YAML becomes an element, an attribute or a part of a template."""
    example = "\n\n    >>> '<script>alert(2)</script>'\n    '<b>'\n"
    ops = f"# {HOSTILE}\n- func: f(str a='<i>', Tensor[] b=[]) -> Tensor\n  doc: |\n"
    folder = write_docs(tmp_path, {"ops.yaml": f"{ops}    {HOSTILE}{example}"})
    for path in (folder / "index.html", folder / "ops" / "f.html"):
        page = read_page(path)
        assert not {"img", "i"} & {*page.elements}
        assert page.elements.count("script") == (path.name == "index.html")
        assert "onerror" not in page.attributes
        assert "{{ 7 * 7 }} &amp;" in page.text
    assert "'<script>alert(2)</script>'" in page.text
    assert "<i>" in page.text


def test_operators_that_differ_in_case_have_two_pages(tmp_path: Path) -> None:
    """File systems that ignore case keep both."""
    ops = "".join(f"- func: {name}(Tensor self) -> Tensor\n" for name in ("T", "t"))
    folder = write_docs(tmp_path, {"ops.yaml": ops})
    assert {path.name.lower() for path in (folder / "ops").iterdir()} == {
        "t.html",
        "t-2.html",
    }
    check_links(folder)


def test_project_without_operators_has_an_index(tmp_path: Path) -> None:
    """There is nothing to list, and the page says so."""
    folder = write_docs(tmp_path, {"ops.yaml": ""})
    assert "0 operators" in read_page(folder / "index.html").text


def test_operator_without_kernels_says_so(tmp_path: Path) -> None:
    """An empty `dispatch` means that a program has to register a kernel."""
    ops = "- func: f(Tensor self) -> Tensor\n  dispatch: {}\n"
    folder = write_docs(tmp_path, {"ops.yaml": ops})
    assert "no kernel until a program registers one" in (
        read_page(folder / "ops" / "f.html").text
    )


# --- links to source ------------------------------------------------------------------


def test_source_may_be_on_the_web(tmp_path: Path) -> None:
    """With --source-url links lead there, to the very line."""
    url = "https://example.org/me/project/blob/main/"
    folder = write_docs(tmp_path, FILES, "--source-url", url)
    assert f"{url}ops.yaml#L4" in read_page(folder / "ops" / "scale.html").links


@pytest.mark.parametrize("url", ["javascript:alert(1)", "example.org", ""])
def test_source_url_is_a_web_address(url: str, tmp_path: Path) -> None:
    """Any other kind of address is refused: pages are looked at in browsers."""
    make_project(tmp_path, FILES)
    with pytest.raises(SystemExit) as ended:
        docs(tmp_path, "--source-url", url)
    assert ended.value.code == 2


def test_pages_outside_of_the_project_name_no_folders(tmp_path: Path) -> None:
    """Links from elsewhere would hold paths of this machine, so there are none."""
    make_project(tmp_path / "project", FILES)
    run = docs(tmp_path / "project", "--skip-examples", "--output", "../pages")
    assert run.code == 0
    for text in texts(tmp_path / "pages").values():
        assert str(tmp_path) not in text
        assert "../../project" not in text
    assert "ops.yaml:4" in texts(tmp_path / "pages")["ops/scale.html"]


SOURCES = {
    "__init__.py": "from .inner import shared as renamed\nfrom . import inner\n",
    "inner.py": (
        "from operator import add\n"
        "def family(): return 1, 2\n"
        "one, two = family()\n"
        "if True:\n"
        "    three: int = 3\n"
        "def shared():\n"
        "    hidden = 1\n"
        "if False:\n"
        "    from . import missing\n"
        "    from ...... import beyond\n"
        "class Four:\n"
        "    method = 1\n"
    ),
    "broken.py": "def (\n",
    "loop.py": "from .loop import name\n",
    "raising.py": "raise RuntimeError\n",
}


@pytest.mark.parametrize(
    ("module", "name", "place"),
    [
        ("{0}", "renamed", "inner.py:6"),
        ("{0}", "inner.one", "inner.py:3"),
        ("{0}.inner", "two", "inner.py:3"),
        ("{0}.inner", "three", "inner.py:5"),
        ("{0}.inner", "Four.method", "inner.py:11"),
        ("{0}.inner", "hidden", None),
        ("{0}.inner", "missing", None),
        ("{0}.inner", "beyond", None),
        ("{0}.broken", "f", None),
        ("{0}.loop", "name", None),
        ("{0}.raising.inside", "f", None),
        ("no_such_module", "f", None),
        ("itertools", "count", None),
    ],
)
def test_kernels_are_found_where_they_get_their_name(
    module: str,
    name: str,
    place: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name is followed to the statement that binds it; no kernel is imported."""
    package = f"sources_of_tests_{next(NAMES)}"
    make_project(tmp_path / package, SOURCES)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    invalidate_caches()
    found = find_named(module.format(package), name)
    assert (found and f"{Path(found.file).name}:{found.line}") == place


# --- examples -------------------------------------------------------------------------

RIGHT = "doc: |\n    Double.\n\n    >>> int(ops.double(np.ones(())))\n    2"
TWO = f"{RIGHT}\n    >>> int(ops.double(np.ones(())))\n    3\n    >>> nothing\n    2"


LONGER = f"{RIGHT}\n    >>> one = 1\n\n    >>> one\n    1"
ANOTHER = f"{LONGER}\n\n    In a loop:\n\n    >>> for n in [3]:\n    ...     n\n    3"


@pytest.mark.parametrize(
    ("examples", "count"),
    [(RIGHT, "1 example"), (LONGER, "1 example"), (ANOTHER, "2 examples")],
    indirect=["examples"],
)
def test_examples_are_run(examples: Path, count: str) -> None:
    """Examples are counted, not their statements; words are between any two."""
    assert docs(examples).said.startswith(f"1 operator, {count} run\n")
    assert docs(examples, "--skip-examples").said.startswith("1 operator, 0 examples")


@pytest.mark.parametrize(
    ("examples", "says"),
    [
        (
            TWO,
            [
                "ops.yaml:9:5: the example of double prints '2', not '3'",
                "ops.yaml:11:5: the example of double raises NameError: name 'nothing'"
                " is not defined",
            ],
        ),
        (
            '"doc": "Double.\\n\\n>>> int(ops.double(np.ones(())))\\n5\\n"',
            ["ops.yaml:4:10: the example of double prints '2', not '5'"],
        ),
        (
            "doc: |\n    >>>ops.double(2)",
            [
                "ops.yaml:4:8: the text of double has a malformed example: line 1 of"
                " the docstring for double lacks blank after >>>: '>>>ops.double(2)'"
            ],
        ),
        (
            "doc: |\n    >>> int(ops.double(np.ones(())))",
            ["ops.yaml:5:5: the example of double prints '2', not nothing"],
        ),
    ],
    indirect=["examples"],
)
def test_wrong_examples_are_located(examples: Path, says: list[str]) -> None:
    """All wrong examples are reported where they stand, and no page is written."""
    run = docs(examples)
    problems = [line for line in run.said.splitlines() if line.startswith("ops.yaml")]
    assert problems == says
    assert run.code == 2
    assert not (examples / "build").exists()


def test_operators_have_to_be_generated_first(tmp_path: Path) -> None:
    """Without a generated package examples cannot run, and one sentence says so."""
    config = CONFIG.replace("demo_ops", "never_generated")
    make_project(tmp_path, {**FILES, "pyproject.toml": config})
    run = docs(tmp_path)
    assert run.said == "No module named 'never_generated'\n"
    assert run.code == 2


# --- files ----------------------------------------------------------------------------


def test_output_depends_on_the_input_alone(tmp_path: Path) -> None:
    """Two runs write the same, and a second run writes nothing."""
    first = texts(write_docs(tmp_path / "a", FILES))
    assert first == texts(write_docs(tmp_path / "b", FILES))
    said = docs(tmp_path / "a", "--skip-examples").said
    assert said.endswith("docs/: 0 files written, 6 unchanged, 0 removed\n")


def test_pages_of_operators_that_are_gone_are_removed(tmp_path: Path) -> None:
    """Stale pages go, files of somebody else stay, text of pages is brought up."""
    folder = write_docs(tmp_path, FILES)
    (folder / "ops" / "mine.html").write_text("<p>mine</p>", "utf-8")
    before = texts(folder)
    write_docs(tmp_path, {"ops.yaml": OPS.partition("- func: fill_")[0]})
    assert {*before} - {*texts(folder)} == {"ops/fill.html", "ops/fill_.html"}
    assert texts(folder)["ops/mine.html"] == "<p>mine</p>"


def test_page_of_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    """Where a foreign file stands in the way nothing is written, and it is named."""
    page = tmp_path / "build" / "docs" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<p>mine</p>", "utf-8")
    make_project(tmp_path, FILES)
    run = docs(tmp_path, "--skip-examples")
    assert run.code == 2
    assert run.said.startswith("build/docs/index.html: was not made by this generator")
    assert [*texts(page.parent)] == ["index.html"]


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A file where the folder should be is one sentence, not a traceback."""
    make_project(tmp_path, {**FILES, "build": "a file"})
    run = docs(tmp_path, "--skip-examples")
    assert run.said.startswith("build/docs")
    assert run.code == 2


# --- text -----------------------------------------------------------------------------


def test_text_is_read_into_blocks() -> None:
    """Paragraphs, lists, code and examples are told apart."""
    text = """
    One `a` and
    `b c`.

    - first
      goes on
    - second

        plain code

    Examples:
        >>> if True:
        ...     'x'
        'x'
        >>> 1

    After.
    """
    kinds = [block.kind for block in read_blocks(text)]
    assert kinds == ["paragraph", "list", "code", "example", "paragraph"]
    paragraph, items, code, example, _ = read_blocks(text)
    assert paragraph.lines == (("One ", "a", " and ", "b c", "."),)
    assert items.lines == (("first goes on",), ("second",))
    assert code.tokens[0].text == "plain code"
    shown = "".join(token.text for token in example.tokens)
    assert shown == ">>> if True:\n...     'x'\n'x'\n>>> 1\n"


def test_summary_is_the_first_paragraph() -> None:
    """The index shows what stands before the first blank line."""
    assert summary("Do `x`\nnow.\n\nMore.") == ("Do ", "x", " now.")
    assert isinstance(read_line("`x`")[0], Code)
    assert read_line("a ` b") == ("a ` b",)


@pytest.mark.parametrize(
    "source",
    ["x = 'a'  # b\n", "f(1,\n  2)\n", "'''a\nb''' if x else 0\n", "(", "é + 'ü'"],
)
def test_highlighting_keeps_the_text(source: str) -> None:
    """The pieces of some source are that source, whether Python can read it or not."""
    assert "".join(token.text for token in highlight(source)) == source.rstrip("\n")


@pytest.mark.parametrize("name", ["add", "clamp", "split", "var_mean", "full"])
def test_schema_in_pieces_is_the_schema(name: str) -> None:
    """The pieces of a schema, joined, are its text."""
    for overload in getattr(ops, name).overloads():
        schema = getattr(getattr(ops, name), overload).schema
        assert "".join(token.text for token in schema_tokens(schema)) == str(schema)
