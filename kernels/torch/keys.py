"""PyTorch's dispatch keys, and what operators over PyTorch have in common.

Generated operators import this, so that whoever loads them has PyTorch at hand.
"""

from __future__ import annotations

from typing import Final

from torch import _C

from ...generated.torch_keys import (
    DISPATCHER,
    SPACE,
    DispatchKey,
    DispatchKeySet,
    Library,
    Overload,
    disable_python_dispatcher,
    enable_python_dispatcher,
    exclude_keys,
    include_keys,
)
from .side import TorchSide
from .watching import watch_registrations

__all__ = [
    "DISPATCHER",
    "PYTHON_DISPATCHER",
    "SPACE",
    "DispatchKey",
    "DispatchKeySet",
    "Library",
    "Overload",
    "disable_python_dispatcher",
    "enable_python_dispatcher",
    "exclude_keys",
    "include_keys",
    "native_includes",
    "native_overridden",
    "registrations_changed",
]

#: What generated functions ask: whether the thread has the Python dispatcher on, and
#: whether a ``__torch_function__`` comes before any dispatch.
PYTHON_DISPATCHER: Final = _C.DispatchKey.PythonDispatcher
native_includes: Final = _C._dispatch_tls_is_dispatch_key_included
native_overridden: Final = _C._has_torch_function_variadic


def registrations_changed() -> None:
    """Forget what was read of PyTorch's registrations, to read it again when needed.

    What Python registers is noticed. This is to be called after C++ has registered for
    operators that were used before, as an extension does when it is loaded.
    """
    DISPATCHER.native_fallbacks_changed()


DISPATCHER.connect(TorchSide(DISPATCHER))
watch_registrations(DISPATCHER)
