"""Which kernels each overload has, also where YAML leaves it unsaid.

The rules are those of PyTorch's generator (``torchgen/model.py``, NativeFunction, and
``torchgen/dest/register_dispatch_key.py``):

- an entry without ``dispatch`` has a CompositeImplicitAutograd kernel of its own name;
- an entry with ``structured_delegate`` also has a kernel wherever its delegate has a
  structured one;
- an entry with ``ufunc_inner_loop`` has one for each device that loops are made for;
- a derived function has a CompositeExplicitAutograd kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ..runtime.derived import DERIVED
from ..runtime.resolver import EXPLICIT, IMPLICIT
from ..runtime.schema import FunctionSchema
from ..runtime.space import KeySpace
from .model import Declaration, KernelReference

#: The devices that PyTorch makes inner loops for, as ``ufunc_inner_loop`` means them.
UFUNC_KEYS: Final = ("CPU", "CUDA")


def default_kernel(schema: FunctionSchema) -> str:
    """Return the name of the kernel that an entry has unless it says otherwise.

    ``mul.Tensor`` has ``mul``, ``mul_.Tensor`` has ``mul_``, ``mul.out`` has
    ``mul_out``.
    """
    return f"{schema.name}_out" if schema.is_out else schema.name


def declared_kernels(
    declaration: Declaration, delegate: Declaration | None, space: KeySpace
) -> dict[str, KernelReference]:
    """Return the kernels of a declared function, by key or alias key."""
    if declaration.manual_kernel_registration:
        return {}
    own = KernelReference(None, default_kernel(declaration.schema))
    kernels = dict(declaration.dispatch or {})
    for key in ufunc_keys(declaration, space):
        kernels[key] = KernelReference(None, f"ufunc_{declaration.schema.name}_{key}")
    if delegate is not None:
        for key in structured_keys(delegate, space):
            kernels.setdefault(key, own)
    elif declaration.dispatch is None and not declaration.structured:
        kernels[IMPLICIT] = own
    return kernels


def derived_kernels() -> dict[str, KernelReference]:
    """Return the kernel of a derived function, which the runtime makes."""
    return {EXPLICIT: KernelReference(None, DERIVED)}


def structured_keys(declaration: Declaration, space: KeySpace) -> Iterator[str]:
    """Yield the keys at which a structured function also serves its delegating ones.

    These are the keys of plain arrays: a sparse kernel, say, is never structured.
    """
    for key in (*(declaration.dispatch or ()), *ufunc_keys(declaration, space)):
        plain = space.functionality_of.get(key) in space.array_functionalities
        if plain and key not in space.autograd_backends:
            yield key


def ufunc_keys(declaration: Declaration, space: KeySpace) -> tuple[str, ...]:
    """Return the keys at which an entry has kernels made of inner loops."""
    if not declaration.ufunc_inner_loop:
        return ()
    return tuple(key for key in UFUNC_KEYS if key in space.functionality_of)


def find_modules(
    kernels: Mapping[str, KernelReference], modules: Mapping[str, str]
) -> dict[str, KernelReference]:
    """Return the kernels sorted by key, bare names given the module of their key."""
    return {key: _in_module(kernels[key], modules.get(key)) for key in sorted(kernels)}


def _in_module(kernel: KernelReference, module: str | None) -> KernelReference:
    if kernel.module is not None or kernel.is_built_in or module is None:
        return kernel
    return KernelReference(module, kernel.name)
