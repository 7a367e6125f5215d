"""The rules of each overload, its own or those of a companion, and their kernels.

``mul_`` and ``mul.out`` have the shapes, derivatives and batches of ``mul``, so their
entries need not repeat its rules. A composite needs none: transforms see what it calls.
What ``autogen`` derives has none either, for it calls what it is derived from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ..runtime.companions import companionship
from ..runtime.resolver import IMPLICIT
from ..runtime.schema_kinds import SchemaKind, kind_of
from ..runtime.space import KeySpace
from .companions import has_companion
from .model import Batching, KernelReference, Overload, Rules

_NO_RULES: Final = Rules()


def with_rules(
    overloads: Sequence[Overload], space: KeySpace, modules: Mapping[str, str]
) -> list[Overload]:
    """Return overloads with their rules, and the kernels that these give them.

    ``modules`` has, by rule, the module in which bare names are looked up.
    """
    own = [_own_rules(overload, modules) for overload in overloads]
    functional = {
        companionship(overload.schema): rules
        for overload, rules in zip(overloads, own, strict=True)
        if kind_of(overload.schema) is SchemaKind.FUNCTIONAL
    }
    found: list[Overload] = []
    for overload, rules in zip(overloads, own, strict=True):
        if _takes_rules(overload):
            companion = functional.get(companionship(overload.schema), _NO_RULES)
            rules = _merge(rules, companion)
        kernels = _with_kernels(overload.kernels, rules, space)
        found.append(replace(overload, rules=rules, kernels=kernels))
    return found


def _own_rules(overload: Overload, modules: Mapping[str, str]) -> Rules:
    if overload.derived_from is not None:
        return _NO_RULES
    entry = overload.declaration
    batching = entry.batching
    return Rules(
        shape=entry.shape and _in_module(entry.shape, modules["shape"]),
        derivatives=entry.derivatives,
        batching=batching
        and Batching(
            _in_module(batching.rule, modules["batching"]), batching.parameters
        ),
        derivative_functions=modules["derivatives"] if entry.derivatives else None,
    )


def _in_module(reference: KernelReference, module: str) -> KernelReference:
    return reference if reference.module else KernelReference(module, reference.name)


def _takes_rules(overload: Overload) -> bool:
    """Whether an overload has the rules of its companion where it has none."""
    is_composite = [*overload.kernels] == [IMPLICIT]
    is_derived = overload.derived_from is not None
    return has_companion(overload.schema) and not is_composite and not is_derived


def _merge(rules: Rules, companion: Rules) -> Rules:
    return Rules(
        shape=rules.shape or companion.shape,
        derivatives=rules.derivatives or companion.derivatives,
        batching=rules.batching or companion.batching,
        derivative_functions=rules.derivative_functions
        or companion.derivative_functions,
    )


def _with_kernels(
    kernels: Mapping[str, KernelReference], rules: Rules, space: KeySpace
) -> dict[str, KernelReference]:
    """Return the kernels, and that of each rule where there is no other at its key."""
    made = {
        rule.key: KernelReference(None, field, by_rule=True)
        for field, rule in space.rules.items()
        if getattr(rules, field) is not None
    }
    together = {**made, **kernels}
    return {key: together[key] for key in sorted(together)}
