"""What the kernels that record calls do besides: lists, results without gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ...runtime.errors import NotDifferentiableError
from .. import tensor, views

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

Kernel = Callable[..., Any]
#: Bits of the keys that come after those that record gradients.
_BELOW: Final = (tensor.AUTOGRAD & -tensor.AUTOGRAD) - 1


def untracked(op: OpOverload) -> Kernel:
    """Return what runs where no argument is a Tensor: the key is passed over."""

    def pass_over(*args: Any, **kwargs: Any) -> Any:
        keys = op.keys_of(args, kwargs)
        below = type(keys).from_bits(keys.bits & _BELOW)
        return op.redispatch(below, *args, **kwargs)

    return pass_over


def level_of_list(values: Any) -> int:
    """Return the highest level in a list, -1 where no Tensor is in it."""
    levels = [v.level for v in values or () if isinstance(v, tensor.Tensor)]
    return max(levels, default=-1)


def opened_list(values: Any, level: int) -> Any:
    """Return a list with the Tensors of a level opened."""
    if values is None:
        return None
    return [
        v.value if isinstance(v, tensor.Tensor) and v.level == level else v
        for v in values
    ]


def edges_of_list(values: Any, level: int, bits: int) -> tuple[list[Any], int]:
    """Return the edge of each item, and the bits of a Tensor that has one."""
    edges: list[Any] = []
    for value in values or ():
        at_level = isinstance(value, tensor.Tensor) and value.level == level
        edge = value.current_edge if at_level else None
        edges.append(edge)
        if edge is not None:
            bits = value.bits
    return edges, bits


def fact(value: Any, attribute: str) -> Any:
    """Return the shape, dtype or rank of an argument; None of what has none."""
    if attribute == "ndim":
        return len(getattr(value, "shape", ()))
    return getattr(value, attribute, () if attribute == "shape" else None)


def likes_of_list(values: Any) -> list[Any]:
    """Return the shape and dtype of each array in a list."""
    return [None if v is None else (v.shape, v.dtype) for v in values or ()]


def counted(viewed: Any) -> list[int]:
    """Return the count of writes for a result that may be a view of an argument."""
    return tensor.counter_of(viewed) if isinstance(viewed, tensor.Tensor) else [0]


def plainly(result: Any, level: int) -> Any:
    """Return a result through which no gradient goes."""
    if level > 0 or result is None:
        return result
    if type(result) in (tuple, list):
        return type(result)(plainly(each, level) for each in result)
    return result if isinstance(result, tensor.Tensor) else tensor.Tensor(result)


def plain_view(result: Any, level: int, source: Any, step: views.Step | None) -> Any:
    """Return a view through which no gradient goes as long as nothing is written."""
    if level > 0 or isinstance(result, tensor.Tensor):
        return result
    if type(result) is list:
        return views.wrap_views(result, source, step)
    return views.wrap_view(result, source, step)


def refuse_out(op: OpOverload) -> None:
    """Raise NotDifferentiableError: what is written to out has no gradient."""
    raise NotDifferentiableError(op.name)


def any_complex(values: Any) -> bool:
    """Whether an array in a list is complex."""
    return any(v is not None and v.dtype.kind == "c" for v in values)
