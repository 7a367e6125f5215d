"""``keyslot table``: what every key of an operator leads to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from keyslot.tools.__main__ import main

from .calling import ops
from .kernel_places import place_of

ROOT = Path(__file__).parent.parent
KEYS = ops.square.default.dispatcher.space.keys

SQUARE = """\
keyslot::square: square(Tensor self) -> Tensor
declared in schemas/ops/composite.yaml
key                                      state        by way of                  \
kernel                                   source
PythonDispatcher                         missing
PreDispatch                              fallback                                \
keyslot.transforms.modes:dispatch_early  LINE
DynamicLayerFrontMode                    fallback                                \
keyslot.transforms.layers:front          LINE
PythonTLSSnapshot, Batched               missing
Autocast                                 fallthrough
AutogradMeta to AutogradOther (10 keys)  composite    CompositeImplicitAutograd  \
keyslot.kernels.composite:square         LINE
ADInplaceOrView                          fallthrough
Functionalize                            missing
DynamicLayerBackMode                     fallback                                \
keyslot.transforms.layers:back           LINE
Python                                   fallback                                \
keyslot.transforms.modes:dispatch        LINE
BackendSelect                            fallthrough
SparseMeta to Undefined (19 keys)        composite    CompositeImplicitAutograd  \
keyslot.kernels.composite:square         LINE
"""


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each command where the project is."""
    monkeypatch.chdir(ROOT)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run ``keyslot table`` and return what it printed."""
    assert main(["table", *arguments]) == 0
    return capsys.readouterr().out


def test_equal_neighbours_are_one_row(capsys: pytest.CaptureFixture[str]) -> None:
    """Keys stand highest first, neighbours that lead to the same in one row."""
    said = run(capsys, "square")
    assert re.sub(r"[\w/]+\.py:\d+", "LINE", said) == SQUARE


def test_all_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """With --all every key of every overload has a row, in columns that line up."""
    said = run(capsys, "mul", "--all")
    tables = said.split("\n\n")
    assert len(tables) == len(ops.mul.overloads())
    for table in tables:
        _, _, header, *rows = table.splitlines()
        assert [row.split()[0] for row in rows] == [*reversed(KEYS)]
        column = header.index("state")
        assert {row[column - 1] for row in rows} == {" "}


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has the facts of every cell."""
    (table,) = json.loads(run(capsys, "mul.out", "--json"))
    cells = [cell._asdict() for cell in ops.mul.out.table]
    assert table["cells"] == cells[::-1]
    kernel = ops.mul.out.table["NumPy"].kernel
    source = table["sources"][kernel]
    assert (source["file"], source["line"]) == place_of(kernel)


def test_unknown_operator(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that there is not ends with 2 and the nearest one."""
    assert main(["table", "squar"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("namespace 'keyslot' has no operator 'squar'. Did you mean")
