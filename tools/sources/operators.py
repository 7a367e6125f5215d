"""Where kernels and declarations are written: file and line."""

from __future__ import annotations

import re
from functools import cache, partial
from importlib import resources
from inspect import unwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...codegen.config import OWN_NAMESPACE
from .names import find_named
from .source import Source

if TYPE_CHECKING:
    from ...runtime.kernel import Kernel
    from ...runtime.op import OpOverload


def kernel_source(kernel: Kernel) -> Source | None:
    """Return where a kernel is written, None for one that is not in Python source.

    Nothing is imported: one that YAML names is looked up where it gets its name.
    """
    if kernel.reference is not None:
        module, _, path = kernel.reference.partition(":")
        return find_named(module, path)
    return _function_source(kernel.function)


def _function_source(function: Any) -> Source | None:
    while isinstance(function, partial):
        function = function.func
    code = getattr(unwrap(function), "__code__", None)
    if code is None:
        return None
    return Source.at(Path(code.co_filename), code.co_firstlineno)


def declaration_source(op: OpOverload) -> Source | None:
    """Return where an overload is declared, None if the file is not to be found.

    An overload that was derived from another one is declared where that one is.
    """
    name = (op.derived_from or op.qualified_name).rpartition("::")[2]
    path = _schema_file(op.namespace, op.origin)
    if path is None:
        return None
    return Source.at(path, _declared_lines(path).get(_with_overload(name), 1))


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
            lines.setdefault(_with_overload(found[1]), number)
    return lines


def _with_overload(name: str) -> str:
    """Return the full name of an overload: that of one without a name is default."""
    return name if "." in name else f"{name}.default"
