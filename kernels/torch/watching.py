"""Seeing to it that registrations of PyTorch's are noticed.

All that Python registers with PyTorch goes through the methods of one class, the
``_DispatchModule`` behind every ``torch.library.Library``: kernels, fallbacks, and the
``reset`` that takes them back, also when a Library is collected. PyTorch tells nobody,
so these methods are wrapped. What C++ registers, when it loads an extension, is told
by `read_registrations_again`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from torch import _C

from ...runtime.native import NativeDispatcher, NativeOverload

_KERNELS: Final = ("impl", "impl_t_t", "impl_with_aoti_compile", "reset")
_FALLBACKS: Final = (
    "fallback",
    "fallback_fallthrough",
    "register_ad_inplace_or_view_fallback",
)


def watch_registrations(dispatcher: NativeDispatcher) -> None:
    """Make tables anew whenever Python registers something with PyTorch."""
    module = _C._DispatchModule
    for name in (*_KERNELS, *_FALLBACKS):
        fallbacks = name in _FALLBACKS or name == "reset"
        setattr(module, name, _noticed(dispatcher, getattr(module, name), fallbacks))


def read_registrations_again(dispatcher: NativeDispatcher, fallbacks: bool) -> None:
    """Ask PyTorch again what is registered, for all operators that were used."""
    with dispatcher.lock:
        if fallbacks:
            dispatcher.native_fallbacks_changed()
        for op in dispatcher.loaded_ops():
            op.tables.read_again()
            if isinstance(op, NativeOverload):
                op.forget()


def _noticed(
    dispatcher: NativeDispatcher, method: Callable[..., Any], fallbacks: bool
) -> Callable[..., Any]:
    @wraps(method)
    def noticed(*args: Any, **kwargs: Any) -> Any:
        result = method(*args, **kwargs)
        read_registrations_again(dispatcher, fallbacks)
        return result

    return noticed
