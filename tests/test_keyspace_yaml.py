"""Key spaces are read from YAML, and what is wrong in one is said completely."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from keyslot.codegen.keyspace import OPTIONAL, load_keyspace, parse_keyspace
from keyslot.codegen.problems import Problems
from keyslot.runtime import errors
from keyslot.runtime.space import KeySpace

ROOT = Path(__file__).parent.parent
CASES = Path(__file__).parent / "data" / "keyspace_errors.txt"


def refusal(text: str) -> str:
    """Return what is said against a key space."""
    problems = Problems()
    space = parse_keyspace(text, "keys.yaml", problems)
    assert (space is None) == bool(problems)
    return str(problems) if problems else "accepted"


def cases() -> Iterator[tuple[str, str, str]]:
    """Yield title, YAML and recorded message of every case."""
    _, *parts = re.split(r"^=== (.*)\n", CASES.read_text("utf-8"), flags=re.M)
    for title, text, says, message in zip(*[iter(parts)] * 4, strict=True):
        assert says == "says"
        yield title, text, message


def test_refusals_are_as_recorded(update_cases: bool) -> None:
    """The message for each bad key space is exactly the one in the case file."""
    before = CASES.read_text("utf-8")
    now = before[: before.index("=== ", before.index("\n\n"))]
    for title, text, _ in cases():
        now += f"=== {title}\n{text}=== says\n{refusal(text)}\n\n"
    now = now.removesuffix("\n")
    if update_cases:
        CASES.write_text(now, "utf-8", newline="\n")
    else:
        assert now == before


def test_no_bad_key_space_is_accepted() -> None:
    """Each case has a message that names a place in the file."""
    assert len(list(cases())) > 25
    assert [title for title, _, says in cases() if "keys.yaml:" not in says] == []


def read(text: str) -> KeySpace:
    """Read a key space that is as it should be."""
    problems = Problems()
    space = parse_keyspace(text, "keys.yaml", problems)
    assert space is not None, str(problems)
    return space


def test_the_smallest_key_space() -> None:
    """A name and one functionality make a key space."""
    space = read("name: tiny\nfunctionalities: [Only]")
    assert space.keys == ("Undefined", "Only")
    assert space.functionality_of == {"Undefined": "Undefined", "Only": "Only"}
    for empty in (space.aliases, space.backend_of, space.array_types):
        assert not empty
    assert space.default_backend is space.autograd_other is None


def test_a_key_space_in_full() -> None:
    """Every field is expanded to runtime keys, in the order of their priority."""
    space = read(FULL)
    assert space.name == "full"
    assert space.keys == (
        *("Undefined", "A", "B", "SparseA", "SparseB", "Other"),
        *("AutogradA", "AutogradB", "Top"),
    )
    assert space.backends == ("A", "B")
    assert space.functionality_of["AutogradB"] == "Autograd"
    assert space.backend_of["AutogradB"] == "B"
    assert "Other" not in space.backend_of
    # The aliases keep the order in which they are written: it is their precedence.
    assert list(space.aliases.items()) == [
        ("Second", ("B", "SparseB", "Other")),
        ("First", ("A", "B", "SparseA", "SparseB", "Other", "AutogradA", "AutogradB")),
        ("One", ("Top",)),
    ]
    assert space.autograd_backends == {
        "AutogradA": ("A",),
        "Other": ("SparseA", "SparseB"),
    }
    assert space.autograd_other == "Other"
    assert space.behind_autograd_other == ("SparseA", "SparseB")
    assert space.fallthrough == ("AutogradA", "AutogradB", "Top")
    assert space.included == ("Top",)
    assert space.excluded == ("AutogradB",)
    assert space.array_types == {"a:b": "A", "a.b:C.d": "B", "e:f": "B"}
    assert space.scalar_types == {"a:s": "A"}
    assert space.array_functionalities == ("Dense", "Autograd")
    assert space.default_backend == "B"


FULL = """
name: full
backends: [A, B]
functionalities:
  - Dense: "{backend}"
  - Sparse: "Sparse{backend}"
  - Other
  - Autograd: "Autograd{backend}"
  - Top
groups:
  kernels: [Sparse, Dense, Other]
aliases:
  Second: {functionalities: [kernels], except_backends: A}
  First: [Autograd, kernels]
  One: Top
autograd:
  Autograd: {functionalities: [Dense, Sparse], except: [Sparse], except_backends: [B]}
  Other: Sparse
autograd_other: Other
fallthrough: [Top, Autograd]
included: [Top]
excluded: {functionalities: Autograd, except_backends: A}
array_types:
  A: a:b
  B: ["a.b:C.d", e:f]
scalar_types: {A: a:s}
array_functionalities: [Dense, Autograd]
default_backend: B
"""


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A file that cannot be read is one of the problems."""
    problems = Problems()
    assert load_keyspace(tmp_path / "keys.yaml", "keys.yaml", problems) is None
    assert str(problems) == "keys.yaml: cannot be read: No such file or directory"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    """A file that is not UTF-8 is one of the problems."""
    (tmp_path / "keys.yaml").write_bytes(b"name: \xff")
    problems = Problems()
    assert load_keyspace(tmp_path / "keys.yaml", "keys.yaml", problems) is None
    assert str(problems) == "keys.yaml: is not UTF-8 text: byte 6 is wrong"


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    """A file that no declaration needs is not parsed."""
    (tmp_path / "keys.yaml").write_text("# much\n" * 2_500_000)
    problems = Problems()
    assert load_keyspace(tmp_path / "keys.yaml", "keys.yaml", problems) is None
    assert str(problems) == "keys.yaml: is larger than 16 MB"


def test_files_of_windows(tmp_path: Path) -> None:
    """A mark at the beginning and line ends of two characters are taken as text."""
    (tmp_path / "keys.yaml").write_bytes(
        b"\xef\xbb\xbfname: x\r\nfunctionalities: [One, One]\r\n"
    )
    problems = Problems()
    assert load_keyspace(tmp_path / "keys.yaml", "keys.yaml", problems) is None
    assert str(problems).startswith("keys.yaml:2:24: the functionality 'One' is decl")


def test_problems_are_raised_together() -> None:
    """All problems of all files come in one error, sorted by place."""
    problems = Problems()
    parse_keyspace("name: [x]\nfunctionalities: 3", "b.yaml", problems)
    parse_keyspace("- x", "a.yaml", problems)
    with pytest.raises(errors.DeclarationError) as caught:
        problems.raise_any()
    assert isinstance(caught.value, ValueError)
    assert str(caught.value) == MESSAGE
    assert str(pickle.loads(pickle.dumps(caught.value))) == MESSAGE


MESSAGE = """\
a.yaml:1:1: a key space must be a mapping, not a list
    - x
    ^
b.yaml:1:7: 'name' must be text, not a list
    name: [x]
          ^
b.yaml:2:18: 'functionalities' must be a list, not '3'
    functionalities: 3
                     ^
3 problems."""


def test_a_short_file_cannot_ask_for_millions_of_keys() -> None:
    """The number of keys is bounded."""
    backends = [f"B{number}" for number in range(1000)]
    functionalities = [
        {f"F{number}": f"F{number}{{backend}}"} for number in range(1000)
    ]
    text = json.dumps(
        {"name": "x", "backends": backends, "functionalities": functionalities}
    )
    assert refusal(text).splitlines()[0].endswith("a key space has at most 4096 keys")


def test_aliases_cannot_multiply() -> None:
    """An alias bomb is refused where it begins, before it is expanded."""
    bomb = "a: &a [x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefghijklmnopqrstuvwxyz")
    )
    assert refusal(bomb).startswith("keys.yaml:1:4: anchors are not allowed")


def test_deep_nesting() -> None:
    """Nesting is bounded, so no file exhausts the stack."""
    message = "keys.yaml:1:36: nested more than 30 deep\n"
    assert refusal(f"name: {'[' * 40}").startswith(message)
    assert refusal(f"name: {'[' * 100_000}") != "accepted"


words = st.sampled_from(
    ["A", "B", "Dense", "{backend}", "X{backend}", "One", "One", "all", "a:b", "", "Z"]
)
selections = st.recursive(
    words | st.none(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        words | st.sampled_from(["functionalities", "except", "except_backends"]),
        inner,
        max_size=3,
    ),
    max_leaves=6,
)
fields = st.sampled_from(["name", "functionalities", *OPTIONAL])


@given(st.dictionaries(fields, selections))
def test_any_yaml_is_a_key_space_or_has_problems(declared: dict[str, object]) -> None:
    """Whatever the fields hold, the reader answers and does not break."""
    refusal(json.dumps({"name": "x", "backends": ["A", "B"], **declared}))


def test_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML's parser in Python gives the same keys and the same messages."""
    monkeypatch.setattr("keyslot.codegen.nodes._Loader", yaml.SafeLoader)
    test_a_key_space_in_full()
    # What is no YAML at all, the two parsers say in words of their own.
    own = "it is not YAML"
    changed = [title for title, text, says in cases() if refusal(text) != says.strip()]
    assert changed == [own]


@pytest.mark.parametrize("file", ["schemas/keys.yaml", "schemas/torch/keys.yaml"])
def test_key_spaces_of_the_repository(file: str) -> None:
    """The key spaces that come with keyslot are in order."""
    problems = Problems()
    assert load_keyspace(ROOT / file, file, problems) is not None
    assert str(problems) == ""


def test_generated_keys_are_those_of_the_yaml() -> None:
    """generated/keys.py has the key space of schemas/keys.yaml, in every field."""
    generated = import_module("keyslot.generated.keys")
    declared = load_keyspace(ROOT / "schemas/keys.yaml", "", Problems())
    for field in KeySpace.__slots__:
        if not field.startswith("_"):
            assert getattr(generated.SPACE, field) == getattr(declared, field), field
    # Equal mappings may differ in order, and the order of aliases is their precedence.
    assert declared is not None
    assert list(generated.SPACE.aliases) == list(declared.aliases)
    names = [*generated.SPACE.keys, *generated.SPACE.aliases]
    assert [key.value for key in generated.DispatchKey] == names
