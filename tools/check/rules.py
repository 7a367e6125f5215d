"""Rules for transforms: formulas of functions that are not there, operators without."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Final

from ...codegen.checking import place_of
from ...codegen.model import Overload, at_derivative
from ...codegen.nodes import Scalar
from ...codegen.problems import problem_at
from ...runtime.formula import parse_formula
from ...runtime.nearest import nearest
from ...runtime.resolver import IMPLICIT, resolve
from ...runtime.space import KeySpace
from ..imports import import_error
from ..project import Project
from .findings import FORMULA, MISSING_RULE, Finding

#: What a call does without the rule.
_WITHOUT: Final = {
    "shape": "abstract arrays cannot go through it",
    "derivatives": "a gradient through it is an error",
    "batching": "vmap calls it once for each array of a batch",
}


def check_formulas(project: Project) -> Iterator[Finding]:
    """Yield the functions that formulas call and that are nowhere."""
    operators = {packet.name for packet in project.operators.packets}
    for overload in project.operators.overloads:
        derivatives = overload.declaration.derivatives
        module = overload.rules.derivative_functions
        if derivatives is None or module is None or overload.derived_from is not None:
            continue
        known = operators | _names_in(module)
        for key, text in derivatives.formulas.items():
            for name, column in parse_formula(text).functions.items():
                if name not in known:
                    yield _unknown(overload, key, name, column, known)


def check_missing_rules(project: Project) -> Iterator[Finding]:
    """Yield the overloads that a transform knows nothing of.

    Composites are known by what they call, and so is what ``autogen`` derives.
    """
    space = project.operators.space
    for overload in project.operators.overloads:
        if overload.derived_from is not None or IMPLICIT in overload.kernels:
            continue
        lacking = [field for field in space.rules if not _has(overload, field, space)]
        if lacking:
            name = overload.schema.qualified
            message = f"{name} has no rule {' and no rule '.join(lacking)}"
            hint = ". ".join(_WITHOUT[field].capitalize() for field in lacking)
            place = overload.declaration.place
            yield Finding(problem_at(place, message, MISSING_RULE), f"{hint}.")


def _has(overload: Overload, field: str, space: KeySpace) -> bool:
    """Whether an overload has a rule, or kernels wherever that would give it one."""
    if getattr(overload.rules, field) is not None:
        return True
    if field == "derivatives" and overload.schema.is_out:
        # No gradient is recorded of what is written into an array that was given.
        return True
    keys = space.expand(space.rules[field].key)
    cells = [resolve(space, overload.kernels, (), key) for key in keys]
    return all(cell.kind == "kernel" for cell in cells)


def _names_in(module: str) -> set[str]:
    if import_error(module) is not None:
        return set()
    found: ModuleType = sys.modules[module]
    return {name for name in dir(found) if callable(getattr(found, name))}


def _unknown(
    overload: Overload, key: str, name: str, column: int, known: set[str]
) -> Finding:
    place = place_of(overload.declaration, at_derivative(key))
    message = (
        f"{overload.schema.qualified}: the formula of {key} calls {name!r}, which is no"
        f" operator and no function of {overload.rules.derivative_functions}"
    )
    problem = problem_at(place, message, FORMULA)
    if isinstance(place, Scalar):
        problem = problem._replace(column=place.column_of(column - 1))
    return Finding(problem, nearest(name, known).strip())
