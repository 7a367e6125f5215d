"""Import the kernels that declarations name. This runs the code of their modules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

from ...codegen.checking import place_of
from ...codegen.counting import counted
from ...codegen.exports import is_functional
from ...codegen.model import Export, KernelReference, Overload, at_key, in_export
from ...codegen.problems import Located, problem_at
from ...runtime.errors import KernelImportError, NotAKernelError
from ...runtime.kernel import Kernel, Site
from ...runtime.nearest import nearest
from ..imports import error_text, import_error
from ..project import Project
from .findings import KERNEL_IMPORT, MODULE_IMPORT, NO_MODULE, Finding


@dataclass(frozen=True, slots=True)
class Use:
    """A kernel that an overload has at a key, or a function that it names otherwise."""

    overload: Overload
    #: The key, or what the function is for.
    key: str
    reference: KernelReference
    #: The name of its place in the declaration.
    field: str
    #: Whether it is called with the arguments of the schema.
    takes_arguments: bool = True

    @property
    def is_rule(self) -> bool:
        """Whether it is a rule for transforms, which nobody calls as a kernel."""
        return self.field in ("shape", "batching")

    @property
    def place(self) -> Located:
        """Where the kernel is declared, or else the operator."""
        return place_of(self.overload.declaration, self.field)


@dataclass(slots=True)
class Loaded:
    """The kernels that can be imported, and what is said of the others."""

    kernels: list[tuple[Use, Kernel]] = field(default_factory=list[tuple[Use, Kernel]])
    findings: list[Finding] = field(default_factory=list[Finding])
    not_checked: list[str] = field(default_factory=list[str])


def kernel_uses(project: Project) -> Iterator[Use]:
    """Yield every kernel of every overload but those that come with the runtime."""
    for overload in project.operators.overloads:
        for key, reference in overload.kernels.items():
            if not reference.is_built_in:
                yield Use(overload, key, reference, at_key(key))
        if overload.derived_from is None:
            yield from _uses_as_rules(overload)
            yield from _uses_for_torch(overload)


def _uses_as_rules(overload: Overload) -> Iterator[Use]:
    """Yield the functions that the entry itself names; companions have the same."""
    declaration, rules = overload.declaration, overload.rules
    if declaration.shape is not None and rules.shape is not None:
        # What an in-place or out= function writes to is no matter of its rule.
        is_like_it = is_functional(overload.schema)
        yield Use(overload, "shape", rules.shape, "shape", is_like_it)
    if declaration.batching is not None and rules.batching is not None:
        rule = rules.batching.rule
        yield Use(overload, "batching", rule, "batching", takes_arguments=False)


def _uses_for_torch(overload: Overload) -> Iterator[Use]:
    export = overload.declaration.torch or Export()
    for name, reference in export.references.items():
        is_called_like_it = name.partition(".")[0] in ("kernels", "shape")
        place = in_export(name)
        yield Use(overload, f"torch: {name}", reference, place, is_called_like_it)


def load_kernels(project: Project) -> Loaded:
    """Import the kernels of a project, module by module."""
    loaded = Loaded()
    by_module: dict[str | None, list[Use]] = {}
    for use in kernel_uses(project):
        by_module.setdefault(use.reference.module, []).append(use)
    for use in by_module.pop(None, ()):
        loaded.findings.append(_without_module(use))
    for module, uses in by_module.items():
        assert module is not None  # these were taken out above
        error = import_error(module)
        if error is not None:
            _report_module(module, uses, error, project, loaded)
            continue
        # A name may be looked up by code, which must not print into a report.
        with redirect_stdout(sys.stderr):
            _load_each(uses, project, loaded)
    return loaded


def _load_each(uses: list[Use], project: Project, loaded: Loaded) -> None:
    for use in uses:
        name = f"{project.config.namespace}::{use.overload.schema.qualified}"
        site = Site(use.place.source.file, use.place.line, name)
        kernel = Kernel(None, use.key, site, reference=str(use.reference))
        try:
            kernel.load(name)
        except (KernelImportError, NotAKernelError) as error:
            loaded.findings.append(_not_a_kernel(use, error))
        else:
            loaded.kernels.append((use, kernel))


def _not_a_kernel(use: Use, error: KernelImportError | NotAKernelError) -> Finding:
    said = str(error.__cause__ or error)
    problem = problem_at(use.place, f"{use.reference}: {said}", KERNEL_IMPORT)
    cause = error.__cause__
    hint = ""
    if isinstance(cause, AttributeError) and cause.name is not None:
        hint = nearest(cause.name, _public_names(cause.obj)).strip()
    return Finding(problem, hint)


def _public_names(value: Any) -> list[str]:
    return [name for name in dir(value) if not name.startswith("_")]


def _without_module(use: Use) -> Finding:
    key, name = use.key, use.reference.name
    message = f"no module is configured in which {name} at {key} could be looked up"
    hint = (
        f"Write module:{name}, or name the module of {key} in [tool.keyslot.kernels]."
    )
    return Finding(problem_at(use.place, message, NO_MODULE), hint)


def _report_module(
    module: str,
    uses: list[Use],
    error: BaseException,
    project: Project,
    loaded: Loaded,
) -> None:
    """Report a module once, however many kernels are in it."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    count = counted(len(uses), "kernel")
    if missing and _top(missing) in _array_libraries(project):
        said = f"{module}, with {count}: {_top(missing)} is not installed here"
        loaded.not_checked.append(said)
        return
    message = f"{module}, with {count}, cannot be imported: {error_text(error)}"
    hint = ""
    if missing and f"{missing}.".startswith(f"{project.config.package}."):
        hint = f"Run `{project.config.update}` first: the module imports its output."
    first = min((use.place for use in uses), key=lambda at: (at.source.file, at.line))
    problem = problem_at(first, message, MODULE_IMPORT)
    loaded.findings.append(Finding(problem, hint))


def _array_libraries(project: Project) -> set[str]:
    """Return the top-level modules of the array types in the key space."""
    names = project.operators.space.array_types
    return {_top(name.partition(":")[0]) for name in names}


def _top(module: str) -> str:
    return module.partition(".")[0]
