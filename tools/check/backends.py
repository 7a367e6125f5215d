"""Which operators cannot be called with arrays of a backend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...codegen.model import Operators, Overload
from ...codegen.problems import Problem, problem_at
from ...runtime.resolver import resolve
from ...runtime.space import KeySpace
from ..project import Project
from .findings import MISSING_KERNEL, Finding

#: A backend that lacks more kernels than this gets one finding for them all.
_MANY: Final = 10
_HINT: Final = "Name one under dispatch, or write the operator as a composite."


def check_backends(
    project: Project, backends: Sequence[str], *, list_all: bool
) -> Iterator[Finding]:
    """Yield the overloads without a kernel for plain arrays of some backends.

    Without ``list_all`` one finding stands for all of a backend that lacks many, as one
    does for which the first kernels were just written.

    An entry that says so itself, with ``dispatch: {}`` or manual registration, gets its
    kernels from a program.

    Raises UnknownBackendError.
    """
    space = project.operators.space
    asked = [overload for overload in project.operators.overloads if overload.kernels]
    listed: dict[str, list[str]] = {}
    for backend in backends:
        keys = _plain_keys(space, backend)
        lacking = [made for made in asked if not _serves(space, made, keys)]
        if len(lacking) > _MANY and not list_all:
            yield _summary(backend, lacking, len(asked))
            continue
        for overload in lacking:
            listed.setdefault(overload.schema.qualified, []).append(backend)
    for overload in asked:
        name = overload.schema.qualified
        if name in listed:
            message = f"{name} has no kernel for {', '.join(listed[name])}"
            yield Finding(_problem(overload, message), _HINT)


def _summary(backend: str, lacking: Sequence[Overload], asked: int) -> Finding:
    first = lacking[0]
    message = (
        f"{len(lacking)} of {asked} overloads have no kernel for {backend};"
        f" {first.schema.qualified} is the first"
    )
    hint = f"Run `keyslot check --backend {backend}` for a list of them. {_HINT}"
    return Finding(_problem(first, message), hint)


def _problem(overload: Overload, message: str) -> Problem:
    return problem_at(overload.declaration.place, message, MISSING_KERNEL)


def used_backends(operators: Operators) -> list[str]:
    """Return the backends that have a kernel of their own, as the space orders them.

    A rule is no kernel that somebody has written, and asks for none of other operators.
    """
    used = {
        operators.space.backend_of.get(key)
        for overload in operators.overloads
        for key, kernel in overload.kernels.items()
        if not kernel.is_fallthrough and not kernel.by_rule
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
        cell = resolve(space, overload.kernels, space.fallback_keys, key)
        if cell.kind == "kernel" and cell.source is not None:
            return not overload.kernels[cell.source].is_fallthrough
    return False
