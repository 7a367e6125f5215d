"""Calls of the reductions that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    vector, table = np.ones(3), np.ones((2, 3))
    yield "sum.dim_IntList", call(table, [2]), IndexError
    yield "sum.dim_IntList", call(table, [0, -2]), ValueError
    yield "sum.IntList_out", call(table, 0, dtype="float32", out=vector), TypeError
    yield "prod.dim_int", call(table, 2), IndexError
    yield "prod.int_out", call(table, 0, dtype="float32", out=vector), TypeError
    yield "cumsum", call(table, 2), IndexError
    yield "cumsum", call(np.array(1.0), 1), IndexError
    yield "cumsum", call(vector, 0, dtype="bool"), TypeError
    yield "cumsum_", call(vector, 0, dtype="float32"), TypeError
    yield "cumsum_", call(np.ones(3, bool), 0), TypeError
    yield "cumsum.out", call(vector, 0, dtype="float32", out=np.ones(3)), TypeError


@refuses
def _means_and_variances() -> Refusals:
    vector, table, whole = np.ones(3), np.ones((2, 3)), np.ones(3, "int64")
    for name, dim in (("mean", ()), ("mean.dim", ([0],))):
        yield name, call(whole, *dim), TypeError
        yield name, call(whole, *dim, dtype="int64"), TypeError
    yield "mean.dim", call(table, [2]), IndexError
    yield "mean.dim", call(np.array(1.0), [0, -1]), ValueError
    yield "mean.out", call(table, 0, dtype="float32", out=vector), TypeError
    yield "mean.out", call(table, 0, out=whole), TypeError
    yield "mean.out", call(np.ones((2, 3), "int64"), 0, out=vector), TypeError
    yield "mean.dtype_out", call(vector * 1j, out=np.array(0.0)), TypeError
    for name in ("var.correction", "var_mean.correction"):
        yield name, call(whole), TypeError
        yield name, call(vector, [1]), IndexError
        yield name, call(vector, correction=1j), ValueError
    yield "var.dim", call(whole, [0]), TypeError
    yield "var.out", call(table, [0], out=whole), TypeError


@refuses
def _any() -> Refusals:
    table, whole = np.ones((2, 3)), np.ones(3, "int64")
    yield "any.dim", call(table, 2), IndexError
    yield "any.dims", call(table, [0, -2]), ValueError
    yield "any.all_out", call(table, out=np.array(0.0)), TypeError
    yield "any.out", call(table, 0, out=whole), TypeError
    yield "any.dims_out", call(table, [0], out=whole), TypeError


@refuses
def _extremes() -> Refusals:
    table, nothing = np.ones((2, 3)), np.zeros((0, 3))
    flags, imaginary = np.ones(3, bool), np.array([1j])
    for name in ("max", "min", "amax", "amin"):
        yield name, call(imaginary), TypeError
        yield name, call(nothing), ValueError
    for name in ("max.dim", "min.dim", "amax", "amin", "argmax", "argmin"):
        yield name, call(imaginary, 0), TypeError
        yield name, call(nothing, 0), ValueError
        yield name, call(table, 2), IndexError
    for name in ("argmax", "argmin"):
        yield name, call(flags), TypeError
        yield name, call(nothing), ValueError
        yield f"{name}.out", call(table, 0, out=np.ones(3)), TypeError
    for name in ("amax.out", "amin.out"):
        yield name, call(table, [0], out=np.ones(3, "float32")), TypeError
    values, indices = np.ones(3), np.ones(3)  # indices are integers
    outs = {"max": values, "max_values": indices}
    yield "max.dim_max", call(table, 0, **outs), TypeError
    outs = {"min": values, "min_indices": indices}
    yield "min.dim_min", call(table, 0, **outs), TypeError
