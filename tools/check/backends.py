"""Which operators cannot be called with arrays of a backend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...codegen.model import Operators, Overload
from ...codegen.problems import problem_at
from ...runtime.resolver import resolve
from ...runtime.space import KeySpace
from ..project import Project
from .findings import MISSING_KERNEL, Finding


def check_backends(project: Project, backends: Sequence[str]) -> Iterator[Finding]:
    """Yield the overloads without a kernel for plain arrays of some backends.

    An entry that says so itself, with ``dispatch: {}`` or manual registration, gets its
    kernels from a program.

    Raises UnknownBackendError.
    """
    space = project.operators.space
    keys = {backend: _plain_keys(space, backend) for backend in backends}
    for overload in project.operators.overloads:
        if not overload.kernels:
            continue
        lacking = [
            backend
            for backend in backends
            if not _serves(space, overload, keys[backend])
        ]
        if lacking:
            name = overload.schema.qualified
            message = f"{name} has no kernel for {', '.join(lacking)}"
            hint = "Name one under dispatch, or write the operator as a composite."
            place = overload.declaration.place
            yield Finding(problem_at(place, message, MISSING_KERNEL), hint)


def used_backends(operators: Operators) -> list[str]:
    """Return the backends that have a kernel of their own, as the space orders them."""
    used = {
        operators.space.backend_of.get(key)
        for overload in operators.overloads
        for key, kernel in overload.kernels.items()
        if not kernel.is_fallthrough
    }
    return [backend for backend in operators.space.backends if backend in used]


def _plain_keys(space: KeySpace, backend: str) -> list[str]:
    """Return the keys at which arrays of a backend are computed with."""
    return [
        key
        for key in space.backend_keys(backend)
        if space.functionality_of[key] in space.array_functionalities
        and key not in space.autograd_backends
    ]


def _serves(space: KeySpace, overload: Overload, keys: Sequence[str]) -> bool:
    for key in keys:
        cell = resolve(space, overload.kernels, space.fallthrough, key)
        if cell.kind == "kernel" and cell.source is not None:
            return not overload.kernels[cell.source].is_fallthrough
    return False
