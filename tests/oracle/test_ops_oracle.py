"""The shipped operators held against PyTorch, on generated arguments.

Each case is a call. It is made twice, with NumPy arrays through keyslot and with
tensors through PyTorch, and all that can be seen is compared.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torchgen
import yaml

from .comparison import Outcome, differing_results, keyslot_call, torch_call
from .memory import own_memory
from .op_arguments import Call
from .op_cases import CASES
from .op_refusals import refusals

ROOT = Path(__file__).parent.parent.parent
#: The loader of libyaml where it is there: the file of PyTorch is long.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_declarations(path: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of a YAML file of operators by name and overload."""
    with path.open(encoding="utf-8") as file:
        entries = yaml.load(file, LOADER)
    return {entry["func"].partition("(")[0]: entry for entry in entries}


def declared() -> dict[str, dict[str, Any]]:
    """Return the entries of all shipped operators."""
    paths = (ROOT / "schemas" / "ops").glob("*.yaml")
    return {
        name: entry for path in paths for name, entry in read_declarations(path).items()
    }


@pytest.mark.parametrize("name", sorted(CASES))
def test_overload_does_what_pytorch_does(name: str) -> None:
    """Results, dtypes, writes, and views of arguments are those of PyTorch."""
    for given in CASES[name]():
        ours = Outcome(*keyslot_call(name, own_memory(given)))
        theirs = Outcome(*torch_call(name, own_memory(given)))
        assert [*differing_results(ours, theirs)] == [], given


def test_every_shipped_overload_has_cases() -> None:
    """An operator that is declared is held against PyTorch."""
    assert sorted(CASES) == sorted(declared())


def test_declarations_are_those_of_pytorch() -> None:
    """Names, signatures, variants and tags are PyTorch's, to the letter."""
    packaged = Path(str(torchgen.__file__)).parent / "packaged" / "ATen" / "native"
    theirs = read_declarations(packaged / "native_functions.yaml")
    for name, entry in declared().items():
        for field in ("func", "variants", "tags"):
            assert entry.get(field) == theirs[name].get(field), name


@pytest.mark.parametrize(("name", "given", "error"), [*refusals()])
def test_both_refuse(name: str, given: Call, error: type[Exception]) -> None:
    """What PyTorch refuses with a RuntimeError is a ValueError or TypeError here."""
    with pytest.raises((RuntimeError, IndexError, TypeError, ValueError)):
        torch_call(name, own_memory(given))
    with pytest.raises(error):
        keyslot_call(name, own_memory(given))
