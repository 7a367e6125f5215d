"""YAML that is odd or means ill: a located sentence, or the operators it declares."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from keyslot.codegen.nodes import parse_yaml
from keyslot.codegen.problems import MAX_PROBLEMS, Problems

from .codegen_cases import make_project, run_codegen

GOOD = "- func: neg(Tensor self) -> Tensor\n"
#: Bytes after a good entry that change nothing.
HARMLESS = {
    "a mark of the byte order": b"\xef\xbb\xbf" + GOOD.encode(),
    "line ends of Windows": GOOD.replace("\n", "\r\n").encode(),
    "line ends of old Macs": GOOD.replace("\n", "\r").encode(),
    "a directive": b"%YAML 1.1\n---\n" + GOOD.encode(),
    "the end of the document": GOOD.encode() + b"...\n",
    "a key in the long form": b"- ? func\n  : neg(Tensor self) -> Tensor\n",
}
#: Text after a good entry, and what is said of it.
REFUSED = {
    "  func: exp(Tensor self) -> Tensor\n": (
        "2:3: 'func' occurs twice, first at ops.yaml:1:3"
    ),
    "  'func': exp(Tensor self) -> Tensor\n": (
        "2:3: 'func' occurs twice, first at ops.yaml:1:3"
    ),
    "  fnuc: x\n": "2:3: unknown field 'fnuc'. Did you mean func?",
    "  d\u202eoc: x\n": "2:3: unknown field 'd\\u202eoc'. Did you mean doc?",
    "  d\u043ec: x\n": "2:3: unknown field 'd\u043ec'. Did you mean doc?",
    "  <<: {doc: x}\n": "2:3: unknown field '<<'. Allowed:",
    "  doc: &a x\n": "2:8: anchors are not allowed: take out '&a'",
    "  doc: *a\n": "2:8: aliases are not allowed: write out 'a'",
    "  doc: !!str x\n": "2:8: tags are not allowed: take out 'tag:yaml.org,2002:str'",
    "  doc: !x y\n": "2:8: tags are not allowed: take out '!x'",
    "- !!python/object/apply:os.system [true]\n": (
        "2:3: tags are not allowed: take out"
        " 'tag:yaml.org,2002:python/object/apply:os.system'"
    ),
    "  1: x\n": "2:3: a key must be a string: quote '1' if it is meant",
    "  ~: x\n": "2:3: a key must be a string: quote '~' if it is meant",
    "  true: x\n": "2:3: a key must be a string: quote 'true' if it is meant",
    "  [a]: x\n": "2:3: a key must be a string, not a list",
    "  {a: b}: x\n": "2:3: a key must be a string, not a mapping",
    "---\n" + GOOD: "2:1: a second document begins here; a file holds one",
    "...\nmore": "3:1: not YAML: did not find expected <document start>",
    "\tdoc: x\n": (
        "2:1: not YAML: found a tab character that violates indentation;"
        " indent with spaces"
    ),
    "  doc: note: this\n": (
        "2:12: not YAML: mapping values are not allowed in this context;"
        " quote a text that has ': ' in it"
    ),
    "  doc: `x`\n": (
        "2:8: not YAML: found character that cannot start any token;"
        " quote a text that begins with it"
    ),
    "  doc: a\0b\n": "2:9: the character U+0000 is not allowed",
    "  doc: a\x1bb\n": "2:9: the character U+001B is not allowed",
    "  doc: a\x7fb\n": "2:9: the character U+007F is not allowed",
    "  doc: a\ufffeb\n": "2:9: the character U+FFFE is not allowed",
    '  doc: "\\ud800"\n': "2:11: not YAML: found invalid Unicode character escape code",
    "- func: n\u202eeg(Tensor self) -> Tensor\n": (
        "2:10: expected '.' or '(' after the name of the operator, found '\\u202e'"
    ),
    "- func: n\u0435g(Tensor self) -> Tensor\n": (
        "2:10: expected '.' or '(' after the name of the operator, found '\u0435'"
    ),
    f"- {'- ' * 100}x\n": "2:61: nested more than 30 deep",
    f"- {'[' * 100_000}\n": "2:1002: not YAML: exceeded maximum nesting depth",
    f"- func: f(Tensor x, int n={'9' * 5000}) -> Tensor\n": (
        f"2:27: '{'9' * 40}...' does not fit into 64 bits"
    ),
    f"- func: f(int{'[]' * 5000} x) -> Tensor\n": (
        "2:31: '?' and '[]' may be nested 8 deep, not deeper"
    ),
    f"- func: f({', '.join(f'Tensor a{n}' for n in range(65))}) -> Tensor\n": (
        "2:9: a function has at most 64 arguments, not 65"
    ),
}


def run_bytes(folder: Path, content: bytes) -> tuple[int, str]:
    """Run the generator over a schema file; return how it ended and what it said."""
    make_project(folder, {})
    (folder / "ops.yaml").write_bytes(content)
    run = run_codegen(folder)
    return run.code, run.said


@pytest.mark.parametrize("content", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_is_harmless_is_taken(content: bytes, tmp_path: Path) -> None:
    """Files that mean the same are the same, however editors wrote them."""
    code, said = run_bytes(tmp_path, content)
    assert (code, said[:11]) == (0, "1 operator,")


@pytest.mark.parametrize(
    ("text", "says"), REFUSED.items(), ids=[repr(text[:20]) for text in REFUSED]
)
def test_what_is_refused_is_located(text: str, says: str, tmp_path: Path) -> None:
    """Whatever a schema file must not hold is refused at its line and column."""
    code, said = run_bytes(tmp_path, (GOOD + text).encode())
    assert code == 2
    assert said.startswith(f"ops.yaml:{says}")
    assert not (tmp_path / "demo_ops").exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (GOOD.encode("utf-16"), "is not UTF-8 text: byte 0 is wrong"),
        (
            f"{GOOD}  doc: \xe9\n".encode("latin-1"),
            "is not UTF-8 text: byte 42 is wrong",
        ),
        (b"- \xed\xa0\x80\n", "is not UTF-8 text: byte 2 is wrong"),
    ],
    ids=["UTF-16", "Latin-1", "half a surrogate pair"],
)
def test_other_encodings_are_refused(content: bytes, says: str, tmp_path: Path) -> None:
    """Only UTF-8 is read, and the byte that is none is named."""
    assert run_bytes(tmp_path, content) == (2, f"ops.yaml: {says}\n1 problem.\n")


# --- bounds ---------------------------------------------------------------------------

MANY = 1_000_000
#: What makes a large file, and what is said first and last.
LARGE: dict[str, tuple[Callable[[], str], str]] = {
    "bytes": (lambda: "- a\n" * 5 * MANY, "ops.yaml: is larger than 16 MB"),
    "values": (
        lambda: f"[{'[],' * 5 * MANY}]",
        "ops.yaml:1:1499999: a file has at most 500,000 values",
    ),
    "text": (
        lambda: f"{GOOD}  doc: {'a ' * MANY}",
        "ops.yaml:2:8: a text has at most 65,536 characters",
    ),
    "schema": (
        lambda: f"- func: f({'Tensor a, ' * MANY})",
        "ops.yaml:1:9: a text has at most 65,536 characters",
    ),
    "problems": (
        lambda: "- func: f(Tenso x) -> Tensor\n" * 100_000,
        "ops.yaml:1:11: unknown type 'Tenso'. Did you mean Tensor?",
    ),
    "problems of one line": (
        lambda: f"{GOOD}  dispatch: {{{', '.join(f'C{n}: f' for n in range(10**5))}}}",
        "ops.yaml:2:14: unknown dispatch key 'C0'.",
    ),
    "aliases": (
        lambda: "".join(f"a{n}: &a{n} [{f'*a{n}, ' * 9}]\n" for n in range(10_000)),
        "ops.yaml:1:5: anchors are not allowed: take out '&a0'",
    ),
}
#: A process may have half a gigabyte, and no more than a minute of a processor.
BOUNDED = """\
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
from keyslot.codegen.__main__ import main
raise SystemExit(main(["codegen"]))
"""


@pytest.mark.parametrize("kind", LARGE)
def test_large_files_cost_little(kind: str, tmp_path: Path) -> None:
    """No file of less than 17 MB takes much memory, or says much."""
    pytest.importorskip("resource", reason="this system bounds no process")
    make, says = LARGE[kind]
    make_project(tmp_path, {"ops.yaml": make()})
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith(says)
    # Each problem shows no more than a part of its line.
    assert len(done.stderr) < 500 * MAX_PROBLEMS


def test_problems_beyond_the_bound_are_told_of() -> None:
    """After a thousand problems the rest is not read, and that is said."""
    text = "".join(f"{n}: x\n" for n in range(2 * MAX_PROBLEMS))
    problems = Problems()
    with pytest.raises(ValueError) as caught:
        parse_yaml(text, "ops.yaml", problems)
    *_, last, count = str(caught.value).splitlines()
    assert last == "ops.yaml: has more problems than the 1,000 that are shown"
    assert count == "1001 problems."
