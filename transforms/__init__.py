"""Transforms of functions over operators: gradients, batches, traces and others.

Each is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if __name__ != "keyslot.transforms":
    raise ImportError(
        f"import keyslot.transforms, not {__name__}: one copy of everything"
    )

if TYPE_CHECKING:
    from .autograd.checkpoint import checkpoint
    from .autograd.functions import grad, grad_and_value, vjp
    from .autograd.grad_mode import no_grad
    from .autograd.jacobians import hessian, jacfwd, jacrev, jvp
    from .batches.functions import vmap
    from .batches.registration import batching_rule
    from .functionalization.functions import functionalize
    from .graph import Graph
    from .meta import MetaTensor
    from .modes import DispatchMode
    from .symbolic import ShapeEnv, SymBool, SymInt
    from .tensor import Tensor
    from .tracing.functions import make_fx

#: Every public name, and the module that has it.
_EXPORTS = {
    "DispatchMode": ".modes",
    "Graph": ".graph",
    "MetaTensor": ".meta",
    "ShapeEnv": ".symbolic",
    "SymBool": ".symbolic",
    "SymInt": ".symbolic",
    "Tensor": ".tensor",
    "batching_rule": ".batches.registration",
    "checkpoint": ".autograd.checkpoint",
    "functionalize": ".functionalization.functions",
    "grad": ".autograd.functions",
    "grad_and_value": ".autograd.functions",
    "hessian": ".autograd.jacobians",
    "jacfwd": ".autograd.jacobians",
    "jacrev": ".autograd.jacobians",
    "jvp": ".autograd.jacobians",
    "make_fx": ".tracing.functions",
    "no_grad": ".autograd.grad_mode",
    "vjp": ".autograd.functions",
    "vmap": ".batches.functions",
}

#: What comes with the extra ``keyslot[transforms]``.
_NEEDED = ("numpy", "optree", "sympy")

__all__ = [
    "DispatchMode",
    "Graph",
    "MetaTensor",
    "ShapeEnv",
    "SymBool",
    "SymInt",
    "Tensor",
    "batching_rule",
    "checkpoint",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_fx",
    "no_grad",
    "vjp",
    "vmap",
]


def _load(name: str) -> object:
    """Return the public object called ``name``, and keep it for the next time."""
    if name not in _EXPORTS:
        raise AttributeError(f"module 'keyslot.transforms' has no attribute {name!r}")
    try:
        module = import_module(_EXPORTS[name], __name__)
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        raise ImportError(
            f"keyslot.transforms.{name} needs {error.name}:"
            " pip install 'keyslot[transforms]'",
            name=error.name,
        ) from None
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


# Hidden from type checkers, to which a module with __getattr__ has every name.
if not TYPE_CHECKING:
    __getattr__ = _load
