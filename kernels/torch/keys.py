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
]

#: The key set of a tensor, and what the thread includes and excludes. Generated
#: functions ask for them by these names.
native_keys: Final = _C._dispatch_keys
native_included: Final = _C._dispatch_tls_local_include_set
native_excluded: Final = _C._dispatch_tls_local_exclude_set

DISPATCHER.connect(TorchSide(DISPATCHER))
watch_registrations(DISPATCHER)
