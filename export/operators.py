"""`export_operators`: the operators of a generated package as PyTorch's own."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any, Final

import torch
from torch import _C

from ..runtime.errors import DuplicateOperatorError, NotExportedError
from ..runtime.exported import MODULE, ExportedOperator
from ..runtime.kernel import Site, caller_site
from ..runtime.registrations import Registration
from ..runtime.schema import parse_schema
from .definition import Definition
from .gradients import register_gradient
from .kernels import register_kernels

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
    TypeError for what is no module.

    It is undone at a time when nobody calls the operators: PyTorch does not wait for
    calls of other threads.
    """
    _check_module(package)
    with _lock:
        there = _registrations.get(package.__name__)
        if there is not None and there.is_live:
            return there
        site = caller_site("export_operators", inside=__name__.rpartition(".")[0])
        made = _register(package, _listed(package), site)
        _registrations[package.__name__] = made
        return made


def _check_module(package: object) -> None:
    if not isinstance(package, ModuleType):
        raise TypeError(
            "export_operators takes a generated package, the module that an import"
            f" gives, not {package!r}"
        )


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
    register_kernels(definition)
    if any(argument.type.base.name == "Tensor" for argument in schema.arguments):
        register_gradient(definition)
    register_batching(definition)
    return name


def register_batching(definition: Definition) -> None:
    """Register what computes a batch at once, if anything does."""
    exported = definition.exported
    if exported.vmap is not None:
        rule = definition.load(exported.vmap, "torch: vmap")
        overload, library = definition.overload, definition.library
        torch.library.register_vmap(overload, rule, lib=library)
    elif definition.op.batching_rule is not None:
        # Transforms are loaded where there is a use for them.
        from .batching import KEY, batching_kernel

        definition.impl(KEY, batching_kernel(definition))


def _defined_at(name: str) -> str | None:
    """Return where PyTorch's operator of a name was defined, if there is one."""
    if name in _sites:
        return str(_sites[name])
    operator, _, overload = name.partition(".")
    try:
        _C._dispatch_find_schema_or_throw(operator, overload)
    except RuntimeError:
        return None
    dump: str = _C._dispatch_dump(name)
    for line in dump.splitlines():
        if line.startswith("debug: "):
            return line.removeprefix("debug: ")
    return "a place that PyTorch does not tell"
