"""The command `keyslot diff`: what a change of declarations does to dispatch."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from keyslot.tools.__main__ import main
from keyslot.tools.diff.versions import unpack

from .codegen_cases import CONFIG, Run, captured, make_project

OPS = """\
- func: scale(Tensor self, Scalar by=1, int dim=0) -> Tensor
  doc: Scale.
  tags: core
  dispatch:
    NumPy: k:scale
- func: twice(Tensor self) -> Tensor
  dispatch:
    CompositeImplicitAutograd: k:twice
"""
KEYS = """\
name: small
backends: [A, B]
functionalities:
  - Dense: "{backend}"
  - Python
  - Autograd: "Autograd{backend}"
aliases:
  CompositeExplicitAutograd: [Dense]
"""
OWN_KEYS = CONFIG + 'keys = "keys.yaml"\n'
SMALL = "- func: f(Tensor self) -> Tensor\n  dispatch:\n    A: k:f\n"


def diff(folder: Path, *arguments: str) -> Run:
    """Run `keyslot diff` in a folder, and return what it said."""
    with pytest.MonkeyPatch.context() as patch, captured() as said:
        patch.chdir(folder)
        code = main(["diff", *arguments])
    return Run(code, said())


def diff_texts(
    folder: Path, old: Mapping[str, str], new: Mapping[str, str], *arguments: str
) -> Run:
    """Compare two projects with these files."""
    make_project(folder / "old", old)
    make_project(folder / "new", new)
    return diff(folder, "old", "new", *arguments)


def changed(folder: Path, before: str, after: str) -> list[str]:
    """Return the lines about overloads after one change of `OPS`."""
    assert before in OPS
    new = OPS.replace(before, after)
    said = diff_texts(folder, {"ops.yaml": OPS}, {"ops.yaml": new}).said
    return [line.strip() for line in said.splitlines()[1:]]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a git repository with a project, committed once as the tag `first`."""
    make_project(tmp_path, {"ops.yaml": OPS})
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, "first")
    return tmp_path


def git(folder: Path, *arguments: str, typed: str = "") -> str:
    """Run git as nobody in particular, with no settings but those of the folder."""
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    done = subprocess.run(
        ["git", *who, *arguments],
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commit(folder: Path, tag: str) -> None:
    """Commit everything, and give the commit a name."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", tag)
    git(folder, "tag", tag)


# --- what is said ---------------------------------------------------------------------


def test_nothing_changed(tmp_path: Path) -> None:
    """Two equal versions have no changes, for --exit-code either."""
    files = {"ops.yaml": OPS}
    run = diff_texts(tmp_path, files, files, "--exit-code")
    assert run.said == "Operators of old and new\n  No dispatch cell changes.\n"
    assert run.code == 0


def test_changes_of_text_are_counted(tmp_path: Path) -> None:
    """Another `doc` is no change of dispatch: it is counted and not shown."""
    new = {"ops.yaml": OPS.replace("Scale.", "Multiply.")}
    run = diff_texts(tmp_path, {"ops.yaml": OPS}, new, "--exit-code")
    assert run.code == 0
    assert run.said.splitlines()[1:] == [
        "  No dispatch cell changes.",
        "  The text of 1 overload changed.",
    ]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("by=1", "by=2", "default of by: 1 → 2"),
        ("by=1, int dim=0", "by, int dim", "default of dim: 0 → none"),
        ("Scalar by", "float by", "type of by: Scalar → float"),
        ("by=1, ", "by=1, *, ", "place of dim: positional → keyword-only"),
        ("Scalar by", "Scalar factor", "name of argument: by → factor"),
        (", int dim=0", "", "argument dim: int dim=0 → none"),
        ("dim=0", "dim=0, bool new=False", "argument new: none → bool new=False"),
        ("Tensor self, S", "Tensor(a) self, S", "alias of self: none → (a)"),
        ("dim=0) -> Tensor", "dim=0) -> Tensor[]", "returns: (Tensor) → (Tensor[])"),
        ("Scalar by=1, int dim=0", "int dim=0, Scalar by=1", "order: self, by, dim"),
    ],
)
def test_signature_changes(before: str, after: str, says: str, tmp_path: Path) -> None:
    """What is different about an argument is said of that argument."""
    said = changed(tmp_path, before, after)
    assert said[:2] == ["No dispatch cell changes.", "Overloads changed"]
    assert any(line.startswith(says) for line in said[3:]), said


RULES = """\
- func: f(Tensor self, int n) -> Tensor
  dispatch: {NumPy: 'k:f'}
  shape: unary.neg
  derivatives: {self: grad * n}
  batching: pointwise
  torch: true
"""


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            "unary.neg",
            "k:rule",
            "shape: keyslot.kernels.shapes:unary.neg → k:rule",
        ),
        ("grad * n", "n * grad", "derivative of self: grad * n → n * grad"),
        (
            "{self: grad * n}",
            "{output_differentiability: [False]}",
            "derivative of self: grad * n → none",
        ),
        (
            "pointwise",
            "reduction(n)",
            "batching: keyslot.transforms.batching:pointwise →"
            " keyslot.transforms.batching:reduction(n)",
        ),
        ("torch: true", "torch: false", "torch: true → false"),
        ("  torch: true\n", "", "torch: true → none"),
        ("torch: true", "torch: {shape: 'k:s'}", "torch: shape: none → k:s"),
        (
            "torch: true",
            "torch: {backward: {self: grad}}",
            "torch: backward of self: none → grad",
        ),
        (
            "torch: true",
            "torch: {kernels: {CUDA: 'k:c'}}",
            "torch: kernels.CUDA: none → k:c",
        ),
    ],
)
def test_rule_changes(before: str, after: str, says: str, tmp_path: Path) -> None:
    """Rules and what PyTorch is told are fields, and each is one line."""
    new = RULES.replace(before, after)
    run = diff_texts(tmp_path, {"ops.yaml": RULES}, {"ops.yaml": new})
    assert f"    {says}\n" in run.said


def test_another_kernel_is_one_line_for_its_key(tmp_path: Path) -> None:
    """A kernel that is another one at its own key is said once."""
    assert changed(tmp_path, "k:scale", "m:scale") == [
        "1 dispatch cell changed.",
        "Overloads changed",
        "scale",
        "kernel at NumPy: k:scale → m:scale",
    ]


def test_change_of_a_composite_is_one_line(tmp_path: Path) -> None:
    """All the keys that a composite serves are named together, by functionality."""
    assert changed(tmp_path, "k:twice", "m:twice")[3:] == [
        "kernel at CompositeImplicitAutograd: k:twice → m:twice",
        "Undefined, every Dense key, every Sparse key, AutogradOther, every Autograd"
        " key: k:twice of CompositeImplicitAutograd → m:twice of"
        " CompositeImplicitAutograd (CompositeImplicitAutograd serves Undefined)",
    ]


def test_key_that_loses_a_composite_says_why(tmp_path: Path) -> None:
    """A kernel for a backend takes the composite away from its autograd key."""
    more = "    NumPy: k:twice\n    CompositeImplicitAutograd: k:twice\n"
    said = changed(tmp_path, "    CompositeImplicitAutograd: k:twice\n", more)
    assert said[0] == "2 dispatch cells changed."
    assert said[-1] == (
        "AutogradNumPy: k:twice of CompositeImplicitAutograd → fallthrough (no kernel"
        " serves AutogradNumPy, whose backend fallback steps in;"
        " CompositeImplicitAutograd gives way to the kernel at NumPy)"
    )


def test_same_change_of_several_overloads_is_said_once(tmp_path: Path) -> None:
    """Overloads about which the same is to be said share an item."""
    before = "".join(f"- func: f{i}(Tensor self) -> Tensor\n" for i in (1, 2))
    after = "".join(f"{line}\n  tags: core\n" for line in before.splitlines())
    said = diff_texts(tmp_path, {"ops.yaml": before}, {"ops.yaml": after}).said
    assert "  f1, f2\n    tags: none → core\n" in said


def test_operators_come_and_go(tmp_path: Path) -> None:
    """Overloads of one version only are listed with schema, kernels and origin."""
    new = "- func: fill_(Tensor(a!) self) -> Tensor(a!)\n  autogen: fill\n"
    new += "  dispatch:\n    NumPy: k:fill\n    JAX: k:other\n"
    run = diff_texts(
        tmp_path, {"ops.yaml": SMALL.replace("A:", "JAX:")}, {"ops.yaml": new}
    )
    assert run.said.splitlines()[1:] == [
        "  2 overloads added, 1 overload removed.",
        "Overloads added",
        "  fill(Tensor self) -> Tensor, derived from fill_",
        "    derived of CompositeExplicitAutograd",
        "  fill_(Tensor(a!) self) -> Tensor(a!)",
        "    k:other of JAX, k:fill of NumPy",
        "Overloads removed",
        "  f(Tensor self) -> Tensor",
        "    k:f of JAX",
    ]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("  - Python\n", "  - Python\n  - Batched\n", "keys added: Batched"),
        ("  - Python\n", "", "keys removed: Python"),
        ("[A, B]", "[A, B, C]", "keys added: C, AutogradC"),
        ("[A, B]", "[B, A]", "keys have another order of priority"),
        ("aliases:", "aliases:\n  All: [Dense]", "alias keys added: All"),
        ("d: [Dense]", "d: [Dense, Python]", "alias keys that stand for other keys: "),
    ],
)
def test_key_space_changes(before: str, after: str, says: str, tmp_path: Path) -> None:
    """Keys and alias keys that come, go or mean something else are dispatch changes."""
    assert before in KEYS
    old = {"pyproject.toml": OWN_KEYS, "ops.yaml": SMALL, "keys.yaml": KEYS}
    new = {**old, "keys.yaml": KEYS.replace(before, after)}
    run = diff_texts(tmp_path, old, new, "--exit-code")
    assert run.code == 1
    assert "No dispatch cell changes" not in run.said
    assert any(line.strip().startswith(says) for line in run.said.splitlines())


def test_alias_key_that_grows_moves_cells(tmp_path: Path) -> None:
    """Where an alias key stands for more, the cells that it reaches are named."""
    old = {"pyproject.toml": OWN_KEYS, "ops.yaml": SMALL, "keys.yaml": KEYS}
    old["ops.yaml"] = SMALL.replace("A:", "CompositeExplicitAutograd:")
    new = {**old, "keys.yaml": KEYS.replace("d: [Dense]", "d: [Dense, Python]")}
    assert diff_texts(tmp_path, old, new).said.splitlines()[-1].strip() == (
        "Python: no kernel → k:f of CompositeExplicitAutograd"
        " (CompositeExplicitAutograd serves Python)"
    )


# --- forms ----------------------------------------------------------------------------


def test_json_has_every_key(tmp_path: Path) -> None:
    """The data names each key of a group, and null for the kernel of none."""
    new = OPS.replace("CompositeImplicit", "CompositeExplicit")
    said = diff_texts(tmp_path, {"ops.yaml": OPS}, {"ops.yaml": new}, "--json").said
    data = json.loads(said)
    assert sorted(data) == [
        "added",
        "changed",
        "docs",
        "new",
        "old",
        "removed",
        "space",
    ]
    (change,) = data["changed"]
    assert sorted(change) == ["cells", "fields", "kernels", "name", "signature"]
    _, autograd = change["cells"]
    assert autograd["keys"][:2] == ["AutogradOther", "AutogradNumPy"]
    assert len(autograd["keys"]) == 10
    assert autograd["after"] == {"kind": "fallthrough", "source": None, "kernel": None}


def test_markdown_keeps_code_as_it_is(tmp_path: Path) -> None:
    """Text of a declaration cannot become markup of the comment it is shown in."""
    hostile = 'str mode="`` <b>x</b>"'
    new = OPS.replace("int dim=0", f"int dim=0, {hostile}")
    said = diff_texts(tmp_path, {"ops.yaml": OPS}, {"ops.yaml": new}, "--markdown").said
    assert f"none → ```{hostile}```" in said


def test_terminal_gets_no_markdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal the report is text, wrapped, and Markdown only if asked for."""
    make_project(tmp_path / "old", {"ops.yaml": OPS})
    make_project(tmp_path / "new", {"ops.yaml": OPS.replace("k:", "m:")})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["diff", "old", "new"]) == 0
    said = capsys.readouterr().out
    assert "`" not in said
    assert "kernel at" in said
    assert main(["diff", "old", "new", "--markdown"]) == 0
    assert "`" in capsys.readouterr().out


# --- versions -------------------------------------------------------------------------


def test_revision_is_compared_with_the_working_tree(repository: Path) -> None:
    """Without NEW a revision is compared with the files as they lie there."""
    assert diff(repository, "first", "--exit-code").code == 0
    make_project(repository, {"ops.yaml": OPS.replace("k:scale", "m:scale")})
    run = diff(repository, "HEAD", "--exit-code")
    assert run.said.startswith("Operators of HEAD and the working tree\n")
    assert "k:scale → m:scale" in run.said
    assert run.code == 1


def test_two_revisions_are_compared(repository: Path) -> None:
    """Each revision is read with its own configuration, and nothing of the other's."""
    (repository / "ops.yaml").rename(repository / "ops_2.yaml")
    config = CONFIG.replace("ops*.yaml", "ops_2.yaml")
    make_project(repository, {"pyproject.toml": config})
    commit(repository, "second")
    (repository / "ops_2.yaml").unlink()
    run = diff(repository, "first", "second", "--exit-code")
    assert "No dispatch cell changes." in run.said
    assert run.code == 0


def test_project_may_be_inside_of_a_repository(tmp_path: Path) -> None:
    """The folder in a revision is the one in which the command runs."""
    make_project(tmp_path / "a" / "b", {"ops.yaml": OPS})
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, "first")
    assert diff(tmp_path / "a" / "b", "first").code == 0
    assert diff(tmp_path, "first", "--config", "a/b/pyproject.toml").code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="has no locale of ASCII alone")
def test_repository_may_have_any_name(tmp_path: Path) -> None:
    """Also one that the encoding of the locale does not have."""
    folder = tmp_path / "dépôt"
    make_project(folder, {"ops.yaml": OPS})
    git(folder, "init", "--quiet")
    commit(folder, "first")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "keyslot.tools", "diff", "first"],
        cwd=folder,
        env=os.environ | ascii_only,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("kind", ["here", "from the root", "through its folder"])
def test_configuration_is_that_of_each_version(kind: str, repository: Path) -> None:
    """However the file is named, a version is read with its own."""
    named = {
        "here": "pyproject.toml",
        "from the root": str(repository / "pyproject.toml"),
        "through its folder": f"../{repository.name}/pyproject.toml",
    }
    make_project(repository, {"ops.yaml": OPS.replace("k:scale", "m:scale")})
    run = diff(repository, "first", "--config", named[kind])
    assert "k:scale → m:scale" in run.said


def test_configuration_is_in_the_repository(repository: Path) -> None:
    """A file outside of it is in no revision; it would be compared with itself."""
    run = diff(repository, "first", "--config", "../pyproject.toml")
    said = "../pyproject.toml is outside of the repository, and in no revision\n"
    assert (run.code, run.said) == (2, said)


def test_version_is_named(repository: Path) -> None:
    """An empty variable of a script does not mean the working tree."""
    assert diff(repository, "").said == "a version is an empty text\n"


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("nowhere", "there is no folder and no git revision 'nowhere'\n"),
        ("--help-me", "there is no folder and no git revision '--help-me'\n"),
        ("empty", "there is no pyproject.toml with a table [tool.keyslot] in empty\n"),
        ("bare", "there is no pyproject.toml with a table [tool.keyslot] in bare\n"),
        (
            "broken",
            "the declarations of broken are wrong:\nops.yaml:1:3: missing field func\n"
            "    - doc: None.\n      ^\n1 problem.\n",
        ),
        (
            "linked",
            "the declarations of linked are wrong:\nops.yaml: no such file\n"
            "1 problem.\n",
        ),
    ],
)
def test_version_that_cannot_be_read(
    version: str, says: str, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What is wrong with a version is said of that version, without temporary paths."""
    (repository / "empty").mkdir()
    make_project(repository, {"ops.yaml": "- doc: None.\n"})
    commit(repository, "broken")
    secret = tmp_path_factory.mktemp("outside") / "ops.yaml"
    secret.write_text(OPS, "utf-8")
    (repository / "ops.yaml").unlink()
    (repository / "ops.yaml").symlink_to(secret)
    make_project(repository, {"pyproject.toml": CONFIG.replace("ops*", "ops")})
    commit(repository, "linked")
    (repository / "pyproject.toml").unlink()
    commit(repository, "bare")
    run = diff(repository, "first", "--", version)
    assert run.said == says
    assert run.code == 2


def test_revisions_need_a_repository(tmp_path: Path) -> None:
    """Outside of a repository a name can only be that of a folder."""
    run = diff(tmp_path, "main")
    assert run.said == "'main' is no folder, and this folder is in no git repository\n"
    assert run.code == 2


def test_revision_with_a_path_out_of_the_repository(repository: Path) -> None:
    """A tree that no honest git makes is refused, and nothing is written elsewhere."""
    blob = git(repository, "hash-object", "-w", "ops.yaml")
    inner = git(repository, "mktree", typed=f"100644 blob {blob}\tops.yaml\n")
    outer = git(repository, "mktree", typed=f"040000 tree {inner}\t..\n")
    revision = git(repository, "commit-tree", outer, "-m", "hostile")
    run = diff(repository, revision)
    assert run.said == f"git cannot give the files of '{revision}'\n"
    assert run.code == 2


def test_archives_are_not_trusted(tmp_path: Path) -> None:
    """Only plain files below the folder are written, whatever an archive names."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    inside.mkdir()
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in ("a/good.yaml", "../outside", str(outside), "link/outside"):
            if name.startswith("link"):
                link = tarfile.TarInfo("link")
                link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
                archive.addfile(link)
            member = tarfile.TarInfo(name)
            member.size = 4
            archive.addfile(member, io.BytesIO(b"text"))
    stream.seek(0)
    unpack(stream, inside)
    assert not outside.exists()
    found = [path for path in inside.rglob("*") if path.is_file()]
    assert sorted(found) == [inside / "a" / "good.yaml", inside / "link" / "outside"]


@pytest.mark.parametrize("count", [50, 53])
def test_long_lists_end_with_how_many_more_there_are(
    count: int, tmp_path: Path
) -> None:
    """Fifty overloads that came are listed, and fifty that went; in JSON all are."""
    keyword = "- func: {}{}(Tensor self) -> Tensor\n  dispatch:\n    NumPy: k:f\n"
    old, new = (
        {"ops.yaml": "".join(keyword.format(name, n) for n in range(count))}
        for name in ("went", "came")
    )
    lines = diff_texts(tmp_path, old, new).said.splitlines()
    more = [line.strip() for line in lines if "more" in line]
    assert more == ["and 3 more, which --json lists"] * (2 * (count > 50))
    for name in ("went", "came"):
        assert sum(line.strip().startswith(name) for line in lines) == 50
    data = json.loads(diff(tmp_path, "old", "new", "--json").said)
    assert len(data["added"]) == len(data["removed"]) == count
