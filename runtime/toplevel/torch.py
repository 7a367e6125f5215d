"""keyslot over PyTorch: importing this imports torch, and warns of untested versions.

PyTorch's operators with keyslot's tables and its Python dispatcher, and keyslot's
operators as PyTorch's own. See docs/pytorch.md.
"""

from __future__ import annotations

from types import ModuleType

from keyslot.export import export_operators
from keyslot.kernels.torch.cached import load_aten
from keyslot.kernels.torch.keys import (
    DispatchKey,
    DispatchKeySet,
    Library,
    disable_python_dispatcher,
    enable_python_dispatcher,
    exclude_keys,
    include_keys,
    registrations_changed,
)
from keyslot.kernels.torch.version import UntestedVersionWarning

__all__ = [
    "DispatchKey",
    "DispatchKeySet",
    "Library",
    "UntestedVersionWarning",
    "disable_python_dispatcher",
    "enable_python_dispatcher",
    "exclude_keys",
    "export_operators",
    "include_keys",
    "registrations_changed",
]


def __getattr__(name: str) -> ModuleType:
    # Not there from the start: the package may not have been generated.
    if name == "aten":
        return load_aten()
    raise AttributeError(f"module 'keyslot.torch' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "aten"])
