"""The shipped operators held against PyTorch, on generated arguments.

Each case is a call. It is made twice, with NumPy arrays through keyslot and with
tensors through PyTorch, and all that can be seen is compared.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torchgen

from .comparison import SHIPPED, differences, keyslot_call, outcome, torch_call
from .declarations import ROOT, declared, pointwise, read_declarations
from .memory import own_memory
from .op_arguments import Call
from .op_cases import CASES
from .op_refusals import refusals


@pytest.mark.parametrize("name", sorted(CASES))
def test_overload_does_what_pytorch_does(name: str) -> None:
    """Results, dtypes, writes, and views of arguments are those of PyTorch."""
    for given in CASES[name]():
        assert outcome(torch_call, name, given).error is None, given
        assert differences(name, given) == [], given


def test_every_shipped_overload_has_cases() -> None:
    """An operator that is declared is held against PyTorch; derived ones can be."""
    autogen = (entry.get("autogen", "") for entry in declared().values())
    derived = {name.strip() for names in autogen for name in names.split(",")}
    held = {*CASES, *pointwise()}
    assert declared().keys() <= held <= {*declared(), *derived}


def test_declarations_are_those_of_pytorch() -> None:
    """Names, signatures, variants and tags are PyTorch's, to the letter."""
    theirs = native()
    for name, entry in declared().items():
        for field in ("func", "variants", "tags"):
            assert entry.get(field) == theirs[name].get(field), name


def test_document_says_how_many_core_overloads_are_there() -> None:
    """docs/ops.md counts those that PyTorch tags as core."""
    core = [name for name, entry in native().items() if "core" in tags(entry)]
    shipped = [name for name in core if name in SHIPPED]
    text = " ".join((ROOT / "docs" / "ops.md").read_text("utf-8").split())
    assert f"PyTorch tags {len(core)} overloads as `core`" in text
    assert f"{len(shipped)} of the {len(core)} are here" in text


def tags(entry: dict[str, Any]) -> list[str]:
    """Return the tags of a declaration, of which one may be given without a list."""
    given = entry.get("tags", [])
    return [given] if isinstance(given, str) else given


def native() -> dict[str, dict[str, Any]]:
    """Return PyTorch's declarations."""
    packaged = Path(str(torchgen.__file__)).parent / "packaged" / "ATen" / "native"
    return read_declarations(packaged / "native_functions.yaml")


@pytest.mark.parametrize(("name", "given", "error"), [*refusals()])
def test_both_refuse(name: str, given: Call, error: type[Exception]) -> None:
    """What PyTorch refuses with a RuntimeError is a ValueError or TypeError here."""
    with pytest.raises((RuntimeError, IndexError, TypeError, ValueError)):
        torch_call(name, own_memory(given))
    with pytest.raises(error):
        keyslot_call(name, own_memory(given))
