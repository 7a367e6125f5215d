"""The error of an operator without a batching rule, with a rule to start from."""

from __future__ import annotations

from ...runtime.errors import NoBatchingRuleError
from ...runtime.op import OpOverload


def missing_rule(op: OpOverload) -> NoBatchingRuleError:
    """Return the error of an operator without a batching rule."""
    return NoBatchingRuleError(op.name, op.schema_text, rule_example(op))


def rule_example(op: OpOverload) -> str:
    """Return a batching rule to start from, with the arguments of an overload."""
    schema = op.schema
    positional = [arg.name for arg in schema.positional]
    named = [arg.name for arg in schema.keyword_only]
    arrays = [arg.name for arg in schema.arguments if arg.type.base.name == "Tensor"]
    given = ", ".join([*positional, *(f"{name}={name}" for name in named)])
    lines = [f'{name} = call.kwargs["{name}"]' for name in named]
    if positional:
        comma = "," if len(positional) == 1 else ""
        lines.insert(0, f"{', '.join(positional)}{comma} = call.args")
    return "\n".join(
        [
            "from typing import Any",
            "",
            "from keyslot.transforms import batching_rule",
            "from keyslot.transforms.batching import BatchedCall",
            "",
            "",
            "@batching_rule(op)",
            f"def batched_{schema.name.strip('_')}(call: BatchedCall) -> Any:",
            *(f"    {line}" for line in lines),
            f"    # Of {' and '.join(arrays)}, those that call.batched names have the"
            " batch of",
            "    # call.size items as their first dimension. So has the result.",
            f"    return op({given})",
        ]
    )
