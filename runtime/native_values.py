"""The form in which a native side passes arguments to Python kernels, and results back.

A Python kernel is called by the native side, with what that has made of the arguments,
and directly. It is to meet the same, and so are those who take its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .schema_model import ListType, Type

if TYPE_CHECKING:
    from .op import OpOverload

Function = Callable[..., Any]


def in_native_form(op: OpOverload, kernel: Function) -> Function:
    """Return a kernel so that it takes and gives values in the native side's form.

    One value that stands for a list of some size is repeated. Several results are a
    tuple, and a list of results is a list.
    """
    sizes = [_size(argument.type) for argument in op.schema.positional]
    container = _container(op)
    if not any(sizes):
        return kernel if container is None else _given_as(container, kernel)

    def with_lists(*args: Any, **kwargs: Any) -> Any:
        pairs = zip(args, sizes, strict=False)
        return kernel(*(_as_list(value, size) for value, size in pairs), **kwargs)

    return with_lists if container is None else _given_as(container, with_lists)


def has_sized_lists(op: OpOverload) -> bool:
    """Whether there is an argument for which one value can stand for a list."""
    return any(_size(argument.type) is not None for argument in op.schema.arguments)


def _size(declared: Type) -> int | None:
    """Return the size of a list for which one value can stand."""
    wanted = declared.element if declared.kind == "optional" else declared
    return wanted.size if isinstance(wanted, ListType) else None


def _container(op: OpOverload) -> type[Sequence[Any]] | None:
    returns = op.schema.returns
    if len(returns) == 1:
        return list if returns[0].type.kind == "list" else None
    return tuple if returns else None


def _given_as(container: Callable[[Any], Any], kernel: Function) -> Function:
    def given(*args: Any, **kwargs: Any) -> Any:
        result = kernel(*args, **kwargs)
        return container(result) if isinstance(result, (list, tuple)) else result

    return given


def _as_list(value: Any, size: int | None) -> Any:
    return value if size is None or _is_whole(value) else [value] * size


def _is_whole(value: object) -> bool:
    """Whether a value stands for itself, as lists do."""
    return value is None or isinstance(value, (list, tuple))
