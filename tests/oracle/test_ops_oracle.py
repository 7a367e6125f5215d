"""The shipped operators held against PyTorch, on generated arguments.

Each case is a call. It is made twice, with NumPy arrays through keyslot and with
tensors through PyTorch, and all that can be seen is compared: results, their shapes and
dtypes, what was written to arguments, and which results are views of arguments.
PyTorch's default dtype is set to NumPy's, float64.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torchgen

from keyslot import ops

from .declarations import declared, pointwise, read_declarations
from .op_arguments import Call
from .op_cases import CASES, COMPARISONS
from .op_comparisons import Comparison, check_equal
from .op_refusals import refusals


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
    for key in ("dtype", "memory_format"):
        if kwargs.get(key) is not None:
            kwargs[key] = getattr(torch, kwargs[key])
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


def check_strides(ours: Any, theirs: Any) -> None:
    """Compare how far elements of views lie apart, where there are several."""
    strides = [stride // ours.itemsize for stride in ours.strides]
    for size, stride, expected in zip(
        ours.shape, strides, theirs.stride(), strict=True
    ):
        assert size == 1 or stride == expected


def shares(one: Any, other: Any) -> bool:
    """Whether two tensors lie in the same memory; empty ones lie nowhere."""
    storages = (one.untyped_storage(), other.untyped_storage())
    same_place: bool = storages[0].data_ptr() == storages[1].data_ptr()
    return one.numel() > 0 and same_place


def check_same(
    given: Call,
    ours: tuple[Any, list[Any]],
    theirs: tuple[Any, list[Any]],
    compare: Comparison = check_equal,
) -> None:
    """Compare the results of a call, and the arrays that it may have written."""
    (our_result, arrays), (their_result, tensors) = ours, theirs
    assert type(our_result) is type(their_result) or isinstance(
        their_result, torch.Tensor
    )
    if isinstance(their_result, (bool, int, float, complex)):
        assert our_result == their_result
        return
    is_several = isinstance(our_result, (list, tuple))
    our_results = list(our_result) if is_several else [our_result]
    pairs = [*zip(our_results, flat([their_result], torch.Tensor), strict=True)]
    for our, their in [*pairs, *zip(arrays, tensors, strict=True)]:
        compare(our, their)
    for our, their in pairs:
        for given_array, tensor in zip(arrays, tensors, strict=True):
            assert (our is given_array) == (their is tensor), given
            if their.numel():
                is_view = shares(their, tensor)
                assert np.shares_memory(our, given_array) == is_view
                if is_view:
                    check_strides(our, their)


@pytest.mark.parametrize("name", sorted(CASES))
def test_overload_does_what_pytorch_does(name: str) -> None:
    """Results, dtypes, writes, and views of arguments are those of PyTorch."""
    for given in CASES[name]():
        theirs = torch_call(name, copy.deepcopy(given))
        with np.errstate(all="ignore"):
            ours = keyslot_call(name, copy.deepcopy(given))
        check_same(given, ours, theirs, COMPARISONS[name])


def test_every_shipped_overload_has_cases() -> None:
    """An operator that is declared is held against PyTorch; derived ones can be."""
    autogen = (entry.get("autogen", "") for entry in declared().values())
    derived = {name.strip() for names in autogen for name in names.split(",")}
    held = {*CASES, *pointwise()}
    assert declared().keys() <= held <= {*declared(), *derived}


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
