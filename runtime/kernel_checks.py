"""Kernels held to their schemas, while `check_kernels` is on.

The alias marks of a schema are promises about memory: what is not marked as written
keeps its contents, and what shares no mark shares no memory. Transforms rely on them,
and a kernel that breaks one corrupts results elsewhere. A check compares the arguments
with copies made before the call, so it is only there while the guard is on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .array_memory import contents, share_memory
from .errors import KernelCheckError
from .given import is_plain_list
from .schema_model import WILDCARD
from .trace import kernel_name

if TYPE_CHECKING:
    from .array_types import ArrayTypes
    from .op import OpOverload
    from .schema_model import FunctionSchema, Marks, Type
    from .state import Setting

Function = Callable[..., Any]


class _Value(NamedTuple):
    """An argument or a result of one call, and what the schema says of its memory."""

    name: str
    value: Any
    type: Type
    #: The names in its alias marks.
    sets: frozenset[str]
    is_write: bool

    def may_share(self, other: _Value) -> bool:
        """Whether the schema says that both may share memory."""
        if not self.sets or not other.sets:
            return False
        return WILDCARD in self.sets | other.sets or bool(self.sets & other.sets)


class _Broken(NamedTuple):
    """What a kernel did, and what to do about it."""

    problem: str
    hint: str


def checked_kernel(
    op: OpOverload, setting: Setting, index: int, function: Function
) -> Function:
    """Return the kernel at a place so that each call is compared with the schema.

    What it returns raises KernelCheckError. Exceptions of the kernel pass through.
    """

    def checked(*args: Any, **kwargs: Any) -> Any:
        arguments = _arguments(op.schema, args, kwargs)
        kept = _kept(arguments)
        before = [contents(argument.value) for argument in kept]
        result = function(*args, **kwargs)
        broken = _count_broken(op.schema, op.dispatcher.arrays, result)
        if broken is None:
            results = _results(op.schema, result)
            problems = (
                *_changed(kept, before),
                *_not_returned(arguments, results),
                *_shared(arguments, results),
            )
            broken = next(iter(problems), None)
        if broken is not None:
            raise _error(op, setting, index, broken)
        return result

    return checked


def _error(
    op: OpOverload, setting: Setting, index: int, broken: _Broken
) -> KernelCheckError:
    key = op.dispatcher.space.keys[index]
    kernel = op.table_for(setting).kernel(index)
    site = "nowhere, it is gone" if kernel is None else str(kernel.site)
    name = "a kernel" if kernel is None else kernel_name(kernel)
    return KernelCheckError(op.name, op.schema_text, key, name, site, *broken)


def _arguments(
    schema: FunctionSchema, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[_Value]:
    by_name = {argument.name: argument for argument in schema.arguments}
    positional = zip(schema.positional, args, strict=False)
    given = [*positional, *((by_name[name], value) for name, value in kwargs.items())]
    return [
        _Value(a.name, value, a.type, _sets(a.marks), a.is_write) for a, value in given
    ]


def _results(schema: FunctionSchema, result: Any) -> list[_Value]:
    returns = schema.returns
    values: Sequence[Any] = result if len(returns) > 1 else [result][: len(returns)]
    return [
        _Value(
            f"result {ret.name!r}" if ret.name else _numbered(place, len(returns)),
            value,
            ret.type,
            _sets(ret.marks),
            any(mark is not None and mark.is_write for mark in ret.marks),
        )
        for place, (ret, value) in enumerate(zip(returns, values, strict=True))
    ]


def _numbered(place: int, count: int) -> str:
    return "its result" if count == 1 else f"result {place + 1}"


def _sets(marks: Marks) -> frozenset[str]:
    known = [mark for mark in marks if mark is not None]
    return frozenset(name for mark in known for name in (*mark.before, *mark.after))


def _kept(arguments: list[_Value]) -> list[_Value]:
    """Return the arguments that must not change: they are not written, nor overlap."""
    written = [argument.value for argument in arguments if argument.is_write]
    return [
        argument
        for argument in arguments
        if not argument.is_write and not share_memory(argument.value, written)
    ]


def _count_broken(
    schema: FunctionSchema, arrays: ArrayTypes, result: object
) -> _Broken | None:
    """Compare the number of values that a kernel returned with the schema's."""
    declared = len(schema.returns)
    several = is_plain_list(type(result), arrays)
    count = len(cast("tuple[Any, ...]", result)) if several else None
    if declared == 0:
        right = result is None
    elif declared > 1:
        right = count == declared
    elif result is None:
        right = schema.returns[0].type.kind == "optional"
    else:
        right = several is (schema.returns[0].type.kind == "list")
    if right:
        return None
    what = "None" if result is None else "a value"
    if several:
        what = f"{count} values in a {type(result).__name__}"
    returns = ", ".join(map(str, schema.returns))
    return _Broken(
        f"returned {what}, and the schema declares ({returns})",
        "let the kernel return what the schema declares: one value as it is, several"
        " as a tuple, a list as a list, nothing as None",
    )


def _changed(kept: list[_Value], before: list[list[object]]) -> Iterator[_Broken]:
    """Yield each argument that the kernel wrote to and should not have."""
    for argument, held in zip(kept, before, strict=True):
        if contents(argument.value) != held:
            yield _Broken(
                f"wrote to argument {argument.name!r}, which the schema does not mark"
                " as written",
                "let the kernel write to a copy, or mark the argument,"
                f" {_marked(argument.type, '(a!)')} {argument.name}",
            )


def _not_returned(arguments: list[_Value], results: list[_Value]) -> Iterator[_Broken]:
    """Yield each result that should be the very argument that was written."""
    for result in results:
        for argument in arguments:
            if (
                result.is_write
                and argument.is_write
                and argument.sets == result.sets
                and argument.type == result.type
                and argument.value is not result.value
            ):
                yield _Broken(
                    f"returned something else than argument {argument.name!r}, which"
                    f" the schema declares as {result.name}",
                    f"let the kernel write to {argument.name!r} and return it",
                )


def _shared(arguments: list[_Value], results: list[_Value]) -> Iterator[_Broken]:
    """Yield each result whose memory is not its own, though the schema says so."""
    for result in results:
        allowed = [a.value for a in arguments if result.may_share(a)]
        for argument in arguments:
            if (
                not result.may_share(argument)
                and share_memory(result.value, argument.value)
                and not share_memory(argument.value, allowed)
            ):
                yield _Broken(
                    f"returned memory of argument {argument.name!r} as {result.name},"
                    " and the schema does not say that they share it",
                    "let the kernel return a copy, or mark both,"
                    f" {_marked(argument.type, '(a)')} {argument.name} ->"
                    f" {_marked(result.type, '(a)')}",
                )
    for one, other in combinations(results, 2):
        if not one.sets and not other.sets and share_memory(one.value, other.value):
            yield _Broken(
                f"returned the same memory as {one.name} and as {other.name}",
                "let the kernel return a copy as one of them",
            )


def _marked(type: Type, mark: str) -> str:
    """Return a type of arrays with an alias mark at the arrays themselves."""
    return str(type).replace("Tensor", f"Tensor{mark}")
