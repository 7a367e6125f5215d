"""keyslot: an operator dispatcher for Python.

Operators are declared in YAML and rendered to classes; a small runtime picks the
kernel of each call. The names below are what most programs need, and each is loaded
when it is first asked for: importing ``keyslot`` loads no operator, kernel or NumPy.

>>> import keyslot
>>> "DispatchKey" in dir(keyslot)
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

# The file lies in runtime/toplevel/ and not in a folder named keyslot: with the root of
# the repository on sys.path, such a folder would come before the installed package.
if __name__ != "keyslot":
    raise ImportError(f"import keyslot, not {__name__}: one copy of everything")

if TYPE_CHECKING:
    from keyslot import generated as ops
    from keyslot.generated.keys import (
        DispatchKey,
        DispatchKeySet,
        Library,
        below_autograd,
        check_kernels,
        disable_kernel,
        disable_python_dispatcher,
        dispatch_trace,
        enable_python_dispatcher,
        exclude_keys,
        include_keys,
        register_array_type,
        rename_backend,
        snapshot,
    )
    from keyslot.runtime import errors
    from keyslot.runtime.explain import explain
    from keyslot.runtime.kernel import fallthrough, with_keyset
    from keyslot.runtime.op import OpOverload
    from keyslot.transforms.tensor import Tensor

    __version__: str

__all__ = [
    "DispatchKey",
    "DispatchKeySet",
    "Library",
    "OpOverload",
    "Tensor",
    "below_autograd",
    "check_kernels",
    "disable_kernel",
    "disable_python_dispatcher",
    "dispatch_trace",
    "enable_python_dispatcher",
    "errors",
    "exclude_keys",
    "explain",
    "fallthrough",
    "include_keys",
    "ops",
    "register_array_type",
    "rename_backend",
    "snapshot",
    "with_keyset",
]

#: Public names that are modules, and where they are.
_MODULES = {
    "errors": "keyslot.runtime.errors",
    "ops": "keyslot.generated",
}

#: Every other public name, and the module that has it.
_EXPORTS = {
    "DispatchKey": "keyslot.generated.keys",
    "DispatchKeySet": "keyslot.generated.keys",
    "Library": "keyslot.generated.keys",
    "OpOverload": "keyslot.runtime.op",
    "Tensor": "keyslot.transforms.tensor",
    "below_autograd": "keyslot.generated.keys",
    "check_kernels": "keyslot.generated.keys",
    "disable_kernel": "keyslot.generated.keys",
    "disable_python_dispatcher": "keyslot.generated.keys",
    "dispatch_trace": "keyslot.generated.keys",
    "enable_python_dispatcher": "keyslot.generated.keys",
    "exclude_keys": "keyslot.generated.keys",
    "explain": "keyslot.runtime.explain",
    "fallthrough": "keyslot.runtime.kernel",
    "include_keys": "keyslot.generated.keys",
    "register_array_type": "keyslot.generated.keys",
    "rename_backend": "keyslot.generated.keys",
    "snapshot": "keyslot.generated.keys",
    "with_keyset": "keyslot.runtime.kernel",
}


def _load(name: str) -> object:
    """Return the public object called ``name``, and keep it for the next time."""
    if name in _MODULES:
        value: object = import_module(_MODULES[name])
    elif name in _EXPORTS:
        value = getattr(import_module(_EXPORTS[name]), name)
    elif name == "__version__":
        value = import_module("importlib.metadata").version("keyslot")
    else:
        raise AttributeError(f"module 'keyslot' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


# Hidden from type checkers, to which a module with __getattr__ has every name.
if not TYPE_CHECKING:
    __getattr__ = _load
