"""Rules of operators that are told dimensions of ``self``.

Only the numbers of the dimensions change: those of the physical array are one higher.
Where an operator lets an array without dimensions pass as one with dimension 0, its
rule does so by a dimension that is put in and taken out of the result again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError
from ...runtime.namespace import find_overload
from .call import BatchedCall
from .forms import in_all_forms
from .physical import flat_items, shifted

Dims = int | Sequence[int] | None


@in_all_forms
def dims(call: BatchedCall) -> Any:
    """Batching rule of operators with dimensions of ``self``, which must have some.

    The parameters name the arguments that are dimensions, or lists of them.
    """
    ndim = call.values["self"].ndim - 1
    return call.run(**shifted_arguments(call, ndim))


@in_all_forms
def lifted_dims(call: BatchedCall) -> Any:
    """Batching rule like `dims`, where ``self`` may also have no dimension."""
    return _lifted(call, lambda ndim: shifted_arguments(call, ndim))


@in_all_forms
def reduction(call: BatchedCall) -> Any:
    """Batching rule of reductions over the dimensions that the parameter names.

    None and the empty list are all dimensions.
    """
    (name,) = call.parameters
    given: Dims = call.values[name]
    if given is None or given == [] or given == ():
        return _lifted(call, lambda ndim: {name: [*range(1, ndim + 1)]})
    return _lifted(call, lambda ndim: shifted_arguments(call, ndim))


@in_all_forms
def optional_dims(call: BatchedCall) -> Any:
    """Batching rule like `reduction`, where the empty list is no dimension at all."""
    (name,) = call.parameters
    if call.values[name] is None:
        return _lifted(call, lambda ndim: {name: [*range(1, ndim + 1)]})
    return _lifted(call, lambda ndim: shifted_arguments(call, ndim))


@in_all_forms
def whole(call: BatchedCall) -> Any:
    """Batching rule of reductions over all dimensions.

    The parameter names the overload that reduces over given dimensions; where that
    takes a single one, the items are made flat first.
    """
    by_dims = find_overload(call.op.namespace, call.parameters[0])
    values = call.values | {"dim": None, "keepdim": False}
    over_dims = call.with_op(by_dims, values)
    (dim,) = [arg for arg in by_dims.schema.arguments if arg.name == "dim"]
    if dim.type.kind == "base":
        return over_dims.run(self=flat_items(call.values["self"]), dim=1)
    return _lifted(over_dims, lambda ndim: {"dim": [*range(1, ndim + 1)]})


@in_all_forms
def position(call: BatchedCall) -> Any:
    """Batching rule of ``argmax`` and ``argmin``, which without ``dim`` count flat."""
    self, keepdim = call.values["self"], call.values["keepdim"]
    if call.values["dim"] is not None:
        return _lifted(call, lambda ndim: shifted_arguments(call, ndim, ("dim",)))
    result = call.run(self=flat_items(self), dim=1, keepdim=False)
    if keepdim:
        return ops.view(result, [self.shape[0], *[1] * (self.ndim - 1)])
    return result


@in_all_forms
def topk(call: BatchedCall) -> Any:
    """Batching rule of ``topk``: of one number it takes this one, though ``k`` be 0."""

    def change(ndim: int) -> dict[str, Any]:
        alone = call.values["self"].ndim == 1 and call.values["k"] == 0
        return shifted_arguments(call, ndim, ("dim",)) | ({"k": 1} if alone else {})

    return _lifted(call, change)


@in_all_forms
def vectors(call: BatchedCall) -> Any:
    """Batching rule of operators on the last dimension, which there must be."""
    return _run_with(call, 1)


@in_all_forms
def matrices(call: BatchedCall) -> Any:
    """Batching rule of operators on the last two dimensions, which there must be."""
    return _run_with(call, 2)


@in_all_forms
def new_dim(call: BatchedCall) -> Any:
    """Batching rule of operators that put a dimension into ``self``."""
    return call.run(**shifted_arguments(call, call.values["self"].ndim))


@in_all_forms
def permutation(call: BatchedCall) -> Any:
    """Batching rule of operators that are told all dimensions in a new order."""
    (name,) = call.parameters
    order = shifted_arguments(call, call.values["self"].ndim - 1)[name]
    return call.run(**{name: [0, *order]})


def _run_with(call: BatchedCall, least: int) -> Any:
    """Call an operator that would take the batch for a dimension it lacks."""
    ndim = call.values["self"].ndim - 1
    if ndim < least:
        raise ArgumentValueError(
            f"{call.op.name} takes arrays with {least} dimensions or more, not {ndim}"
        )
    return call.run()


def shifted_arguments(
    call: BatchedCall, ndim: int, names: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Return the arguments that are dimensions, as physical ones."""
    values = call.values
    return {
        name: _shifted(values[name], ndim, name) for name in names or call.parameters
    }


def _shifted(given: Dims, ndim: int, name: str) -> Dims:
    if given is None:
        return None
    if isinstance(given, Sequence):
        return [shifted(dim, ndim, name) for dim in given]
    return shifted(given, ndim, name)


def _lifted(call: BatchedCall, change: Callable[[int], dict[str, Any]]) -> Any:
    """Call an operator with the changes for as many dimensions as ``self`` has.

    One without dimensions is given one, which is taken out of the results again.
    """
    self = call.values["self"]
    if self.ndim > 1:
        return call.run(**change(self.ndim - 1))
    made = call.run(self=ops.unsqueeze(self, 1), **change(1))
    if len(call.op.schema.returns) > 1:
        return tuple(map(_lowered, made))
    return _lowered(made)


def _lowered(result: Any) -> Any:
    return ops.squeeze.dim(result, 1) if result.ndim == 2 else result
