"""Calls that type checkers accept. Never executed; see test_typing.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

from keyslot import ops
from keyslot.runtime.annotations import OperatorFunction
from keyslot.runtime.explain import Explanation
from keyslot.runtime.packet import OpOverloadPacket


@dataclass
class Celsius:
    """An array class that has nothing in common with any other."""

    degrees: list[float]


x: npt.NDArray[np.float64] = np.arange(6.0).reshape(2, 3)
whole: npt.NDArray[np.int64] = np.arange(6)
unknown: Any = x
celsius = Celsius([20.0])

# Arrays of any class, numbers of Python and NumPy in their place.
assert_type(ops.exp(x), Any)
ops.exp(unknown)
ops.exp(celsius)
ops.exp(2)
ops.mul(x, celsius)
ops.mul(x, 2)
ops.mul(x, 2.5)
ops.mul(x, 1j)
ops.mul(x, True)
ops.mul(x, np.float32(2))
ops.mul(2, x)
ops.mul(self=x, other=x)
ops.mul(ops.neg(x), ops.exp(x))
ops.mul(x, x, out=x)

# What only some of the overloads take, by position and by name.
ops.add(x, 2, 3)
ops.add(x, 2, alpha=3)
ops.add(x, x, alpha=np.int64(3))
ops.add(x, x, alpha=np.array(3))
ops.add(x, x, alpha=2, out=x)
ops.div(x, x, rounding_mode="floor")
ops.div(x, 2, rounding_mode=None)
ops.clamp(x)
ops.clamp(x, 0)
ops.clamp(x, max=1.5)
ops.clamp(x, x, None)

# Scalars as numbers of Python and NumPy, first or second; `out` by its name alone.
ops.sub(x, 2)
ops.sub(2, x, alpha=np.float32(0.5))
ops.add.Scalar(x, True)
ops.mul.Scalar_out(x, 2, out=x)
ops.mul.out(x, x, out=celsius)
ops.sum(x, [0], out=x)
ops.sum.IntList_out(x, None, True, dtype=float, out=x)
ops.clamp(x, None, 1)
ops.clamp(x, min=np.int8(0), max=None)
ops.mul_(x, 2)
ops.where(whole, x, 0)

# Integers, one or several; optional ones; bools of both kinds.
ops.transpose(x, 0, np.int8(1))
ops.view(x, [3, 2])
ops.view(x, (np.int64(3), 2))
ops.sum(x)
ops.sum(x, None)
ops.sum(x, 0)
ops.sum(x, [0, 1], True)
ops.sum(x, dim=(0,), keepdim=np.True_)
ops.cat([x, x])
ops.cat((x, x), dim=1)
ops.cat([unknown, celsius], -1)
ops.stack((x, x, x), dim=np.int64(0))
ops.split(x, 2, dim=-1)
ops.index(x, [None, whole])
ops.index(x, (whole, unknown))

# Whatever belongs to the array library.
ops.zeros([2])
ops.zeros([2], dtype=float)
ops.zeros([2], dtype=np.float32)
ops.zeros([2], dtype=np.dtype("int8"), device="numpy", pin_memory=False)
ops.full([2], 1j, dtype="complex64")
ops.arange(3)
ops.arange(0.5, 3)

# Results. Where overloads that one call may mean differ, the operator promises nothing.
assert_type(ops.split(x, 2), list[Any])
assert_type(ops.var_mean(x), tuple[Any, Any])
assert_type(ops.max(x), Any)
assert_type(ops.max(x, 0), Any)
assert_type(ops.max(x, whole), Any)
assert_type(ops.max(x, unknown), Any)
assert_type(ops.max.dim(x, 0), tuple[Any, Any])
values, indices = ops.max(x, 0, keepdim=True)
ops.max(ops.exp(x), ops.neg(x)).sum()

# Overloads, and what an operator has besides.
ops.mul.Tensor(x, x)
ops.mul.Scalar(x, 2)
ops.mul.Tensor.kernel_for(np.ndarray, np.ndarray)(x, x)
ops.sum.default(x, dtype=np.float32)
ops.sum.dim_IntList(x, [0])
assert_type(ops.mul.overloads(), list[str])
assert_type(ops.mul.explain(x, x), Explanation)
assert_type(ops.mul.packet, OpOverloadPacket)
assert_type(ops.mul.__name__, str)
assert_type(ops.mul.__qualname__, str)

# An operator is a function.
binary: Callable[[Any, Any], Any] = ops.mul
of_one: Callable[[Any], Any] = ops.exp
anything: Callable[..., Any] = ops.sum
every: list[OperatorFunction] = [ops.mul, ops.exp, ops.sum]
list(map(ops.exp, [x, x]))
