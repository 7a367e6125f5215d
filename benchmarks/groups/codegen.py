"""The generator beside torchgen, on PyTorch's own 2,584 declarations."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

from .. import packages
from ..measure import Effort
from ..processes import in_turn, middle_and_spread, run, run_child, seconds_of
from ..tables import Column, Table

COLUMNS: Final = (
    Column("run"),
    Column("s", ".2f"),
    Column("least to most"),
    Column("x torchgen", ".2f"),
    Column("goal"),
)
#: How often the long runs are made, at most: each takes many seconds.
_ROUNDS: Final = 3

_PARSE, _GENERATE = "torchgen: parse", "torchgen: generate"
_READ, _FULL = "keyslot: load and check", "keyslot: everything, with black"
_NOTHING, _ONE = "keyslot: nothing to do", "keyslot: one operator changed"
_GOALS: Final = {_READ: "<= 1x", _FULL: "<= 1x", _NOTHING: "< 0.6 s", _ONE: "< 1.5 s"}
_COMPARED: Final = {_READ: _PARSE, _FULL: _GENERATE}


def measure(effort: Effort) -> list[Table]:
    """Measure both generators in turn."""
    table = Table("Generating all operators of native_functions.yaml", COLUMNS)
    native = packages.native_functions()
    if native is None:
        table.notes.append("torch is not installed, and torchgen comes with it")
        return [table]
    runs = _Runs(native)
    measured: dict[str, Callable[[], float]] = {
        _PARSE: runs.parse,
        _READ: runs.read,
        _FULL: runs.full,
        _NOTHING: runs.again,
        _ONE: runs.one_changed,
    }
    if effort.smoke:
        table.notes.append("torchgen's generation is left out of the smoke run")
    else:
        measured[_GENERATE] = runs.torchgen
    found = in_turn(measured, min(_ROUNDS, effort.processes))
    for name, seconds in found.items():
        middle, spread = middle_and_spread(seconds, ".2f")
        base = found.get(_COMPARED.get(name, ""))
        ratio = middle / median(base) if base else None
        table.rows.append((name, middle, spread, ratio, _GOALS.get(name)))
    table.notes.append(
        "Load and check, and parse, are timed inside the process, imports left out;"
        " all others are whole commands with the start of Python"
    )
    return [table]


class _Runs:
    """The runs, on a copy of the declarations that may be edited."""

    def __init__(self, native: Path) -> None:
        self._native = native
        self._folder = packages.folder() / "codegen"
        self._folder.mkdir()
        self._schemas = self._folder / native.name
        self._tags = native.with_name("tags.yaml")
        shutil.copy(self._tags, self._folder)
        shutil.copy(native, self._schemas)
        self._output = self._folder / "keyslot_bench_generated"
        self._edits = 0

    def parse(self) -> float:
        """Let torchgen parse."""
        seconds: float = run_child("read_torchgen", str(self._native), str(self._tags))
        return seconds

    def read(self) -> float:
        """Load and check."""
        keys = str(packages.torch_keys())
        seconds: float = run_child("read_ours", str(self._schemas), keys)
        return seconds

    def torchgen(self) -> float:
        """Let torchgen generate everything."""
        made = self._folder / "torchgen"
        seconds = seconds_of(
            [
                *("-m", "torchgen.gen"),
                *("--source-path", str(self._native.parent.parent)),
                *("--install-dir", str(made / "aten")),
                *("--aoti-install-dir", str(made / "aoti")),
                *("--headeronly-install-dir", str(made / "headeronly")),
            ]
        )
        shutil.rmtree(made)
        return seconds

    def full(self) -> float:
        """Generate everything where nothing is."""
        shutil.rmtree(self._output, ignore_errors=True)
        return self.again()

    def again(self) -> float:
        """Run the command once more."""
        keys = packages.torch_keys()
        return seconds_of(packages.command(self._output, self._schemas, keys=keys))

    def one_changed(self) -> float:
        """Edit the declaration of one operator, and run the command."""
        text = self._native.read_text("utf-8")
        old = "- func: mul.Tensor("
        assert text.count(old) == 1
        self._edits += 1
        doc = f"  doc: Edited {self._edits} times.\n"
        before, entry, rest = text.partition(old)
        line, newline, after = rest.partition("\n")
        self._schemas.write_text(before + entry + line + newline + doc + after, "utf-8")
        seconds = self.again()
        module = run(["-c", _FIND], self._folder).strip()
        assert f"Edited {self._edits} times" in Path(module).read_text("utf-8")
        return seconds


_FIND: Final = """
import keyslot_bench_generated as ops
print(ops.mul.__code__.co_filename)
"""
