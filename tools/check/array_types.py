"""Array types of a key space that no argument can ever have."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from operator import attrgetter

from ...codegen.nodes import List, Map, Node, Scalar, read_yaml
from ...codegen.problems import Problems, problem_at
from ..imports import import_named
from ..project import Project
from .findings import ARRAY_TYPE, Finding

_FIELDS = ("array_types", "scalar_types")


def check_array_types(project: Project) -> Iterator[Finding]:
    """Yield the types in the project's own key space that match no class.

    Types of a library that is not installed cannot be looked at. Of several for one
    library it is enough that one is right: the others may be those of its releases.
    """
    keys = project.config.keys
    root = (
        read_yaml(keys.path, keys.name, Problems()) if project.config.own_keys else None
    )
    for types in _types_of_a_library(root):
        reasons = [(node, _why_not(node.text)) for node in types]
        if all(reason for _, reason in reasons):
            for node, reason in reasons:
                yield Finding(problem_at(node, reason, ARRAY_TYPE))


def _types_of_a_library(root: Node | None) -> Iterator[list[Scalar]]:
    """Yield the types of one backend in one installed library."""
    for field in _FIELDS:
        backends = root.entries.get(field) if isinstance(root, Map) else None
        for node in backends.entries.values() if isinstance(backends, Map) else ():
            libraries: dict[str, list[Scalar]] = {}
            for item in node.items if isinstance(node, List) else [node]:
                if isinstance(item, Scalar):
                    top = item.text.partition(":")[0].partition(".")[0]
                    libraries.setdefault(top, []).append(item)
            yield from (types for top, types in libraries.items() if find_spec(top))


def _why_not(name: str) -> str:
    """Return why no class has this name, or an empty string."""
    module, _, path = name.partition(":")
    try:
        found: object = attrgetter(path)(import_named(module))
    except Exception as error:  # importing runs code that may raise anything
        return f"{name} is nowhere, so no argument is of this type: {error}"
    if not isinstance(found, type):
        return f"{name} is no class but of type {type(found).__name__}"
    own = f"{found.__module__}:{found.__qualname__}"
    if own != name:
        return f"{name} calls itself {own}, and by that name types are matched"
    return ""
