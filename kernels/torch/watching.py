"""Seeing to it that registrations of PyTorch's are noticed.

All that Python registers with PyTorch goes through the methods of one class, the
``_DispatchModule`` behind every ``torch.library.Library``: kernels, fallbacks, and the
``reset`` that takes them back, also when a Library is collected. PyTorch tells nobody,
so these methods are wrapped. What C++ registers, when it loads an extension, is told
by `keyslot.torch.registrations_changed`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Final

from torch import _C

from ...runtime.native import NativeDispatcher

#: Methods that register kernels of one operator, which their first argument names.
_KERNELS: Final = ("impl", "impl_t_t")
#: Methods that register, or take back, who knows what of which operators.
_OTHERS: Final = (
    "fallback",
    "fallback_fallthrough",
    "impl_with_aoti_compile",
    "register_ad_inplace_or_view_fallback",
    "reset",
)


def watch_registrations(dispatcher: NativeDispatcher) -> None:
    """Forget what was read whenever Python registers something with PyTorch."""
    module = _C._DispatchModule
    for name in (*_KERNELS, *_OTHERS):
        forget = _forget_one if name in _KERNELS else _forget_all
        noticed = _noticed(getattr(module, name), partial(forget, dispatcher))
        setattr(module, name, noticed)


def _noticed(
    method: Callable[..., Any], forget: Callable[..., None]
) -> Callable[..., Any]:
    @wraps(method)
    def noticed(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        finally:
            # Also where it raises: it may have registered something all the same.
            forget(*args)

    return noticed


def _forget_one(
    dispatcher: NativeDispatcher, module: object, name: str, *others: Any
) -> None:
    dispatcher.forget_kernels(name.rpartition("::")[2])


def _forget_all(dispatcher: NativeDispatcher, *others: Any) -> None:
    dispatcher.native_fallbacks_changed()
