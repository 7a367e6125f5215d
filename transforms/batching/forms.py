"""In-place and ``out=`` forms of an operator, served by the rule of the functional one.

A rule that is wrapped with `in_all_forms` sees functional operators only. For the other
forms the functional one is called, and its result is written to the arrays that the
call names, which must be batched where the result is. An operator that has no
functional form goes to the rule as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from ... import generated as ops
from ...runtime.errors import UnbatchedWriteError, UnknownOperatorError
from ...runtime.namespace import find_packet
from ...runtime.op import OpOverload
from ...runtime.schema import Argument
from ...runtime.writing import check_result
from .call import BatchedCall, Unbatched, written_names
from .physical import batched_array

Rule = Callable[[BatchedCall], Any]


def in_all_forms(rule: Rule) -> Rule:
    """Return a rule of functional operators that serves their other forms too."""

    @wraps(rule)
    def serve(call: BatchedCall) -> Any:
        op = call.op
        if not written_names(op):
            return rule(call)
        check_written(call)
        functional = functional_form(op)
        if functional is None:
            return rule(call)
        inner = _functional_call(call, functional)
        alike = not inner.batched and "nondeterministic_seeded" not in op.tags
        return _write(call, Unbatched(inner.run()) if alike else rule(inner))

    return serve


def check_written(call: BatchedCall) -> None:
    """Raise UnbatchedWriteError where a batched result has an unbatched place."""
    written = written_names(call.op)
    if not call.batched.issubset(written):
        for name in written:
            if name not in call.batched:
                raise UnbatchedWriteError(call.op.name, name, _batched_inputs(call))


@lru_cache(maxsize=4096)
def functional_form(op: OpOverload) -> OpOverload | None:
    """Return the overload that computes what another one writes, if there is one.

    It has the same arguments but for those written to, or, where these are not
    ``out``, with ``self`` left as it is. It may have options that say what array to
    make; of these the dtype is that of ``out``.
    """
    schema = op.schema
    name = schema.name.removesuffix("_") if schema.is_inplace else schema.name
    wanted = [_described(arg) for arg in schema.arguments if arg not in schema.out]
    try:
        packet = find_packet(op.namespace, name).packet
    except UnknownOperatorError:
        return None
    for other in packet.members:
        arguments = other.schema.arguments
        kept = [_described(arg) for arg in arguments if not _is_option(arg, wanted)]
        if kept == wanted and not other.schema.is_mutable:
            functional: OpOverload = other
            return functional
    return None


def _described(argument: Argument) -> tuple[str, str, bool]:
    return argument.name, str(argument.type), argument.keyword_only


def _is_option(argument: Argument, wanted: list[tuple[str, str, bool]]) -> bool:
    """Whether an argument only says what array to make: its dtype, its device."""
    optional = argument.keyword_only and argument.has_default
    return optional and _described(argument) not in wanted


def _functional_call(call: BatchedCall, functional: OpOverload) -> BatchedCall:
    """Return the call of the functional form.

    Where that is told a dtype, it is that of the array to write to: PyTorch's
    operators compute in it.
    """
    values: dict[str, Any] = {
        arg.name: arg.default for arg in functional.schema.arguments
    }
    values |= call.values
    if "dtype" in values and values["dtype"] is None:
        values["dtype"] = values[written_names(call.op)[0]].dtype
    return call.with_op(functional, values)


def _write(call: BatchedCall, made: Any) -> Any:
    """Write the results to the arrays given for them, and return these."""
    names = written_names(call.op)
    places = [call.values[name] for name in names]
    results = [
        _for_place(call, name, result)
        for name, result in zip(names, _listed(made, len(names)), strict=True)
    ]
    # All are checked first, so that a refused call writes nothing.
    for name, place, result in zip(names, places, results, strict=True):
        check_result(name, place, result)
    for place, result in zip(places, results, strict=True):
        ops.copy_(place, result)
    return tuple(places) if len(places) > 1 else places[0]


def _listed(made: Any, count: int) -> list[Any]:
    """Return results as a list, each of them without the batch if together they are."""
    if count == 1:
        return [made]
    if isinstance(made, Unbatched):
        return [Unbatched(value) for value in made.value]
    return [*made]


def _for_place(call: BatchedCall, name: str, result: Any) -> Any:
    """Return a result with the batch if the array it is written to has it."""
    has_batch = name in call.batched
    if isinstance(result, Unbatched):
        return batched_array(call, result.value, False) if has_batch else result.value
    if not has_batch:
        raise UnbatchedWriteError(call.op.name, name, _batched_inputs(call))
    return result


def _batched_inputs(call: BatchedCall) -> tuple[str, ...]:
    return tuple([name for name in call.names if name in call.batched])
