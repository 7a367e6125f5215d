"""The shipped operators held against PyTorch, on generated arguments.

Each case is a call. It is made twice, with NumPy arrays through keyslot and with
tensors through PyTorch, and all that can be seen is compared: results, their shapes and
dtypes, what was written to arguments, and which results are views of arguments.
PyTorch's default dtype is set to NumPy's, float64.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torchgen
import yaml

from keyslot import ops

from .op_arguments import Call
from .op_cases import CASES, COMPARISONS
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


def to_torch(value: Any) -> Any:
    """Return an argument as PyTorch takes it; a tensor shares the array's memory."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if isinstance(value, list):
        return [to_torch(item) for item in value]
    return value


def torch_call(name: str, given: Call) -> tuple[Any, list[Any]]:
    """Call PyTorch's overload; return its result and the tensors it was given."""
    packet, _, overload = name.partition(".")
    args = to_torch(list(given.args))
    kwargs = {key: to_torch(value) for key, value in given.kwargs.items()}
    if kwargs.get("dtype") is not None:
        kwargs["dtype"] = getattr(torch, kwargs["dtype"])
    made = getattr(getattr(torch.ops.aten, packet), overload or "default")(
        *args, **kwargs
    )
    return made, flat([*args, *kwargs.values()], torch.Tensor)


def keyslot_call(name: str, given: Call) -> tuple[Any, list[Any]]:
    """Call our overload; return its result and the arrays it was given."""
    packet, _, overload = name.partition(".")
    made = getattr(getattr(ops, packet), overload or "default")(
        *given.args, **given.kwargs
    )
    return made, flat([*given.args, *given.kwargs.values()], np.ndarray)


def flat(value: Any, kind: type) -> list[Any]:
    """Return the arrays in nested lists and tuples, in order."""
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flat(part, kind)]
    return [value] if isinstance(value, kind) else []


def shares(one: Any, other: Any) -> bool:
    """Whether two tensors lie in the same memory; empty ones lie nowhere."""
    storages = (one.untyped_storage(), other.untyped_storage())
    same_place: bool = storages[0].data_ptr() == storages[1].data_ptr()
    return one.numel() > 0 and same_place


@pytest.fixture(autouse=True)
def _same_default_dtype() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.mark.parametrize("name", sorted(CASES))
def test_overload_does_what_pytorch_does(name: str) -> None:
    """Results, dtypes, writes, and views of arguments are those of PyTorch."""
    for given in CASES[name]():
        theirs, tensors = torch_call(name, copy.deepcopy(given))
        with np.errstate(all="ignore"):
            ours, arrays = keyslot_call(name, copy.deepcopy(given))
        assert type(ours) is type(theirs) or isinstance(theirs, torch.Tensor)
        our_results = list(ours) if isinstance(ours, (list, tuple)) else [ours]
        their_results = flat([theirs], torch.Tensor)
        pairs = [*zip(our_results, their_results, strict=True)]
        for our, their in [*pairs, *zip(arrays, tensors, strict=True)]:
            COMPARISONS[name](our, their)
        for our, their in pairs:
            for given_array, tensor in zip(arrays, tensors, strict=True):
                assert (our is given_array) == (their is tensor), given
                if their.numel():
                    assert np.shares_memory(our, given_array) == shares(their, tensor)


def test_every_shipped_overload_has_cases() -> None:
    """An operator that is declared is held against PyTorch; derived ones can be."""
    autogen = (entry.get("autogen", "") for entry in declared().values())
    derived = {name.strip() for names in autogen for name in names.split(",")}
    assert declared().keys() <= CASES.keys() <= {*declared(), *derived}


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
        torch_call(name, copy.deepcopy(given))
    with pytest.raises(error):
        keyslot_call(name, copy.deepcopy(given))
