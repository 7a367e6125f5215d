"""One overload of PyTorch's, and how the Python dispatcher reaches it from C++.

C++ code that calls an operator while the Python dispatcher is on looks into the
``_dispatch_cache`` of the Python object of that operator, and asks its
``_get_dispatch`` for what is missing there. Both are put in our place for operators
that keyslot knows: so kernels of `py_impl` are met inside of PyTorch as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import torch
from torch import _C

from ...runtime.errors import NativeOperatorError
from ...runtime.handlers import Refusal
from ...runtime.kernel import Kernel, Site
from ...runtime.keys import KeyEnum
from ...runtime.native import NativeOverload
from ...runtime.native_values import has_sized_lists
from .registered import key_names, keys_by_name, keyset_of, registered_kernels

Function = Callable[..., Any]

#: At these keys PyTorch's kernel depends on the modes that are on, at each call.
_BY_MODE: Final = ("Python", "PreDispatch")


class TorchOperator:
    """An overload as PyTorch has it."""

    def __init__(self, op: NativeOverload) -> None:
        self._op: Final = op
        self._overload: Final = _find(op)
        self._cache: Final = _Interposed(self._overload._dispatch_cache)
        self._cache.on_clear = self._upstream_changed
        self._takes_one_for_list: Final = has_sized_lists(op)
        self._interpose()

    @property
    def call(self) -> Function:
        """A call in the ordinary way: PyTorch finds the kernel."""
        call: Function = self._overload._op
        return call

    def at(self, key: str) -> Function:
        """Return its kernel of a runtime or alias key, or its fallback at a key."""
        return partial(self._overload._op_dk, keys_by_name()[key])

    def dispatch(self, keys: tuple[str, ...]) -> Function | None:
        """Return a call of PyTorch's kernels at these keys, the highest first.

        Kernels that dispatch further down do so with the key set that they are given,
        and what is given here has no PythonDispatcher: C++ stays in C++.
        """
        overload = self._overload
        if self._takes_one_for_list:
            # A call with a key set refuses one number in the place of a list.
            return None
        keyset = keyset_of(keys)
        if "Python" in keys and overload.python_key_table:
            return None
        if set(key_names(keyset)) != set(keys):
            # PyTorch's sets are products of backends and the rest, and not this one.
            return None
        return partial(overload._handle.redispatch_boxed, keyset)

    def deferred(self, key: str) -> Function | None:
        """Return what to call at a key where modes decide, at each call."""
        return partial(self._call_by_mode, key) if key in _BY_MODE else None

    def kernels(self) -> Mapping[str, Kernel]:
        """Return what is registered now: at each key a kernel that is this key."""
        from .side import native_kernel

        dispatcher = self._op.dispatcher
        found = registered_kernels(self._op.name).items()
        return {key: native_kernel(dispatcher, key, held) for key, held in found}

    def python_kernels(self) -> Mapping[str, Kernel]:
        """Return the kernels of PyTorch's own ``py_impl``."""
        site = Site("torch.ops", 0, "PyTorch's py_impl")
        return {
            key: Kernel(held[member], key, site)
            for held in [self._overload.py_kernels]
            for key, member in keys_by_name().items()
            if held and member in held
        }

    def forget(self) -> None:
        """Drop what PyTorch has cached: a Python kernel has changed."""
        dict.clear(self._cache)

    def _interpose(self) -> None:
        self._overload._dispatch_cache = self._cache
        self._overload._get_dispatch = self._get_dispatch

    def _get_dispatch(self, key: Any) -> Any:
        """Return what C++ calls at a key: a Python kernel, or a key of its own."""
        # PyTorch keeps what it finds there itself, and so does this.
        self._op.dispatcher.note_reading(self._op)
        name = _C._dispatch_key_name(key)
        handler = self._handler(name)
        if handler is None:
            return type(self._overload)._get_dispatch(self._overload, key)
        self._cache[key] = handler
        return handler

    def _handler(self, name: str) -> Any:
        """Return what our table has at a key, None where PyTorch is to decide.

        It decides where there is no Python kernel of ours: also one at another key may
        make a composite give way at this one.
        """
        if name in _BY_MODE or not self._op.tables.python_kernels:
            return None
        handler = self._op.watched(name)
        if isinstance(handler, KeyEnum):
            return keys_by_name()[handler.name]
        return None if isinstance(handler, Refusal) else handler

    def _call_by_mode(self, key: str, /, *args: Any, **kwargs: Any) -> Any:
        member = keys_by_name()[key]
        handler = self._cache.get(member)
        if handler is None:
            handler = self._get_dispatch(member)
        if isinstance(handler, _C.DispatchKey):
            return self._overload._op_dk(handler, *args, **kwargs)
        return handler(*args, **kwargs)

    def _upstream_changed(self) -> None:
        """Read the tables again: somebody used PyTorch's own ``py_impl``."""
        with self._op.dispatcher.lock:
            self._op.tables.update()


class _Interposed(dict[Any, Any]):
    """The handlers that C++ looks up, which tells when PyTorch drops them all."""

    def __init__(self, held: Mapping[Any, Any]) -> None:
        super().__init__()
        self.on_clear: Callable[[], None] = lambda: None

    def clear(self) -> None:
        """Drop all: PyTorch does so when Python kernels of its own change."""
        super().clear()
        self.on_clear()


def _find(op: NativeOverload) -> Any:
    namespace, _, name = op.name.partition("::")
    packet, _, overload = name.partition(".")
    try:
        found = getattr(getattr(torch.ops, namespace), packet)
        return getattr(found, overload or "default")
    except AttributeError as error:
        raise NativeOperatorError(
            op.name, f"PyTorch {torch.__version__} has no such operator"
        ) from error
