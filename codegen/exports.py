"""Which operators PyTorch takes for its own, and as what.

PyTorch has rules for operators that come from elsewhere: a result shares no memory with
an argument, unless it is the very argument that is written to. See ``torch.library``
and, for what an in-place or ``out=`` function has to look like, ``torch.Tag``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from ..runtime.companions import companionship
from ..runtime.resolver import EXPLICIT, IMPLICIT, resolve
from ..runtime.schema import FunctionSchema
from ..runtime.schema_kinds import SchemaKind, is_tensor_like, kind_of
from ..runtime.space import KeySpace
from .companions import companions
from .model import Export, KernelReference, Operators, Overload

#: The classes of arrays that make a backend that of NumPy, or of PyTorch.
_NUMPY_ARRAY: Final = "numpy:ndarray"
_TORCH_ARRAY: Final = "torch:Tensor"
#: Tags by which PyTorch knows functions that return what they write to.
_INPLACE_TAG: Final = "inplace"
_OUT_TAG: Final = "out"
#: Says that an operator was tried with ``torch.compile`` and its neighbours.
_COMPLIANT_TAG: Final = "pt2_compliant_tag"


@dataclass(frozen=True, slots=True)
class Exported:
    """An overload as PyTorch's own."""

    overload: Overload
    export: Export
    #: PyTorch's key -> kernel over its tensors.
    kernels: dict[str, KernelReference]
    #: PyTorch's key at which the overload itself is the kernel, over NumPy's arrays.
    through_numpy: str | None
    tags: tuple[str, ...]
    #: The function of which an in-place one is the companion, if it is exported too.
    functional: str | None = None


def exported_overloads(operators: Operators) -> Iterator[Exported]:
    """Yield the overloads that are exported, in the order of the operators."""
    found: list[Exported] = []
    for overload in operators.overloads:
        export = export_of(overload, wanted=operators.torch)
        if export is None:
            continue
        if not why_not_exported(overload, export, operators.space):
            found.append(exported_overload(overload, export, operators.space))
    schemas = [each.overload.schema for each in found]
    functional = companions(schema for schema in schemas if is_functional(schema))
    for schema, exported in zip(schemas, found, strict=True):
        companion = functional.get(companionship(schema))
        is_inplace = _INPLACE_TAG in exported.tags
        yield replace(exported, functional=companion) if is_inplace else exported


def export_of(overload: Overload, *, wanted: bool) -> Export | None:
    """Return what an overload is exported as; ``wanted`` where the entry says nothing.

    A derived overload is exported with its entry, as what needs no rules of its own:
    as an ``out=`` function, that is.
    """
    export = overload.declaration.torch
    if export is False or (export is None and not wanted):
        return None
    if overload.derived_from is not None:
        return None if fresh_returns(overload.schema) else Export()
    return export or Export()


def why_not_exported(overload: Overload, export: Export, space: KeySpace) -> str:
    """Return why PyTorch cannot take an overload for its own, or an empty string."""
    schema = overload.schema
    if any(ret.alias and not ret.alias.is_write for ret in schema.returns):
        return "its result shares memory with an argument"
    if any(ret.alias for ret in schema.returns) and _returning_tag(schema) is None:
        return "it returns an array that it writes to, and is neither in-place nor out="
    if _kernels(overload, export, space) or _has_numpy_kernel(overload, space):
        return ""
    return "no kernel of it takes PyTorch's tensors or NumPy's arrays"


def fresh_returns(schema: FunctionSchema) -> int:
    """Return how many results are not arguments that were written to."""
    return sum(ret.alias is None for ret in schema.returns)


def needs_shape(exported: Exported) -> bool:
    """Whether PyTorch could trace a function by a rule for its shapes, and has none."""
    overload, export = exported.overload, exported.export
    composite = exported.kernels.keys() & {EXPLICIT, IMPLICIT}
    has_rule = export.shape is not None or overload.rules.shape is not None
    return bool(fresh_returns(overload.schema)) and not composite and not has_rule


def exported_overload(overload: Overload, export: Export, space: KeySpace) -> Exported:
    """Return an overload as PyTorch's own; it has to be one that can be."""
    kernels = _kernels(overload, export, space)
    serving = _numpy_key(overload.schema)
    taken = kernels.keys() & {serving, EXPLICIT, IMPLICIT}
    through_numpy = not taken and _has_numpy_kernel(overload, space)
    returning = _returning_tag(overload.schema)
    found = {*overload.tags, _COMPLIANT_TAG, *([returning] if returning else ())}
    tags = tuple(sorted(found))
    return Exported(overload, export, kernels, serving if through_numpy else None, tags)


def _kernels(
    overload: Overload, export: Export, space: KeySpace
) -> dict[str, KernelReference]:
    """Return the kernels over PyTorch's tensors: those named for it, or the one here.

    A kernel that the operator has here for PyTorch's tensors serves all its devices.
    """
    if export.kernels:
        return dict(sorted(export.kernels.items()))
    own = overload.kernels.get(_backend_of(_TORCH_ARRAY, space) or "")
    return {} if own is None or own.is_built_in else {EXPLICIT: own}


def _has_numpy_kernel(overload: Overload, space: KeySpace) -> bool:
    """Whether a call with NumPy's arrays reaches a kernel, a composite one perhaps."""
    key = _backend_of(_NUMPY_ARRAY, space)
    if key is None:
        return False
    cell = resolve(space, overload.kernels, space.fallback_keys, key)
    return cell.kind == "kernel"


def _backend_of(array: str, space: KeySpace) -> str | None:
    """Return the key of plain arrays of a class."""
    backend = space.array_types.get(array)
    for key, of in space.backend_of.items():
        if of == backend and key == of:
            return key
    return None


def _numpy_key(schema: FunctionSchema) -> str:
    """Return PyTorch's key of tensors that NumPy can look into.

    A function without tensors among its arguments comes to no backend's key.
    """
    takes = any(is_tensor_like(argument.type) for argument in schema.arguments)
    return "CPU" if takes else EXPLICIT


def _returning_tag(schema: FunctionSchema) -> str | None:
    """Return the tag of a function that returns all that it writes to."""
    written = [argument for argument in schema.arguments if argument.is_write]
    aliases = [ret.alias for ret in schema.returns]
    plain = all(str(argument.type) == "Tensor" for argument in written)
    if not written or not plain or aliases != [each.alias for each in written]:
        return None
    if all(argument.keyword_only for argument in written):
        return _OUT_TAG
    return _INPLACE_TAG if written == [*schema.arguments[:1]] else None


def is_functional(schema: FunctionSchema) -> bool:
    """Whether a function changes no argument."""
    return kind_of(schema) is SchemaKind.FUNCTIONAL and not any(
        argument.is_write for argument in schema.arguments
    )
