"""Whether kernels take what the dispatcher gives them.

A kernel gets every argument of its schema: positional ones by position, keyword-only
ones by name, before them the key set if it is marked with ``with_keyset``.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter, Signature, signature
from typing import Any, Final, cast

from ...codegen.problems import problem_at
from ...runtime.kernel import Kernel
from ...runtime.resolution import default_value
from ...runtime.schema import FunctionSchema
from .findings import ARGUMENT_ORDER, DEFAULT, SIGNATURE, Finding
from .kernels import Use

#: What every NumPy ufunc takes by keyword besides ``out``.
_UFUNC_KEYWORDS: Final = frozenset(
    {"out", "where", "casting", "order", "dtype", "subok"}
)


def check_signature(use: Use, kernel: Kernel) -> Iterator[Finding]:
    """Yield what is wrong with how a kernel takes its arguments.

    A function of which Python knows no signature, as many written in C, is trusted.
    """
    schema = use.overload.schema
    if _is_ufunc(kernel.function):
        if refusal := _why_no_ufunc(kernel.function, schema):
            yield _finding(use, SIGNATURE, refusal, _call(schema))
        return
    try:
        takes = signature(kernel.function)
    except (TypeError, ValueError):
        return
    if refusal := _why_not(takes, schema, kernel.with_keyset):
        said = f"takes {_text(takes)}: {refusal}"
        yield _finding(use, SIGNATURE, said, _call(schema))
        return
    parameters = _positional(takes)[kernel.with_keyset :]
    if _are_swapped([parameter.name for parameter in parameters], schema):
        said = f"takes {_text(takes)}, in another order than the schema"
        yield _finding(use, ARGUMENT_ORDER, said, _call(schema))
    for message in () if use.is_rule else _other_defaults(takes, schema):
        hint = "op.kernel_for() hands the kernel out, to be called like the operator."
        yield _finding(use, DEFAULT, message, hint)


def _finding(use: Use, rule: str, message: str, hint: str) -> Finding:
    said = f"{use.overload.schema.qualified}: {use.reference} {message}"
    return Finding(problem_at(use.place, said, rule), hint)


def _call(schema: FunctionSchema) -> str:
    """Return the call that a kernel has to take, as a hint."""
    by_position = [argument.name for argument in schema.positional]
    by_name = [f"{name}={name}" for name in _names(schema.keyword_only)]
    return f"The call is kernel({', '.join([*by_position, *by_name])})."


def _names(arguments: tuple[Any, ...]) -> list[str]:
    return [argument.name for argument in arguments]


def _text(takes: Signature) -> str:
    """Return the parameters without their annotations."""
    bare = (
        each.replace(annotation=Parameter.empty) for each in takes.parameters.values()
    )
    return str(Signature([*bare]))


def _why_not(takes: Signature, schema: FunctionSchema, with_keyset: bool) -> str:
    """Return why Python would refuse the call, or an empty string."""
    by_position = ["keyset"] * with_keyset + _names(schema.positional)
    by_name = _names(schema.keyword_only)
    try:
        takes.bind(*by_position, **dict.fromkeys(by_name))
    except TypeError as error:
        return str(error)
    return ""


def _is_ufunc(function: object) -> bool:
    """Whether this is a ufunc of NumPy, which need not be installed to be asked."""
    kind = type(function)
    return kind.__name__ == "ufunc" and kind.__module__.partition(".")[0] == "numpy"


def _why_no_ufunc(function: Any, schema: FunctionSchema) -> str:
    """Return why a ufunc would refuse the call, or an empty string.

    It takes its inputs by position, and after them arrays to write to.
    """
    given = schema.positional
    inputs, outputs = given[: function.nin], given[function.nin :]
    if len(inputs) < function.nin:
        return f"is a ufunc of {function.nin} inputs, not of {len(inputs)}"
    if len(outputs) > function.nout or not all(each.is_write for each in outputs):
        return (
            f"is a ufunc of {function.nin} inputs: {outputs[0].name} would be written"
        )
    refused = set(_names(schema.keyword_only)) - _UFUNC_KEYWORDS
    return f"is a ufunc without an argument {min(refused)!r}" if refused else ""


def _positional(takes: Signature) -> list[Parameter]:
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [each for each in takes.parameters.values() if each.kind in kinds]


def _are_swapped(theirs: list[str], schema: FunctionSchema) -> bool:
    """Whether a positional argument of the schema has another place in the kernel.

    Names are free otherwise, since these arguments are given by position.
    """
    places = enumerate(_names(schema.positional))
    return any(name in theirs and theirs.index(name) != place for place, name in places)


def _other_defaults(takes: Signature, schema: FunctionSchema) -> Iterator[str]:
    for argument in schema.arguments:
        parameter = takes.parameters.get(argument.name)
        if not argument.has_default or parameter is None:
            continue
        if parameter.default is not Parameter.empty and not any(
            _same(parameter.default, value)
            for value in (argument.default, default_value(argument))
        ):
            default = f"{argument.name}={parameter.default!r}"
            yield f"has the default {default}, the schema {argument.default_text}"


def _same(theirs: object, ours: object) -> bool:
    """Whether two defaults are the same, where True is not 1, nor is 1.0."""
    return _shown(theirs) == _shown(ours)


def _shown(default: object) -> str:
    items = isinstance(default, list)
    return repr(tuple(cast("list[object]", default)) if items else default)
