"""Whatever a project says, it is refused, or becomes Python of the known form."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from keyslot.codegen.fields import FIELDS

from .codegen_cases import Run, generate
from .generated_form import check_form

GOOD = "neg(Tensor self) -> Tensor"
#: Everything that ends a line, a string, a comment, a template or a name somewhere.
TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "\"'\\\n\r\t\f\v\0{}%#`$;:,.()[] a_1\x1b\x85\u2028\u202e\ufeffé"
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=20,
)
WORDS = st.sampled_from(
    [
        "neg.out",
        "function",
        "NumPy",
        "NumPy, Meta",
        "core",
        "os:system",
        "x; import os",
        "__import__('os')",
        "f(int x=1) -> Tensor",
        "f(Tensor(a!) self) -> Tensor(a!)",
        'f(Tensor self, str x=\'"""\') -> Tensor',
        "f(Tensor self, *, int class=2, float from=-1e5) -> (Tensor a, Tensor b)",
        "true",
        "{{ 7 * 7 }}",
        '"""',
    ]
)
VALUES = st.recursive(
    TEXT | WORDS | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT | WORDS, inner, max_size=3)
    ),
    max_leaves=4,
)
CONFIG_WITH_KEYS = """\
[tool.keyslot]
namespace = "demo"
schemas = ["ops*.yaml"]
output = "demo_ops"
keys = "keys.yml"
"""


def check_outcome(files: dict[str, str]) -> Run:
    """Run the generator: it says what is wrong, or writes code of the known form."""
    with TemporaryDirectory() as folder:
        run = generate(Path(folder), files)
        output = Path(folder) / "demo_ops"
        if run.code == 0:
            for path in output.rglob("*.py*"):
                if path.suffix in (".py", ".pyi"):
                    check_form(path.read_text("utf-8"))
        else:
            assert run.code == 2
            *_, count = run.said.splitlines()
            assert re.fullmatch(r"\d+ problems?\.", count)
            assert re.match(r".+: .+", run.said)
            assert not output.exists()
        return run


def as_yaml(value: object) -> str:
    """Return a value as YAML, which is JSON, but for pairs of surrogates."""
    return json.dumps(value, ensure_ascii=False)


@settings(deadline=None, max_examples=60)
@given(
    TEXT
    | st.lists(
        WORDS | TEXT | st.sampled_from(["-", "?", ":", "&", "*", "!", "|\n"])
    ).map("".join)
)
def test_any_text_is_a_schema_file_or_refused(text: str) -> None:
    """No text of a schema file makes the generator fail in another way."""
    check_outcome({"ops.yaml": text})


@settings(deadline=None, max_examples=60)
@given(
    st.fixed_dictionaries(
        {"func": st.just(GOOD) | WORDS | VALUES},
        optional=dict.fromkeys(FIELDS, WORDS | VALUES),
    )
)
def test_any_value_of_a_field_is_a_literal_or_refused(entry: dict[str, Any]) -> None:
    """No value in any field of an entry becomes code."""
    check_outcome({"ops.yaml": as_yaml([entry])})


@settings(deadline=None, max_examples=60)
@given(field=st.sampled_from(["doc", "tags", "dispatch", "autogen"]), text=TEXT | WORDS)
def test_any_value_of_one_field(field: str, text: str) -> None:
    """An entry that is right but for one value gets into the output most often."""
    value: object = {"NumPy": text} if field == "dispatch" else text
    entry = {"func": GOOD, field: value}
    run = check_outcome({"ops.yaml": as_yaml([entry])})
    assert field != "doc" or run.code == 0 or not text.strip() or not text.isprintable()


@settings(deadline=None, max_examples=60)
@given(name=TEXT | WORDS, text=TEXT | WORDS)
def test_any_tag_is_a_literal_or_refused(name: str, text: str) -> None:
    """Tags of a project's own get into the output as what they are."""
    entry = {"func": GOOD, "tags": [name]}
    check_outcome(
        {
            "ops.yaml": as_yaml([entry]),
            "tags.yaml": as_yaml([{"tag": name, "desc": text}]),
        }
    )


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "backends",
                "functionalities",
                "groups",
                "aliases",
                "autograd",
                "included",
                "array_types",
            ]
        ),
        WORDS | VALUES,
    ),
    TEXT | WORDS,
)
def test_any_key_space_is_made_or_refused(fields: dict[str, Any], name: str) -> None:
    """No text of a file of keys becomes code."""
    space = {"name": name, "functionalities": ["Mine"], **fields}
    check_outcome(
        {
            "keys.yml": as_yaml(space),
            "ops.yaml": f"- func: {GOOD}\n",
            "pyproject.toml": CONFIG_WITH_KEYS,
        }
    )


@settings(deadline=None, max_examples=60)
@given(
    option=st.sampled_from(["namespace", "schemas", "update", "package", "keys"]),
    value=TEXT | WORDS | st.lists(TEXT, max_size=2),
)
def test_any_option_is_taken_or_refused(option: str, value: str | list[str]) -> None:
    """No option of a configuration becomes code."""
    options = {"namespace": "demo", "schemas": ["ops*.yaml"], "output": "demo_ops"}
    # Strings and lists are written alike in JSON and TOML, but for these characters.
    lines = "".join(
        f"{name} = {json.dumps(given).replace(chr(127), '?')}\n"
        for name, given in (options | {option: value}).items()
    )
    check_outcome(
        {"ops.yaml": f"- func: {GOOD}\n", "pyproject.toml": f"[tool.keyslot]\n{lines}"}
    )
