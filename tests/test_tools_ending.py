"""How all commands of ``keyslot`` take options, fail and end."""

from __future__ import annotations

import argparse
import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from keyslot.tools.__main__ import main
from keyslot.tools.commands import COMMANDS

from .codegen_cases import make_project

OPS = "- func: f(Tensor self) -> Tensor\n  dispatch:\n    NumPy: numpy:negative\n"


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of a command."""
    commands = argparse.ArgumentParser(prog="keyslot").add_subparsers()
    for command in COMMANDS:
        if command.name == name:
            command.add_to(commands)
    parser: argparse.ArgumentParser = commands.choices[name]
    return parser


NAMES = [command.name for command in COMMANDS]
#: Every argument of a command that is a path.
PATHS = [
    (name, action)
    for name in NAMES
    for action in parser_of(name)._actions  # argparse has no public list of them
    if action.metavar in ("FILE", "DIR")
]


@pytest.mark.parametrize("name", NAMES)
def test_help_says_how_a_command_ends(name: str) -> None:
    """Each help ends with the exit codes, in the same words."""
    epilog = " ".join((parser_of(name).epilog or "").split())
    assert "nds with 0, with " in epilog
    assert "with 2 when the input is wrong" in epilog


@pytest.mark.parametrize("option", ["--json", "--config", "--package", "--source-url"])
def test_option_is_the_same_for_all_commands(
    option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option that several commands have says the same in each."""
    # That of codegen says what is generated, not whose operators are meant.
    names = [name for name in NAMES if (name, option) != ("codegen", "--package")]
    # So wide that each option is one line.
    monkeypatch.setenv("COLUMNS", "1000")
    texts = [parser_of(name).format_help() for name in names]
    lines = [" ".join(line.split()) for text in texts for line in text.splitlines()]
    about = [line for line in lines if line.startswith(f"{option} ")]
    assert len(about) > 1
    assert len({*about}) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("codegen", "--check"),
        ("coverage",),
        ("coverage", "--json"),
        ("explain", "f"),
        ("table", "f", "--all"),
        ("check",),
        ("diff", "."),
        ("docs", "--skip-examples"),
        ("new", "other"),
    ],
    ids=" ".join,
)
def test_closed_pipe_ends_quietly(command: tuple[str, ...], tmp_path: Path) -> None:
    """What nobody reads any more, as after `| head`, is no error to talk about."""
    make_project(tmp_path, {"ops.yaml": OPS})
    keyslot = (sys.executable, "-m", "keyslot.tools")
    subprocess.run([*keyslot, "codegen"], cwd=tmp_path, check=True, capture_output=True)
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*keyslot, *command],
        cwd=tmp_path,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(sys.platform == "win32", reason="closes the output as shells do")
@pytest.mark.parametrize("name", NAMES)
def test_command_without_output(name: str, tmp_path: Path) -> None:
    """A command whose output is closed does what it does else, and says nothing."""
    make_project(tmp_path, {"ops.yaml": OPS})
    given = {"explain": "f", "table": "f", "diff": ".", "new": "other"}.get(name, "")
    start = f'"{sys.executable}" -m keyslot.tools'
    done = subprocess.run(
        f"{start} codegen && {start} {name} {given} >&-",
        cwd=tmp_path,
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_output_of_few_characters(form: str, encoding: str, tmp_path: Path) -> None:
    """What the encoding of a pipe does not have is escaped; JSON is right in any."""
    text = "Größe → 日本語 🎉."
    make_project(tmp_path, {"ops.yaml": f"{OPS}  doc: {text}\n"})
    keyslot = (sys.executable, "-m", "keyslot.tools")
    subprocess.run([*keyslot, "codegen"], cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run(
        [*keyslot, "explain", "f", *(["--json"] if form == "json" else [])],
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    said = done.stdout.decode(encoding)
    if form == "json":
        said = json.dumps(json.loads(said), ensure_ascii=False)
    else:
        text = text.encode(encoding, "backslashreplace").decode(encoding)
    assert text in said


@pytest.mark.parametrize(
    ("name", "action"), PATHS, ids=[f"{name} {action.dest}" for name, action in PATHS]
)
def test_an_empty_text_is_no_path(
    name: str,
    action: argparse.Action,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is refused, and means neither the folder one is in nor the default."""
    make_project(tmp_path, {"ops.yaml": OPS})
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    others = ["HEAD"] if name == "diff" else []
    with pytest.raises(SystemExit) as ended:
        main([name, *others, *action.option_strings[:1], ""])
    assert ended.value.code == 2
    assert "an empty text is no path" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "error",
    ["1 / 0", "x = (", "raise SystemExit(7)", "import no_such_module", "x = '\0'"],
)
@pytest.mark.parametrize("command", ["explain", "table", "coverage"])
def test_package_that_does_not_import(
    error: str,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever the code of a package raises is one sentence."""
    (tmp_path / "broken_ops.py").write_text(f"print('loud')\n{error}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    given = [] if command == "coverage" else ["f"]
    assert main([command, *given, "--package", "broken_ops"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.removeprefix("loud\n").splitlines()) == 1


@pytest.mark.parametrize("name", ["", ".", "..ops", "no/such", "no such", "os"])
def test_package_that_is_none(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """So is a name that no package of operators can have."""
    assert main(["coverage", "--package", name]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    "command",
    [("check",), ("codegen",), ("docs",), ("diff", "."), ("coverage",)],
    ids=" ".join,
)
def test_wrong_declarations_are_said_in_place(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Wrong input ends with 2, on standard error, without a traceback."""
    make_project(tmp_path, {"ops.yaml": "- func: f(Tensor self -> Tensor\n"})
    monkeypatch.chdir(tmp_path)
    assert main([*command]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    wrong = "No module named 'demo_ops'" if command == ("coverage",) else "ops.yaml:1:"
    assert wrong in said.err
    assert "Traceback" not in said.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a full disk")
@pytest.mark.parametrize(
    ("command", "place"),
    [
        (["explain", "mul"], "standard output"),
        (["coverage"], "standard output"),
        (["coverage", "--json"], "standard output"),
        (["coverage", "--html", "/dev/full"], "/dev/full"),
    ],
    ids=["explain", "coverage", "json", "html"],
)
def test_full_disk_is_named(command: list[str], place: str) -> None:
    """Whether a file or the output cannot be written, the message says which."""
    line = [sys.executable, "-m", "keyslot.tools", *command]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.stderr == f"{place}: {os.strerror(errno.ENOSPC)}\n"
    assert done.returncode == 2
