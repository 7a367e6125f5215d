"""PyTorch as the native side of operators: its state, its keys, its operators."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from operator import is_
from typing import Any, Final

import torch
from torch import _C
from torch._C._dynamo.guards import TensorGuards
from torch.overrides import has_torch_function

from ...runtime.dispatch_state import PYTHON_DISPATCHER
from ...runtime.kernel import Kernel, Site, fallthrough
from ...runtime.native import NativeOverload
from ...runtime.native_dispatcher import NativeDispatcher
from .operator import TorchOperator
from .printed import Registered
from .registered import key_names, keyset_of, registered_fallbacks

_NUMBERS: Final = (int, float, complex)

Function = Callable[..., Any]


class TorchSide:
    """PyTorch, as a key space with a native side asks it."""

    def __init__(self, dispatcher: NativeDispatcher) -> None:
        self._dispatcher: Final = dispatcher
        #: The bits of words that were met: threads and tensors have few different ones.
        self._bits: Final[dict[int, int]] = {}
        #: What a number brings that stands for an array: it becomes a tensor.
        self._number: Final[int] = _C._dispatch_keys(torch.tensor(0)).raw_repr()

    def operator(self, op: NativeOverload) -> TorchOperator:
        """Return an overload as PyTorch has it.

        Raises NativeOperatorError where there is none.
        """
        return TorchOperator(op)

    def packet(self, name: str) -> Function:
        """Return PyTorch's operator of a name, ``aten::mul``."""
        namespace, _, operator = name.partition("::")
        found: Function = getattr(getattr(torch.ops, namespace), operator)
        return found

    def overload_for(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> str | None:
        """Return the name of the overload that takes a call, as PyTorch resolves it.

        None where PyTorch finds none. A call may take one int for a list where this
        does not, as for ``stride`` of convolutions.
        """
        try:
            return _C._jit_resolve_packet(name, *args, **kwargs) or "default"
        except RuntimeError:
            return None

    def fallbacks(self) -> Mapping[str, Kernel]:
        """Return the backend fallbacks, each a kernel that is its own key."""
        found = registered_fallbacks().items()
        return {key: native_kernel(self._dispatcher, key, held) for key, held in found}

    def brought(self, values: tuple[Any, ...]) -> int:
        """Return the word of the keys that tensors bring, also those in lists."""
        word = 0
        for value in _leaves(values):
            if isinstance(value, torch.Tensor):
                word |= _C._dispatch_keys(value).raw_repr()
            elif isinstance(value, _NUMBERS):
                word |= self._number
        return word

    def is_overridden(self, values: tuple[Any, ...]) -> bool:
        """Whether a ``__torch_function__`` comes first: of a mode, or of a subclass."""
        overridden: bool = has_torch_function((None, *_leaves(values)))
        return overridden

    def has_numbers(self, values: tuple[Any, ...]) -> bool:
        """Whether a number stands where a tensor is meant."""
        return any(isinstance(value, _NUMBERS) for value in _leaves(values))

    def checks(self, values: tuple[Any, ...]) -> tuple[Function, ...] | None:
        """Return for each value what tells whether another brings the same keys.

        These are PyTorch's guards of compiled code. They compare the key set that the
        state of the thread makes of the tensor's, all but the PythonDispatcher, and
        besides dtype, device, dimensions and class. Only for tensors of no subclass,
        of which they ask nothing that Python would have to answer, and which have sizes
        and strides.
        """
        if all(value is None or _can_be_checked(value) for value in values):
            return tuple(map(_check, values))
        return None

    def state(self) -> tuple[int, int]:
        """Return the words of what this thread includes, and of what it excludes."""
        return (
            _C._dispatch_tls_local_include_set().raw_repr(),
            _C._dispatch_tls_local_exclude_set().raw_repr(),
        )

    def bits(self, word: int) -> int:
        """Return the keys of a word as bits of the key space."""
        found = self._bits.get(word)
        if found is None:
            names = key_names(_C.DispatchKeySet.from_raw_repr(word))
            found = self._bits[word] = self._dispatcher.space.bits(names)
        return found

    def python_dispatcher(self, enabled: bool) -> AbstractContextManager[Any]:
        """Return a context in which PyTorch's Python dispatcher is on, or off."""
        if _C._functorch.peek_interpreter_stack() is not None:
            return _switched_by_key(enabled)
        switch = _C._EnablePythonDispatcher if enabled else _C._DisablePythonDispatcher
        context: AbstractContextManager[Any] = switch()
        return context

    def including(self, keys: tuple[str, ...]) -> AbstractContextManager[Any]:
        """Return a context in which every call of this thread has these keys."""
        included, excluded = _state_sets()
        added = keyset_of(keys)
        return _forced(included | added, excluded - added)

    def excluding(self, keys: tuple[str, ...]) -> AbstractContextManager[Any]:
        """Return a context in which no call of this thread has these keys."""
        included, excluded = _state_sets()
        return _forced(included, excluded | keyset_of(keys))


def native_kernel(
    dispatcher: NativeDispatcher, key: str, registered: Registered
) -> Kernel:
    """Return a kernel of PyTorch's: one that stands for its key, or a fallthrough."""
    member = dispatcher.key_member(key)
    function = fallthrough if registered.is_fallthrough else member
    site = registered.site.removeprefix("registered at ")
    return Kernel(function, key, Site(site, 0, "PyTorch"))


def _can_be_checked(value: Any) -> bool:
    """Whether PyTorch's guards take a value.

    They ask a tensor for sizes and strides, and end the process where it has none: one
    that is nested, which it does not say itself inside of `vmap`.
    """
    is_plain = type(value) is torch.Tensor and not value.is_nested
    return is_plain and _C._functorch.peek_interpreter_stack() is None


def _check(value: Any) -> Function:
    if value is None:
        return partial(is_, None)
    any_size = [[None] * value.ndim]
    check = TensorGuards(
        value, dynamic_dims_sizes=any_size, dynamic_dims_strides=any_size
    ).check
    tensor, level = torch.Tensor, _C._functorch.peek_interpreter_stack

    def is_same(other: Any) -> Any:
        # As in _can_be_checked: this is called in every call, and has to be fast.
        is_plain = type(other) is tensor and not other.is_nested
        return is_plain and level() is None and check(other)

    return is_same


def _leaves(values: tuple[Any, ...]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(tuple(value))
        else:
            yield value


@contextmanager
def _switched_by_key(enabled: bool) -> Generator[None]:
    """Have the Python dispatcher on or off inside of a transform of functorch.

    Each level of functorch keeps the key sets of the thread and puts them back for what
    is below it, the PythonDispatcher among them. PyTorch's own switch would take away
    besides what that key then asks, which is an internal error of PyTorch. So the key
    alone goes, and levels below have the dispatcher as they were entered.
    """
    included, excluded = _state_sets()
    if not enabled:
        with _forced(included - keyset_of((PYTHON_DISPATCHER,)), excluded):
            yield
        return
    # Left by itself, PyTorch's switch would leave the key where it was not before.
    with _forced(included, excluded), _C._EnablePythonDispatcher():
        yield


def _state_sets() -> tuple[Any, Any]:
    return _C._dispatch_tls_local_include_set(), _C._dispatch_tls_local_exclude_set()


def _forced(included: Any, excluded: Any) -> AbstractContextManager[Any]:
    # The guard that puts back both words as they were, whatever is inside.
    guard: AbstractContextManager[Any] = _C._ForceDispatchKeyGuard(included, excluded)
    return guard
