"""Batches by the batching rule of an entry, for `torch.vmap`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import _C
from torch._C import _functorch
from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

from ..runtime.schema import FunctionSchema
from ..transforms.batching.call import BatchedCall, Unbatched
from .arrays import TorchArray, unwrapped, wrapped
from .aten import AtenMode
from .definition import Definition, Function
from .sizes import symbol

#: PyTorch's key of batches.
KEY = "FuncTorchBatched"


def batching_kernel(definition: Definition) -> Function:
    """Return the kernel of batches that applies the rule of an operator's entry."""
    op = definition.op
    assert op.batching_rule is not None  # it is asked for where there is one
    rule = definition.load(op.batching_rule, "batching")

    def kernel(*args: Any, **kwargs: Any) -> Any:
        interpreter = retrieve_current_functorch_interpreter()
        batch = _Batch(interpreter.level(), definition.schema)
        positional = [batch.opened(*each) for each in batch.pairs(args)]
        named = {name: batch.opened(name, value) for name, value in kwargs.items()}
        call = BatchedCall(
            op=op,
            size=symbol(interpreter.batch_size()),
            args=tuple(positional),
            kwargs=named,
            batched=frozenset(batch.names),
            item_batched=batch.items,
            parameters=op.batching_parameters,
            randomness=interpreter.randomness(),
        )
        excluded = _C.DispatchKeySet(getattr(_C.DispatchKey, KEY))
        # Of this batch alone: what the rule calls comes to the next level out.
        with _C._ExcludeDispatchKeyGuard(excluded), AtenMode(batch.device):
            made = rule(call)
        given = {**dict(batch.pairs(args)), **kwargs}
        return batch.results(made, definition.given_back, given)

    return definition.filled(kernel)


class _Batch:
    """The batched tensors of one call, at one level of ``torch.vmap``."""

    def __init__(self, level: int, schema: FunctionSchema) -> None:
        self._level = level
        self._schema = schema
        #: The arguments that are batched, and which items of lists are.
        self.names: set[str] = set()
        self.items: dict[str, tuple[bool, ...]] = {}
        #: Where arrays are made that are made of none.
        self.device = torch.device("cpu")

    def pairs(self, args: tuple[Any, ...]) -> list[tuple[str, Any]]:
        """Return the positional arguments with their names."""
        names = [argument.name for argument in self._schema.positional]
        return [*zip(names, args, strict=True)]

    def opened(self, name: str, value: Any) -> Any:
        """Return an argument as rules take it, the batch as the first dimension."""
        if isinstance(value, torch.Tensor):
            array, is_batched = self._opened(value)
            if is_batched:
                self.names.add(name)
            return array
        if isinstance(value, (list, tuple)) and _has_tensor(value):
            pairs = [self._opened(item) for item in value]
            flags = tuple(is_batched for _, is_batched in pairs)
            if any(flags):
                self.names.add(name)
                self.items[name] = flags
            return [array for array, _ in pairs]
        return wrapped(value)

    def _opened(self, value: Any) -> tuple[Any, bool]:
        if not isinstance(value, torch.Tensor):
            return wrapped(value), False
        self.device = value.device
        inner, dim = _functorch._unwrap_batched(value, self._level)
        if dim is None:
            return TorchArray(inner), False
        return TorchArray(inner if dim == 0 else inner.movedim(dim, 0)), True

    def results(
        self, made: Any, given_back: tuple[str | None, ...], given: Mapping[str, Any]
    ) -> Any:
        """Return the results of a call: what was written to, and new batches."""
        several = made if len(given_back) > 1 else (made,)
        found = [
            self._closed(one) if name is None else given[name]
            for name, one in zip(given_back, several, strict=False)
        ]
        return tuple(found) if len(found) > 1 else found[0] if found else None

    def _closed(self, made: Any) -> Any:
        if isinstance(made, Unbatched):
            return unwrapped(made.value)
        if isinstance(made, (list, tuple)):
            return [self._closed(one) for one in made]
        if not isinstance(made, TorchArray):
            return made
        return _functorch._add_batch_dim(made.value, 0, self._level)


def _has_tensor(values: Any) -> bool:
    return any(isinstance(value, torch.Tensor) for value in values)
