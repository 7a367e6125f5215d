"""Public functions of kernel modules that no declaration names."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from inspect import unwrap
from pathlib import Path
from sys import modules
from types import CodeType, ModuleType
from typing import Any

from ...codegen.problems import Problem
from ..project import Project
from .findings import UNUSED_KERNEL, Finding
from .kernels import Use, kernel_uses


def check_unused(project: Project) -> Iterator[Finding]:
    """Yield the functions that are kernels by their place, and are named nowhere.

    The modules are those of ``[tool.keyslot.kernels]``, and modules in these of which
    some function is named. They must be imported already.
    """
    named: dict[str, set[str]] = {}
    for use in kernel_uses(project):
        module, name = _module_of(use, project)
        if module is not None:
            named.setdefault(module, set()).add(name)
    for name in named.keys() & modules.keys():
        for attribute, function in _public_functions(modules[name]):
            if attribute not in named[name] and not _is_held(function, name):
                message = f"{name}:{attribute} is the kernel of no operator"
                yield Finding(_place(function, project.root, message))


def _is_held(function: Callable[..., Any], home: str) -> bool:
    """Whether another module has imported a function, which is a use of it.

    A package that holds what its own modules define only shows it.
    """
    return any(
        value is function
        for name, module in [*modules.items()]
        if name != home and not home.startswith(f"{name}.")
        for value in [*getattr(module, "__dict__", {}).values()]
    )


def _module_of(use: Use, project: Project) -> tuple[str | None, str]:
    """Return the module that a kernel is in, if it is one for kernels, and its name."""
    module = use.reference.module
    if module not in project.config.kernels.values():
        return None, ""
    inside, _, name = use.reference.name.rpartition(".")
    return (f"{module}.{inside}" if inside else module), name


def _public_functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield what a module exports, or else what it defines."""
    exported = getattr(module, "__all__", None)
    for name, value in vars(module).items():
        own = getattr(value, "__module__", None) == module.__name__
        public = (
            own and not name.startswith("_") if exported is None else name in exported
        )
        if public and callable(value) and not isinstance(value, type):
            yield name, value


def _place(function: Callable[..., Any], root: Path, message: str) -> Problem:
    code = getattr(unwrap(function), "__code__", None)
    if not isinstance(code, CodeType):
        return Problem(str(function.__module__), 0, 0, "", message, UNUSED_KERNEL)
    path, line = Path(code.co_filename), code.co_firstlineno
    text = linecache.getline(str(path), line).rstrip()
    home = root.resolve()
    name = path.relative_to(home).as_posix() if path.is_relative_to(home) else str(path)
    return Problem(name, line, 1, text, message, UNUSED_KERNEL)
