"""`export_operators`: the operators of a generated package as PyTorch's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any, Final

import torch
from torch import _C
from torch._library.utils import mutated_args_kwargs

from ...runtime.errors import DuplicateOperatorError, NotExportedError
from ...runtime.exported import MODULE, ExportedOperator
from ...runtime.kernel import Site, caller_site
from ...runtime.registrations import Registration
from ...runtime.schema import parse_schema
from .definition import Definition, Function
from .gradients import register_gradient
from .numpy_kernels import numpy_kernel
from .shapes import shape_kernel

_lock: Final = RLock()
#: Package -> the registration that is in force, if any.
_registrations: Final[dict[str, Registration]] = {}
#: Where an overload was asked for, by its name with the namespace.
_sites: Final[dict[str, Site]] = {}


def export_operators(package: ModuleType) -> Registration:
    """Register the operators of a generated package in PyTorch.

    Those whose YAML says ``torch`` are ``torch.ops.<namespace>.<operator>`` from now
    on, until the returned registration is undone. Asked again, it returns the
    registration that is in force.

    Raises NotExportedError where the package has no operator for PyTorch, and
    DuplicateOperatorError where PyTorch has one of the name; then none is registered.
    """
    with _lock:
        there = _registrations.get(package.__name__)
        if there is not None and there.is_live:
            return there
        site = caller_site("export_operators", inside=__name__.rpartition(".")[0])
        made = _register(package, _listed(package), site)
        _registrations[package.__name__] = made
        return made


def _listed(package: ModuleType) -> tuple[ExportedOperator, ...]:
    """Return what the generator wrote into the package for PyTorch."""
    name = f"{package.__name__}.{MODULE}"
    try:
        listed: tuple[ExportedOperator, ...] = import_module(name).OPERATORS
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise NotExportedError(package.__name__) from None
    return listed


def _register(
    package: Any, listed: Iterable[ExportedOperator], site: Site
) -> Registration:
    namespace: str = package._namespace
    library = torch.library.Library(namespace, "FRAGMENT")
    defined: list[str] = []

    def undo() -> None:
        library._destroy()
        for name in defined:
            del _sites[name]

    try:
        for exported in listed:
            name = _define(package, exported, library, site)
            defined.append(name)
            _sites[name] = site
    except BaseException:
        undo()
        raise
    return Registration(undo, f"{package.__name__} in PyTorch, {site}")


def _define(
    package: Any,
    exported: ExportedOperator,
    library: torch.library.Library,
    site: Site,
) -> str:
    """Define one operator with all that belongs to it; return its name."""
    schema = parse_schema(exported.schema)
    op = getattr(getattr(package, schema.name), schema.overload_name)
    name = f"{library.ns}::{schema.qualified}"
    if (first := _defined_at(name)) is not None:
        facts = "PyTorch has one operator of a name; undo the first registration"
        raise DuplicateOperatorError(name, first, str(site), facts)
    definition = Definition(exported, op, library)
    _register_kernels(definition)
    if exported.shape is not None:
        rule = definition.load(exported.shape, "torch: shape")
        kernel = definition.filled(shape_kernel(definition, rule))
        torch.library.register_fake(definition.overload, kernel, lib=library)
    elif not schema.returns or any(ret.alias for ret in schema.returns):
        torch.library.register_fake(
            definition.overload, _given(definition), lib=library
        )
    if any(argument.type.base.name == "Tensor" for argument in schema.arguments):
        register_gradient(definition)
    if exported.vmap is not None:
        rule = definition.load(exported.vmap, "torch: vmap")
        torch.library.register_vmap(definition.overload, rule, lib=library)
    return name


def _defined_at(name: str) -> str | None:
    """Return where PyTorch's operator of a name was defined, if there is one."""
    if name in _sites:
        return str(_sites[name])
    operator, _, overload = name.partition(".")
    if not _C._dispatch_has_kernel(name) and not _has_schema(operator, overload):
        return None
    for line in _C._dispatch_dump(name).splitlines():
        if line.startswith("debug: "):
            return line.removeprefix("debug: ")
    return "a place that PyTorch does not tell"


def _has_schema(operator: str, overload: str) -> bool:
    return any(
        schema.overload_name == overload
        for schema in _C._jit_get_schemas_for_operator(operator)
    )


def _register_kernels(definition: Definition) -> None:
    exported = definition.exported
    for key, reference in exported.kernels.items():
        kernel = definition.load(reference, key)
        definition.impl(key, definition.filled(kernel))
    if exported.through_numpy is not None:
        kernel = definition.filled(numpy_kernel(definition))
        definition.impl(exported.through_numpy, kernel)
    if definition.overload._schema.is_mutable:
        kernel = _counting_versions(definition)
        definition.impl("ADInplaceOrView", kernel, with_keyset=True)


def _given(definition: Definition) -> Function:
    """Return the kernel without values of a function that returns what it is given."""
    schema = definition.schema
    positional = [argument.name for argument in schema.positional]
    written = {str(each.alias): each.name for each in schema.arguments if each.is_write}
    names = [written[str(ret.alias)] for ret in schema.returns]

    def kernel(*args: Any, **kwargs: Any) -> Any:
        values: Mapping[str, Any] = {
            **dict(zip(positional, args, strict=False)),
            **kwargs,
        }
        given = tuple(values[name] for name in names)
        return given[0] if len(given) == 1 else given or None

    return kernel


def _counting_versions(definition: Definition) -> Function:
    """Return a kernel that tells autograd what is written to, and goes on below.

    What autograd has kept for a gradient must not change unseen.
    """
    overload = definition.overload
    schema = overload._schema
    places, names = mutated_args_kwargs(schema)

    def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        written = [*(args[p] for p in places if p < len(args))]
        written += [kwargs[name] for name in names if kwargs.get(name) is not None]
        for value in written:
            torch.autograd.graph.increment_version(value)
        below = keyset & _C._after_ADInplaceOrView_keyset
        return overload.redispatch(below, *args, **kwargs)

    return kernel
