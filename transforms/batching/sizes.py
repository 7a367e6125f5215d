"""Rules of operators that are told the sizes of the result, or strides in memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ... import generated as ops
from ...runtime.errors import ArgumentValueError
from .call import BatchedCall
from .forms import check_written, in_all_forms
from .physical import with_ndim


@in_all_forms
def sizes(call: BatchedCall) -> Any:
    """Batching rule of operators that lay ``self`` out in the sizes they are told.

    The parameter names the argument. The size of the batch is put before the others.
    """
    (name,) = call.parameters
    given = call.values[name]
    if -1 in given and call.size == 0:
        given = _without_unknown(given, call.values["self"].shape[1:])
    return call.run(**{name: [call.size, *given]})


@in_all_forms
def expand(call: BatchedCall) -> Any:
    """Batching rule of ``expand``: new dimensions come after the batch."""
    self, size = call.values["self"], call.values["size"]
    new = len(size) - (self.ndim - 1)
    if new < 0 or -1 in size[:new]:
        raise ArgumentValueError(
            f"size is {size!r}; arrays with {self.ndim - 1} dimensions need a size for"
            " each of them, and -1 keeps only what is there"
        )
    return call.run(self=with_ndim(self, True, len(size)), size=[-1, *size])


@in_all_forms
def repeat(call: BatchedCall) -> Any:
    """Batching rule of ``repeat``: new dimensions come after the batch."""
    repeats = call.values["repeats"]
    self = with_ndim(call.values["self"], True, len(repeats))
    return call.run(self=self, repeats=[1, *repeats])


@in_all_forms
def padding(call: BatchedCall) -> Any:
    """Batching rule of padding, which is told from the last dimension on."""
    pad, ndim = call.values["pad"], call.values["self"].ndim - 1
    if len(pad) > 2 * ndim:
        raise ArgumentValueError(
            f"pad is {pad!r}, for {len(pad) // 2} dimensions; the arrays have {ndim}"
        )
    return call.run()


@in_all_forms
def as_strided(call: BatchedCall) -> Any:
    """Batching rule of ``as_strided``.

    ``storage_offset`` is that of the first item; the others are as far from it as
    they are in memory.
    """
    values = call.values
    return call.run(
        size=[call.size, *values["size"]],
        stride=[ops.sym_stride(values["self"], 0), *values["stride"]],
    )


def resize(call: BatchedCall) -> Any:
    """Batching rule of ``resize_``, which gives ``self`` another shape."""
    check_written(call)
    return call.run(size=[call.size, *call.values["size"]])


def _without_unknown(size: Sequence[Any], shape: tuple[Any, ...]) -> list[Any]:
    """Return sizes with what -1 stands for; no element of the batch could tell it."""
    known = prod([number for number in size if number != -1])
    return [prod(shape) // known if number == -1 else number for number in size]
