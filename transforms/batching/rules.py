"""Batching rules by the names that declarations have for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

from ...runtime.errors import NoBatchingRuleError
from ...runtime.op import OpOverload
from .call import BatchedCall

Rule = Callable[[BatchedCall], Any]

_NAMED: Final = re.compile(r"(?P<name>[\w.:]+)(?:\((?P<parameters>[^()]*)\))?")


class DeclaredRule(NamedTuple):
    """A batching rule, and what its declaration has in parentheses."""

    rule: Rule
    parameters: tuple[str, ...]


def declared_rule(text: str) -> DeclaredRule:
    """Return the rule that a declaration names: ``reduction(dim)``, ``module:name``.

    Raises ValueError for text of another form, and what importing the module raises.
    """
    match = _NAMED.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no batching rule, such as 'reduction(dim)'")
    module, _, name = match["name"].rpartition(":")
    found: Rule = getattr(import_module(module or __package__), name)
    parameters = (match["parameters"] or "").split(",")
    return DeclaredRule(found, tuple([part.strip() for part in parameters if part]))


def missing_rule(op: OpOverload) -> NoBatchingRuleError:
    """Return the error of an operator without a batching rule."""
    return NoBatchingRuleError(op.name, str(op.schema), rule_example(op))


def rule_example(op: OpOverload) -> str:
    """Return a batching rule to start from, with the arguments of an overload."""
    schema = op.schema
    names = [arg.name for arg in schema.positional]
    lines = (
        [f"{', '.join(names)}{',' * (len(names) == 1)} = call.args"] if names else []
    )
    lines += [f'{arg.name} = call.kwargs["{arg.name}"]' for arg in schema.keyword_only]
    arrays = [arg.name for arg in schema.arguments if arg.type.base.name == "Tensor"]
    given = [*names, *[f"{arg.name}={arg.name}" for arg in schema.keyword_only]]
    return "\n".join(
        [
            "from keyslot.transforms.batching import BatchedCall",
            "",
            f"def batched_{schema.name.strip('_')}(call: BatchedCall) -> Any:",
            *[f"    {line}" for line in lines],
            f"    # Of {', '.join(arrays)}, those in call.batched have the batch of",
            "    # call.size items as dimension 0. So has the result to be.",
            f"    return call.op({', '.join(given)})",
        ]
    )
