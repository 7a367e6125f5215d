"""Where the source of a kernel is, found without importing the kernel.

Kernels of a family are often made by one function, so what the object knows about
itself is not the place one wants to see. Here the statement is found that gives the
kernel its name; names that a module imports from another one are followed there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from pathlib import Path

from .source import Source

#: A name may be imported from module to module no more often than this.
_MAX_HOPS = 10


def find_named(module: str, path: str) -> Source | None:
    """Return where a kernel gets its name; None where that is not in Python source.

    ``path`` is the name in the module, which may go through modules inside of it.
    """
    name, *rest = path.split(".")
    while rest and _source(f"{module}.{name}") is not None:
        module, (name, *rest) = f"{module}.{name}", rest
    return _find(module, name, _MAX_HOPS)


def _find(module: str, name: str, hops: int) -> Source | None:
    source = _source(module)
    bound = None if source is None else _names(source).get(name)
    if source is None or bound is None or not hops:
        return None
    if not isinstance(bound, _Imported):
        return Source.at(source, bound)
    try:
        origin = resolve_name(bound.module, _package(module))
    except ImportError:
        return None
    return _find(origin, bound.name, hops - 1)


@dataclass(frozen=True, slots=True)
class _Imported:
    """A name that comes from another module, relative to this one."""

    module: str
    name: str


@cache
def _names(source: Path) -> dict[str, int | _Imported]:
    """Return the line of each name of a module, or where it is imported from."""
    try:
        tree = ast.parse(source.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    return dict(pair for node in _statements(tree.body) for pair in _bound(node))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run in a module itself, those in branches too."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = (n for n in ast.iter_child_nodes(node) if isinstance(n, ast.stmt))
            yield from _statements(list(inner))


def _bound(node: ast.stmt) -> Iterator[tuple[str, int | _Imported]]:
    """Yield the names that a statement binds."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name, node.lineno
        case ast.ImportFrom():
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                yield alias.asname or alias.name, _Imported(module, alias.name)
        case ast.Assign() | ast.AnnAssign():
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for part in (part for target in targets for part in ast.walk(target)):
                if isinstance(part, ast.Name):
                    yield part.id, part.lineno
        case _:
            pass


def _source(module: str) -> Path | None:
    spec = _spec(module)
    is_python = spec is not None and spec.has_location and spec.origin is not None
    if not is_python or spec is None or not str(spec.origin).endswith(".py"):
        return None
    return Path(str(spec.origin))


def _package(module: str) -> str:
    spec = _spec(module)
    return (spec.parent or "") if spec is not None else ""


@cache
def _spec(module: str) -> ModuleSpec | None:
    try:
        return find_spec(module)
    # The packages above a module are imported to find it, and may raise anything.
    except Exception:
        return None
