"""Schema files are untrusted: nothing in them becomes code."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyslot.codegen.header import is_ours, make_header
from keyslot.codegen.literals import docstring, literal, one_line, string

from .codegen_cases import CONFIG, generate

#: Everything that ends a line, a string or a template somewhere.
HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from("\"'\\\n\r\t\f\v\0{}%#`$ a\x1b\x85\u2028\u202e\ufeff"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


def shape(text: str) -> str:
    """Return the tree of a module with every literal replaced by one and the same."""

    class Blank(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.Constant:
            return ast.copy_location(ast.Constant(None), node)

    return ast.dump(Blank().visit(ast.parse(text)))


@given(HOSTILE)
def test_string_is_the_same_text(text: str) -> None:
    """The source of a string evaluates to the text, on one line."""
    source = string(text)
    assert ast.literal_eval(source) == text
    assert source.splitlines() == [source]


@given(st.recursive(st.none() | st.booleans() | st.integers() | HOSTILE, st.lists))
def test_default_is_a_literal(value: object) -> None:
    """The source of a default evaluates to it, lists having become tuples."""

    def frozen(item: object) -> object:
        if isinstance(item, list):
            return tuple(map(frozen, cast("list[object]", item)))
        return item

    assert ast.literal_eval(literal(value)) == frozen(value)  # type: ignore[arg-type]  # values are the nested lists and scalars of Default


@given(st.lists(HOSTILE, min_size=1, max_size=3))
def test_docstring_is_only_a_docstring(parts: list[str]) -> None:
    """A docstring parses as one expression and says every visible word."""
    source = docstring(*parts)
    (statement,) = ast.parse(source).body
    assert isinstance(statement, ast.Expr)
    value = ast.literal_eval(statement.value)
    assert isinstance(value, str)
    assert value.split() == "\n".join(parts).split()


@given(HOSTILE, HOSTILE)
def test_header_is_two_comments(source: str, command: str) -> None:
    """Whatever a file or a command is called, a header is two lines of comment."""
    header = make_header("codegen/", [f"x{source}"], f"x{command}")
    assert header.count("\n") == len(header.splitlines()) == 2
    assert ast.parse(header).body == []
    assert is_ours(header)
    assert one_line(source).isprintable()


@pytest.mark.parametrize(
    "doc",
    [
        '"""\nimport os\nos.system("true")\n"""',
        "\\",
        'ends with a quote"',
        "{{ 7 * 7 }} {% for x in y %} {# nothing #}",
        "\u2028import os",
        "a\0b\x85c",
    ],
)
def test_text_never_changes_the_shape_of_a_module(doc: str, tmp_path: Path) -> None:
    """Any text where text is allowed gives the module that harmless text gives."""
    shapes: set[tuple[str, ...]] = set()
    for place, text in enumerate((doc, "harmless")):
        entry = {
            "func": "neg(Tensor self, str mode='x') -> Tensor",
            "doc": text,
            "dispatch": {"NumPy": "numpy:negative"},
            # A formula may name what it likes to call; it is never generated as code.
            "derivatives": {"self": "grad * self.open(system(mode))"},
        }
        files = {"ops.yaml": json.dumps([entry])}
        run = generate(tmp_path / str(place), files)
        assert run.code == 0, run.said
        folder = tmp_path / str(place) / "demo_ops" / "ops"
        made = [folder / "ops.py", folder / "ops.pyi"]
        shapes.add(tuple(shape(path.read_text("utf-8")) for path in made))
    assert len(shapes) == 1


@pytest.mark.parametrize(
    "field",
    [
        {"func": "neg(Tensor self) -> Tensor; import os"},
        {"func": "import os\nneg(Tensor self) -> Tensor"},
        {"func": "né(Tensor self) -> Tensor"},
        {"func": "neg.a b(Tensor self) -> Tensor"},
        {"dispatch": {"NumPy": "numpy:negative; import os"}},
        {"dispatch": {"NumPy": "numpy:(negative)"}},
        {"dispatch": {"NumPy": "numpy:negative\n"}},
        {"dispatch": {"NumPy, import os": "negative"}},
        {"tags": ["core\nimport os"]},
        {"autogen": "neg.out; import os"},
        {"structured_delegate": "neg.out\n"},
        {"shape": "pointwise; import os"},
        {"shape": "pointwise\n"},
        {"batching": "reduction(self); import os"},
        {"batching": "reduction(self.__class__)"},
        {"derivatives": {"self": "__import__('os')"}},
        {"derivatives": {"self": "grad\nimport os"}},
        {"derivatives": {"self; import os": "grad"}},
        {"torch": {"shape": "numpy:negative; import os"}},
        {"torch": {"kernels": {"CPU": "numpy:(negative)"}}},
        {"torch": {"backward": {"self": "__import__('os')"}}},
        {"torch": {"backward": {"self; import os": "grad"}}},
    ],
)
def test_names_are_names(field: dict[str, object], tmp_path: Path) -> None:
    """What is no name is refused wherever a name is wanted."""
    entry = {"func": "neg(Tensor self) -> Tensor", **field}
    run = generate(tmp_path, {"ops.yaml": json.dumps([entry])})
    assert run.code == 2
    assert not (tmp_path / "demo_ops").exists()


@pytest.mark.parametrize("name", ["no module.yaml", "class.yaml", "7.yaml", "ö-ä.yaml"])
def test_any_file_name_makes_a_module(name: str, tmp_path: Path) -> None:
    """A schema file may be called anything; its module has a name that Python takes."""
    config = CONFIG.replace("ops*.yaml", "*.yaml")
    files = {name: "- func: neg(Tensor self) -> Tensor\n", "pyproject.toml": config}
    assert generate(tmp_path, files).code == 0
    names = [path.stem for path in (tmp_path / "demo_ops" / "ops").glob("*.py")]
    assert len(names) == 2
    for module in names:
        ast.parse(f"import {module}")
