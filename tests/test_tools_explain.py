"""``keyslot explain``: what an operator is, and why a call goes where it goes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from keyslot import errors
from keyslot.tools.__main__ import main

from .calling import a, ops
from .kernel_places import place_of

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each command where the project is."""
    monkeypatch.chdir(ROOT)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run ``keyslot explain``; return how it ended and what it printed."""
    code = main(["explain", *arguments])
    said = capsys.readouterr()
    assert bool(said.err) == (code == 2)
    return code, said.out + said.err


def source_of(kernel: str | None) -> str:
    """Return where a kernel of the repository is written, as ``file:line``."""
    file, line = place_of(kernel)
    return f"{file}:{line}"


def test_operator(capsys: pytest.CaptureFixture[str]) -> None:
    """Every overload is there, in order of trial, with its kernels and their lines."""
    code, said = run(capsys, "mul")
    assert code == 0
    assert said.startswith(f"keyslot::mul, {len(ops.mul.overloads())} overloads\n")
    places = [said.index(f"\n{op.schema_text}\n") for op in ops.mul.packet.members]
    assert places == sorted(places)
    kernel = ops.mul.out.table["NumPy"].kernel
    assert f"  NumPy: {kernel}, {source_of(kernel)}\n" in said
    declared = re.search(r"declared in (schemas/ops/.*):(\d+)\n", said)
    assert declared is not None
    line = Path(declared[1]).read_text("utf-8").splitlines()[int(declared[2]) - 1]
    assert line == "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor"


@pytest.mark.parametrize(
    ("derived", "declared"),
    [("mul.Scalar_out", "mul.Scalar"), ("isnan.out", "isnan.default")],
)
def test_derived_overload(
    capsys: pytest.CaptureFixture[str], derived: str, declared: str
) -> None:
    """What is derived is declared where its source is, with a name or without one."""
    places = [
        re.findall(r"declared in (schemas/ops/.*:\d+)\n", run(capsys, name)[1])
        for name in (derived, declared)
    ]
    assert places[0] == places[1] != []


@pytest.mark.parametrize("name", ["mul.Tensor", "keyslot::mul.Tensor"])
def test_overload(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """One overload is explained alone, with and without its namespace."""
    code, said = run(capsys, name)
    assert (code, said.splitlines()[0]) == (0, "keyslot::mul.Tensor, 1 overload")


@pytest.mark.parametrize(
    ("types", "args", "kwargs"),
    [
        ("ndarray int", (a, 1), {}),
        ("numpy:ndarray numpy:ndarray", (a, a), {}),
        ("ndarray numpy:float32", (a, np.float32(1)), {}),
        ("ndarray float out=ndarray", (a, 1.0), {"out": a}),
        ("other=bool self=ndarray", (), {"other": True, "self": a}),
    ],
)
def test_call(
    capsys: pytest.CaptureFixture[str],
    types: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    """Types say the same of a call as the arguments themselves."""
    code, said = run(capsys, "mul", *types.split())
    assert code == 0
    assert said.startswith(f"{ops.mul.explain(*args, **kwargs)}\nkernel: ")


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("list[ndarray]", [a]),
        ("tuple[ndarray,numpy:float64]", (a, np.float64(1))),
    ],
)
def test_lists(capsys: pytest.CaptureFixture[str], text: str, argument: Any) -> None:
    """A list is given with the types of its items."""
    code, said = run(capsys, "cat", text)
    assert code == 0
    assert said.startswith(str(ops.cat.explain(argument)))


def test_library_need_not_be_there() -> None:
    """A class that the key space declares is known without its library."""
    code = (
        "import sys; from keyslot.tools.__main__ import main;"
        "code = main(['explain', 'square', 'torch:Tensor']);"
        "sys.exit('torch' in sys.modules or code)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "self: torch.Tensor (array of Torch)" in done.stdout
    assert "runner-up: Torch: keyslot.kernels.composite:square" in done.stdout


def test_call_without_a_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    """A call that would fail ends the command with 1, and its message is shown."""
    code, said = run(capsys, "mul.Tensor", "cupy:ndarray", "cupy:ndarray")
    assert code == 1
    report, message = said.split("the call ends in an error:\n")
    assert "chosen: CuPy: missing (" in report
    lines = message.splitlines()
    assert lines[0] == "  keyslot::mul.Tensor has no kernel for CuPy"
    assert lines[-1].startswith("    what to do: register one: Library('keyslot',")


def test_call_with_two_libraries(capsys: pytest.CaptureFixture[str]) -> None:
    """The report says that arrays of two libraries are refused, and what to do."""
    code, said = run(capsys, "mul", "ndarray", "dask.array.core:Array")
    assert code == 1
    assert "refused: it does not take arrays of Dask and NumPy in one call" in said
    assert (
        "  keyslot::mul.Tensor was given arrays of Dask and NumPy in one call" in said
    )


@pytest.mark.parametrize(("types", "args"), [("str int", ("", 1)), ("int int", (1, 1))])
def test_call_that_means_nothing(
    capsys: pytest.CaptureFixture[str], types: str, args: tuple[Any, ...]
) -> None:
    """Where no overload takes the types, or there is no array, the error is shown."""
    code, said = run(capsys, "mul", *types.split())
    with pytest.raises((errors.OverloadError, errors.NoArrayError)) as raised:
        ops.mul(*args)
    shown = "".join(f"  {line}\n" for line in str(raised.value).splitlines())
    assert (code, said) == (1, f"the call ends in an error:\n{shown}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mu1"], "namespace 'keyslot' has no operator 'mu1'. Did you mean mul"),
        (
            ["mul.tensor"],
            "keyslot::mul has no overload 'tensor'. Did you mean mul.Tensor",
        ),
        (["shop::mul"], "the namespace is 'keyslot', not 'shop'"),
        (["mul", "--package", "json"], "json is no package of generated operators"),
        (["mul", "--package", "no_such"], "No module named 'no_such'"),
        (["mul", "Array"], "Array may be jax:Array or dask.array.core:Array"),
        (["mul", "ndarrai"], "write module:Class. Did you mean ndarray"),
        (["mul", "numpy:ndarrai"], "numpy has no 'ndarrai'. Did you mean ndarray"),
        (["mul", "numpy:pi"], "numpy:pi is float, not a class"),
        (["mul", "no_such:C"], "no_such:C: No module named 'no_such'"),
        (["mul", "list[nothing]"], "nothing is no builtin type"),
        (["mul", "out=int", "int"], "int: a positional argument follows 'out'"),
        (["mul", "out=int", "out=int"], "an argument is given twice: out, out"),
    ],
)
def test_wrong_input(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """What means nothing ends with 2 and one sentence on standard error."""
    code, said = run(capsys, *arguments)
    assert code == 2
    assert message in said
    assert len(said.splitlines()) == 1


def test_json_of_an_operator(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has the overloads with their kernels; sources have a file and a line."""
    _, said = run(capsys, "mul", "--json")
    data = json.loads(said)
    assert data["op"] == "keyslot::mul"
    assert [o["name"] for o in data["overloads"]] == [
        op.qualified_name for op in ops.mul.packet.members
    ]
    kernels = {o["name"]: o["kernels"] for o in data["overloads"]}
    by_key = {kernel["key"]: kernel for kernel in kernels["mul.out"]}
    source = by_key["NumPy"]["source"]
    rules = {o["name"]: o["rules"] for o in data["overloads"]}
    assert rules["mul.out"]["shape"] == ops.mul.out.shape_rule
    assert f"{source['file']}:{source['line']}" == source_of(
        ops.mul.out.table["NumPy"].kernel
    )


def test_json_of_a_call(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has the fields of the explanation, and the error of a call that fails."""
    _, said = run(capsys, "mul", "ndarray", "int", "--json")
    data = json.loads(said)
    assert data["types"] == ["ndarray", "int"]
    assert data["explanation"]["chosen"]["key"] == "NumPy"
    assert data["explanation"]["arguments"][0]["name"] == "self"
    assert data["kernel"]["kernel"] == ops.mul.Scalar.table["NumPy"].kernel
    assert data["error"] is None
    _, said = run(capsys, "mul", "str", "--json")
    failed = json.loads(said)
    assert failed["explanation"] is None
    assert failed["error"].startswith("keyslot::mul(self: str): no overload takes this")


def test_terminal_links_to_sources(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal that can do it, kernels link to their files."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    _, said = run(capsys, "mul.out")
    file = source_of(ops.mul.out.table["NumPy"].kernel).partition(":")[0]
    assert re.search(rf"\x1b\]8;[^;]*;file:///\S*/{re.escape(file)}\x1b", said)
