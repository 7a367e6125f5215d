"""Calls of PyTorch's overloads, recorded while PyTorch's own samples run.

Every call is kept with copies of its tensors as they were, in memory laid out and
shared alike, so that it can be made again any number of times.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only

INFOS = [info for info in op_db if torch.float32 in info.dtypes]


class Call(NamedTuple):
    """A call of an overload, or of whichever overload of an operator takes it."""

    #: ``mul.Tensor``, ``sum.default``; ``mul`` for that which takes the arguments.
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def copy(self) -> Call:
        """Return the call on copies: strides are kept, and so is shared memory."""
        args, kwargs = copied((self.args, self.kwargs))
        return Call(self.name, args, kwargs)

    @property
    def form(self) -> tuple[Any, ...]:
        """All of the call but the elements of its tensors."""
        leaves, structure = tree_flatten((self.args, self.kwargs))
        return (self.name, structure, *map(_form, leaves))

    @property
    def tensors(self) -> list[Any]:
        """The tensors among the arguments, also those in lists."""
        return tensors_in((self.args, self.kwargs))


class Recorder(TorchDispatchMode):  # type: ignore[misc] # unknown without torch
    """Records the calls of PyTorch's operators that a function makes."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Record a call, and make it."""
        namespace, _, name = str(func).partition(".")
        if namespace == "aten":
            self.calls.append(Call(name, args, kwargs or {}).copy())
        return func(*args, **(kwargs or {}))


def samples(info: Any, requires_grad: bool = False) -> Iterator[Any]:
    """Yield PyTorch's samples of a function, the same in every run."""
    seed()
    random.seed(0)
    np.random.seed(0)  # PyTorch's samples are made with it
    # The method around this function looks through the stack for each sample.
    make = info.sample_inputs_func
    yield from make(info, "cpu", torch.float32, requires_grad=requires_grad)


def refused_samples(info: Any) -> Iterator[Any]:
    """Yield arguments which a function refuses, as far as PyTorch has any."""
    seed()
    if info.error_inputs_func is not None:
        for refused in info.error_inputs("cpu"):
            yield refused.sample_input


def calls_of(info: Any) -> list[Call]:
    """Return the calls that a function's samples make, those it refuses too.

    Of calls that differ in nothing but the elements of tensors, there is one.
    """
    made = (
        call
        for sample in (*samples(info), *refused_samples(info))
        for call in _calls_of_sample(info, sample)
    )
    return [*{call.form: call for call in made}.values()]


def _calls_of_sample(info: Any, sample: Any) -> list[Call]:
    """Return the calls that a sample makes of overloads, and of the operator itself."""
    given = (sample.input, *sample.args)
    recorder = Recorder()
    direct = [*_direct_calls(info, given, sample.kwargs)]
    seed()
    with suppress(Exception), torch.no_grad(), recorder:
        info.op(*given, **sample.kwargs)
    return direct + recorder.calls


def _direct_calls(
    info: Any, given: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[Call]:
    """Yield calls of the operator of a function, in place too.

    A mode does not see operators of which PyTorch has a composite kernel.
    """
    for name in (info.aten_name, f"{info.aten_name}_"):
        if hasattr(torch.ops.aten, name):
            yield Call(name, given, kwargs).copy()


def seed() -> None:
    """Let PyTorch's random numbers begin anew."""
    torch.default_generator.manual_seed(0)


def tensors_in(value: Any) -> list[Any]:
    """Return the tensors in nested lists, tuples and dicts."""
    leaves, _ = tree_flatten(value)
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def copied(value: Any) -> Any:
    """Return nested values with copies of their tensors, and of the memory of these."""
    storages: dict[int, Any] = {}
    made: dict[int, Any] = {}

    def copy(tensor: Any) -> Any:
        if id(tensor) not in made:
            made[id(tensor)] = _copied(tensor.detach(), storages)
        return made[id(tensor)]

    return tree_map_only(torch.Tensor, copy, value)


def _form(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    strides = value.stride() if value.layout is torch.strided else None
    return value.dtype, value.layout, value.shape, strides, value.is_conj()


def _copied(tensor: Any, storages: dict[int, Any]) -> Any:
    if tensor.layout is not torch.strided or tensor.device.type != "cpu":
        return tensor.clone()
    storage = tensor.untyped_storage()
    if storage._cdata not in storages:
        storages[storage._cdata] = storage.clone()
    memory = storages[storage._cdata]
    copy = torch.empty(0, dtype=tensor.dtype)
    copy.set_(memory, tensor.storage_offset(), tensor.shape, tensor.stride())
    copy = torch._conj(copy) if tensor.is_conj() else copy
    return torch._neg_view(copy) if tensor.is_neg() else copy


def with_gradients(call: Call) -> Call:
    """Let the tensors require gradients that can, and that nothing is written to."""
    written = tensors_in(_written(call))
    for tensor in call.tensors:
        has_gradients = tensor.is_floating_point() or tensor.is_complex()
        if has_gradients and not any(tensor is other for other in written):
            tensor.requires_grad_()
    return call


def overload_of(call: Call) -> Any:
    """Return PyTorch's overload that a call is of.

    Raises RuntimeError where an operator has no overload that takes the arguments.
    """
    packet, _, name = call.name.partition(".")
    if not name:
        resolve = torch._C._jit_resolve_packet
        name = resolve(f"aten::{packet}", *call.args, **call.kwargs) or "default"
    return getattr(getattr(torch.ops.aten, packet), name)


def _written(call: Call) -> list[Any]:
    """Return the arguments that are written to."""
    try:
        overload = overload_of(call)
    except RuntimeError:  # none takes these arguments
        return []
    arguments = overload._schema.arguments
    places = [arg for arg in arguments if not arg.kwarg_only]
    given = {
        arg.name: value for arg, value in zip(places, call.args, strict=False)
    } | call.kwargs
    return [
        given[arg.name]
        for arg in arguments
        if arg.name in given and arg.alias_info and arg.alias_info.is_write
    ]
