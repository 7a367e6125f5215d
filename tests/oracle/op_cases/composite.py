"""Calls of operators that are made of others, and of those that go with them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ..op_arguments import (
    ALL,
    FLOATS,
    NUMBERS,
    SHAPES,
    Call,
    array,
    binary,
    call,
    dims,
    in_place,
    special,
    unary,
)
from .registry import cases

INEXACT = (*FLOATS, "complex64")


# --- views ----------------------------------------------------------------------------


@cases("squeeze")
def _squeeze() -> Iterator[Call]:
    yield from map(call, unary(("float32",)))
    yield call(array((1, 2, 1, 1), "float32"))


@cases("unbind.int")
def _unbind() -> Iterator[Call]:
    for shape in ((4,), (0,), (2, 3), (3, 0), (2, 1, 3)):
        numbers = array(shape, "float32")
        yield call(numbers)
        yield from (call(numbers, dim) for dim in range(-len(shape), len(shape)))


@cases("chunk")
def _chunk() -> Iterator[Call]:
    for size, chunks in product((0, 1, 5, 6), (1, 2, 3, 4, 7)):
        yield call(array((size,), "float32"), chunks)
        yield call(array((2, size), "int64"), chunks, -1)


@cases("narrow")
def _narrow() -> Iterator[Call]:
    for start, length in ((0, 0), (0, 4), (1, 2), (-1, 1), (-3, 2), (4, 0)):
        yield call(array((4,), "float32"), 0, start, length)
        yield call(array((2, 4), "float32"), -1, start, length)


@cases("swapaxes", "swapdims")
def _swap() -> Iterator[Call]:
    for first, second in product(range(-3, 3), repeat=2):
        yield call(array((2, 3, 4), "float32"), first, second)


@cases("expand_as", "view_as", "reshape_as")
def _as_other() -> Iterator[Call]:
    for shape in SHAPES:
        yield call(array(shape, "float32"), array(shape, "int64"))
        yield call(array(shape, "float32"), array((1, *shape), "float32"))


@cases("type_as")
def _type_as() -> Iterator[Call]:
    for one, two in product(ALL, repeat=2):
        # NumPy warns where a complex number is made real.
        if one != "complex64" or two == one:
            yield call(array((2, 3), one), array((), two))


# --- products -------------------------------------------------------------------------


@cases("linear")
def _linear() -> Iterator[Call]:
    for dtype, shape in product(NUMBERS, ((3,), (2, 3), (4, 2, 3), (0, 3))):
        inputs, weight = array(shape, dtype, 1), array((5, 3), dtype, 2)
        yield call(inputs, weight)
        yield call(inputs, weight, array((5,), dtype, 3))
        yield call(inputs, weight[0])
    yield call(array((2, 3), "float32"), array((5, 3), "float32"), np.ones(1, "f4"))


@cases("tensordot")
def _tensordot() -> Iterator[Call]:
    for dtype in NUMBERS:
        one, two = array((2, 3, 4), dtype, 1), array((4, 3, 5), dtype, 2)
        yield call(one, two, [1, 2], [1, 0])
        yield call(one, two, [-1], [0])
        yield call(one, two, [], [])
        yield call(one, one, [0, 1, 2], [0, 1, 2])
        yield call(one[:0], one, [1, 2], [1, 2])


#: Equations, and the shapes of their operands.
EQUATIONS: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...] = (
    *(("ij,jk->ik", ((2, 3), (3, 4))), ("ij,jk", ((2, 3), (3, 4)))),
    *(("ij->ji", ((2, 3),)), ("ij->", ((2, 3),)), ("ij->j", ((2, 3),))),
    *(("ba", ((2, 3),)), ("ii", ((3, 3),)), ("ii->i", ((3, 3),))),
    *(("iii->i", ((2, 2, 2),)), ("iji->ij", ((2, 3, 2),))),
    *(("i,i->", ((3,), (3,))), ("i,j->ij", ((3,), (2,))), ("i,i->i", ((3,), (3,)))),
    *(("bij,bjk->bik", ((2, 3, 4), (2, 4, 5))), (" i j , j -> i ", ((2, 3), (3,)))),
    *(("...ij,...jk->...ik", ((2, 3, 4), (5, 2, 4, 1))), ("...i->i...", ((2, 3, 4),))),
    *(("i...,i...->...", ((2, 3, 4), (2, 4))), ("...,...", ((2, 3), (3,)))),
    *((",->", ((), ())), (",i", ((), (3,))), ("->", ((),)), ("...", ((),))),
    *(("ij,jk,kl->il", ((2, 3), (3, 4), (4, 2))), ("i,ij,j", ((2,), (2, 3), (3,)))),
    *(("ij,ij->ij", ((1, 3), (2, 3))), ("ij,jk->ik", ((2, 1), (3, 4)))),
    *(("Ab,bA", ((2, 3), (3, 2))), ("aB", ((2, 3),)), ("ij,k->i", ((2, 3), (4,)))),
    *(("ij,jk->ik", ((2, 0), (0, 4))), ("bn,anm,bm->ba", ((2, 3), (5, 3, 4), (2, 4)))),
)


@cases("einsum")
def _einsum() -> Iterator[Call]:
    for dtype, (equation, shapes) in product(NUMBERS, EQUATIONS):
        yield call(equation, [array(s, dtype, n) for n, s in enumerate(shapes)])
    matrices = [array((3, 3), "float32", seed) for seed in range(3)]
    yield call("ij,jk,kl->il", matrices, path=[1, 2, 0, 1])


@cases("trace")
def _trace() -> Iterator[Call]:
    for dtype, shape in product(NUMBERS, ((2, 3), (3, 3), (3, 0), (1, 1))):
        yield call(array(shape, dtype))


# --- layers ---------------------------------------------------------------------------


@cases("softmax.int", "log_softmax.int")
def _softmax() -> Iterator[Call]:
    for dtype in FLOATS:
        for numbers in unary((dtype,)):
            ndim = max(numbers.ndim, 1)
            yield from (call(numbers, dim) for dim in range(-ndim, ndim))
    yield call(array((2, 3), "int64"), 1, "float32")


@cases("mse_loss")
def _mse_loss() -> Iterator[Call]:
    for pair in binary(FLOATS):
        yield call(*pair)
        yield from (call(*pair, reduction) for reduction in (0, 1, 2))


# --- pointwise ------------------------------------------------------------------------


@cases("masked_fill.Scalar")
def _masked_fill() -> Iterator[Call]:
    for numbers, other in binary(ALL):
        yield call(numbers, other.astype(bool), 3)


@cases("masked_fill_.Scalar")
def _masked_fill_() -> Iterator[Call]:
    for numbers, other in in_place(ALL):
        yield call(numbers, other.astype(bool), 3)
        yield call(numbers, other.astype(bool), 2.5)


@cases("masked_fill.Tensor")
def _masked_fill_tensor() -> Iterator[Call]:
    for numbers, other in binary(ALL):
        yield call(numbers, other.astype(bool), array((), numbers.dtype.name, 3))


@cases("masked_fill_.Tensor")
def _masked_fill_tensor_() -> Iterator[Call]:
    for numbers, other in in_place(ALL):
        yield call(numbers, other.astype(bool), array((), "int64", 3))


@cases("isfinite")
def _isfinite() -> Iterator[Call]:
    yield from map(call, unary(ALL))


@cases("lerp.Scalar")
def _lerp() -> Iterator[Call]:
    for pair, weight in product(binary(INEXACT), (0, 0.25, 0.75, 1, -2)):
        yield call(*pair, weight)


@cases("lerp_.Scalar")
def _lerp_() -> Iterator[Call]:
    yield from (call(*pair, 0.75) for pair in in_place(INEXACT))


@cases("lerp.Scalar_out")
def _lerp_out() -> Iterator[Call]:
    for one, two in in_place(INEXACT):
        yield call(one, two, 0.75, out=np.zeros_like(one))


@cases("lerp.Tensor")
def _lerp_tensor() -> Iterator[Call]:
    for one, two in binary(INEXACT):
        yield call(one, two, one)
        yield call(one, two, array((), "float32"))


@cases("lerp_.Tensor")
def _lerp_tensor_() -> Iterator[Call]:
    yield from (call(one, two, one) for one, two in in_place(INEXACT))


@cases("lerp.Tensor_out")
def _lerp_tensor_out() -> Iterator[Call]:
    for one, two in in_place(INEXACT):
        yield call(one, two, one, out=np.zeros_like(one))


@cases("softplus")
def _softplus() -> Iterator[Call]:
    for numbers in unary(FLOATS):
        yield call(numbers)
        yield call(numbers, 2, 1)
    yield call(np.array([-800.0, -30.0, 19.5, 20.5, 800.0]))


@cases("softplus.out")
def _softplus_out() -> Iterator[Call]:
    yield from (call(one, 2, 1, out=np.zeros_like(one)) for one in unary(FLOATS))


@cases("silu", "silu_")
def _silu() -> Iterator[Call]:
    yield from (call(one) for one in unary(INEXACT) if not np.isinf(one).any())
    yield call(np.array([-800.0, 800.0, np.inf, np.nan]))


@cases("silu.out")
def _silu_out() -> Iterator[Call]:
    for dtype in INEXACT:
        yield call(array((2, 3), dtype), out=np.zeros((2, 3), dtype))


@cases("threshold", "threshold_")
def _threshold() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "int32", "int64")):
        yield from (call(numbers, *given) for given in ((0, 0), (0.5, 7), (-1, 2.5)))


@cases("threshold.out")
def _threshold_out() -> Iterator[Call]:
    for numbers in unary((*FLOATS, "int64")):
        yield call(numbers, 0, 3, out=np.zeros_like(numbers))


# --- reductions -----------------------------------------------------------------------


@cases("std")
def _std() -> Iterator[Call]:
    for numbers in unary(INEXACT):
        yield from (call(numbers), call(numbers, False))


@cases("std.dim")
def _std_dim() -> Iterator[Call]:
    for numbers in unary(INEXACT):
        for dim in dims(numbers.ndim):
            yield call(numbers, dim)
            yield call(numbers, dim, False, True)


@cases("std.correction")
def _std_correction() -> Iterator[Call]:
    for numbers in unary(INEXACT):
        for dim in dims(numbers.ndim):
            yield from (call(numbers, dim, correction=c) for c in (None, 0, 2, 0.5))


@cases("std.correction_out")
def _std_out() -> Iterator[Call]:
    for dtype in FLOATS:
        for correction in (None, 0, 2):
            out = np.zeros((3,), dtype)
            yield call(array((2, 3), dtype), [0], correction=correction, out=out)


@cases("logsumexp")
def _logsumexp() -> Iterator[Call]:
    for numbers in unary(NUMBERS):
        for dim in dims(numbers.ndim):
            if dim not in (None, []):
                yield call(numbers, dim)
                yield call(numbers, dim, True)
    infinite = np.array([[np.inf, 1.0], [-np.inf, -np.inf], [800.0, 800.0]])
    yield from (call(infinite, dim) for dim in ([0], [1], [0, 1]))


@cases("logsumexp.out")
def _logsumexp_out() -> Iterator[Call]:
    for dtype in FLOATS:
        yield call(special(dtype)[:4], [0], out=np.zeros((), dtype))
        yield call(array((2, 3), dtype), 1, True, out=np.zeros((2, 1), dtype))
