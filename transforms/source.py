"""Pieces of source for functions with the form of an operator's kernels.

Kernels of transforms are compiled for each operator, for a general one that builds
lists and dicts of whatever it is called with costs several times as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..runtime.adapters import compiled
from ..runtime.schema import Argument, FunctionSchema


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a schema as a parameter of a compiled kernel."""

    argument: Argument
    #: Its name in the source: Python may have another use for that of the schema.
    name: str
    keyword_only: bool

    @property
    def is_array(self) -> bool:
        """Whether it takes one array, or None."""
        kind = self.argument.type
        return kind.base.name == "Tensor" and not self.is_list

    @property
    def is_list(self) -> bool:
        """Whether it takes a list of arrays."""
        kind = self.argument.type
        element = getattr(kind, "element", kind)
        return kind.base.name == "Tensor" and "list" in (kind.kind, element.kind)


def parameters_of(schema: FunctionSchema) -> tuple[Parameter, ...]:
    """Return the parameters of an operator's kernels, in the order of its schema."""
    positional = [
        Parameter(argument, f"a{n}", False)
        for n, argument in enumerate(schema.positional)
    ]
    keyword_only = [
        Parameter(argument, argument.name, True) for argument in schema.keyword_only
    ]
    return (*positional, *keyword_only)


def signature(parameters: Iterable[Parameter]) -> str:
    """Return the parameters as they stand in a ``def``."""
    items = [*parameters]
    positional = [p.name for p in items if not p.keyword_only]
    named = [p.name for p in items if p.keyword_only]
    return ", ".join([*positional, *(["*", *named] if named else [])])


def arguments(parameters: Iterable[Parameter], values: Mapping[str, str]) -> str:
    """Return them as they stand in a call, with values in the place of some."""
    return ", ".join(
        (
            f"{p.name}={values.get(p.name, p.name)}"
            if p.keyword_only
            else values.get(p.name, p.name)
        )
        for p in parameters
    )


def compile_function(
    name: str, lines: Iterable[str], filename: str, values: Mapping[str, Any]
) -> Any:
    """Return the function ``name`` that some source defines.

    ``values`` are its globals. The source is known to `linecache` by its file name, so
    that tracebacks and debuggers show it.
    """
    return compiled("\n".join(lines) + "\n", filename, name, values)
