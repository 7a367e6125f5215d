"""The error of an operator without a batching rule, with a rule to start from."""

from __future__ import annotations

from ...runtime.errors import NoBatchingRuleError
from ...runtime.op import OpOverload


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
