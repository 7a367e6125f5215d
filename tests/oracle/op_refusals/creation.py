"""Calls of the creation operators that both keyslot and PyTorch refuse."""

from __future__ import annotations

import numpy as np

from ..op_arguments import call
from .registry import Refusals, refuses


@refuses
def _refusals() -> Refusals:
    yield "zeros", call([-1]), ValueError
    yield "full", call([1], 300, dtype="uint8"), OverflowError
    yield "arange", call(-1), ValueError
    yield "arange.start", call(3, 1), ValueError
    yield "arange", call(1j), ValueError
    for ends in ((0, 5, 0), (0, 5, -1), (5, 0, 1), (0, np.nan, 1), (0, np.inf, 1)):
        yield "arange.start_step", call(*ends), ValueError
    yield "arange.start_step", call(0.5, 3.7, 0.5, dtype="int64"), ValueError
    yield "arange.start_step", call(0, 5, 1, dtype="bool"), TypeError
    yield "arange.start_out", call(0, 5, 0, out=np.ones(5)), ValueError


@refuses
def _empties() -> Refusals:
    yield "empty.memory_format", call([-1]), ValueError
    yield "empty_strided", call([2, 3], [4]), ValueError
    yield "empty_strided", call([2], [-1]), ValueError
    yield "empty_strided", call([-1], [1]), ValueError


@refuses
def _fillings() -> Refusals:
    whole, real = np.ones(1, "int64"), np.ones(1)
    for name in ("fill.Scalar", "fill_.Scalar", "full_like"):
        yield name, call(whole, np.nan), ValueError
        yield name, call(whole, 1e40), OverflowError
        yield name, call(real, 1j), ValueError
        yield name, call(np.ones(1, "uint8"), 300), OverflowError
    yield "full", call([1], 1j, dtype="float64"), ValueError
    yield "full.out", call([1], 1j, out=real), ValueError
    yield "full.out", call([1], 1e40, out=whole), OverflowError
    yield "scalar_tensor", call(1j), ValueError


@refuses
def _random() -> Refusals:
    whole = np.ones(2, "int64")
    for name in ("rand", "randn"):
        yield name, call([-1]), ValueError
        yield name, call([2], dtype="int64"), TypeError
        yield name, call([2], dtype="bool"), TypeError
        yield f"{name}.out", call([2], out=whole), TypeError
    yield "randperm", call(-1), ValueError
    yield "randperm", call(3, dtype="bool"), TypeError
    yield "randperm", call(3, dtype="complex64"), TypeError
    yield "randperm", call(257, dtype="uint8"), ValueError
    yield "randperm", call(2050, dtype="float16"), ValueError


@refuses
def _complex() -> Refusals:
    single, whole = np.ones(2, "float32"), np.ones(2, "int64")
    yield "complex", call(single, np.ones(2)), TypeError
    yield "complex", call(whole, whole), TypeError
    yield "complex", call(single, np.ones(3, "float32")), ValueError
    yield "complex.out", call(single, single, out=np.ones(2, "float32")), TypeError
