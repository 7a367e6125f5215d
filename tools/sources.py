"""Where kernels and declarations are written: file and line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from inspect import unwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..codegen.config import OWN_NAMESPACE
from ..runtime.errors import KernelImportError

if TYPE_CHECKING:
    from ..runtime.kernel import Kernel
    from ..runtime.op import OpOverload


@dataclass(frozen=True, slots=True)
class Source:
    """A line of a file."""

    #: The file: relative to the current folder if it lies there.
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def link(self) -> str:
        """The file for a terminal to open."""
        return Path(self.file).resolve().as_uri()


def kernel_source(op: OpOverload, kernel: Kernel) -> Source | None:
    """Return where a kernel's function is written, None for one that is not Python.

    The kernel is imported. One that cannot be has no source either.
    """
    try:
        function = kernel.load(op.name)
    except KernelImportError:
        return None
    return function_source(function)


def function_source(function: Any) -> Source | None:
    """Return where a function is written, None for one that is not Python."""
    while isinstance(function, partial):
        function = function.func
    code = getattr(unwrap(function), "__code__", None)
    if code is None:
        return None
    return Source(_shown(Path(code.co_filename)), code.co_firstlineno)


def declaration_source(op: OpOverload) -> Source | None:
    """Return where an overload is declared, None if the file is not to be found.

    An overload that was derived from another one is declared where that one is.
    """
    name = (op.derived_from or op.qualified_name).rpartition("::")[2]
    path = _schema_file(op.namespace, op.origin)
    if path is None:
        return None
    return Source(_shown(path), _declared_lines(path).get(name, 1))


def _schema_file(namespace: str, origin: str) -> Path | None:
    path = Path(origin)
    if namespace == OWN_NAMESPACE and not path.is_file():
        # Installed beside the packages, as it lies beside them in the repository.
        path = Path(str(resources.files(f"{OWN_NAMESPACE}.schemas"))).parent / origin
    return path if path.is_file() else None


@cache
def _declared_lines(path: Path) -> dict[str, int]:
    """Return the line of each overload that a schema file declares."""
    declared = re.compile(r"^\s*-?\s*func:\s*[\"']?(?:\w+::)?([\w.]+)\(")
    lines: dict[str, int] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if found := declared.match(line):
            name = found[1] if "." in found[1] else f"{found[1]}.default"
            lines.setdefault(name, number)
    return lines


def _shown(path: Path) -> str:
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
