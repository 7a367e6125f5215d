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
    "SPACE",
    "DispatchKey",
    "DispatchKeySet",
    "Overload",
    "disable_python_dispatcher",
    "enable_python_dispatcher",
    "exclude_keys",
    "include_keys",
    "native_excluded",
    "native_included",
    "native_keys",
    "native_overridden",
]

#: What generated functions ask: the key set of a tensor, what the thread includes and
#: excludes, and whether a ``__torch_function__`` comes before any dispatch.
native_keys: Final = _C._dispatch_keys
native_included: Final = _C._dispatch_tls_local_include_set
native_excluded: Final = _C._dispatch_tls_local_exclude_set
native_overridden: Final = _C._has_torch_function_variadic

DISPATCHER.connect(TorchSide(DISPATCHER))
watch_registrations(DISPATCHER)
