"""Calls that type checkers refuse, each line that is marked. Never executed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from keyslot import ops

x: npt.NDArray[np.float64] = np.arange(6.0).reshape(2, 3)
whole: npt.NDArray[np.int64] = np.arange(6)

# Arguments that are missing, too many, unknown or given twice.
ops.exp()  # error
ops.exp(x, x)  # error
ops.exp(y=x)  # error
ops.exp(x, dim=0)  # error
ops.exp(x, self=x)  # error
ops.mul()  # error
ops.mul(x)  # error
ops.mul(x, x, x)  # error
ops.mul(x, y=x)  # error
ops.mul(x, x, outt=x)  # error
ops.add(x, x, 2, 3)  # error
ops.split(x)  # error
ops.full([2])  # error
ops.div(x, x, "floor")  # error
ops.max(x, 0, True, x)  # error
ops.max(x, 0, max=x)  # error
ops.zeros([2], float)  # error

# Keyword-only arguments by position, and `out` where there is none.
ops.sum(x, [0], True, float)  # error
ops.zeros([2], float, "strided")  # error
ops.mul.out(x, x, x)  # error
ops.sum.IntList_out(x, [0], True, float, out=x)  # error
ops.view(x, [2], out=x)  # error
ops.neg(x, outs=x)  # error
ops.mul.Scalar(x, 2, out=x)  # error
ops.add.Tensor(x, x, alpha=1, out=x)  # error

# Text, None, a list or a float where there should be an integer; an array as well.
ops.transpose(x, "0", 1)  # error
ops.transpose(x, 0, 1.0)  # error
ops.transpose(x, None, 1)  # error
ops.transpose(x, [0], 1)  # error
ops.transpose(x, whole, 1)  # error
ops.unsqueeze(x, np.float64(0))  # error
ops.view(x, 6)  # error
ops.view(x, "6")  # error
ops.view(x, [2.0, 3])  # error
ops.view(x, whole)  # error
ops.sum(x, "0")  # error
ops.sum(x, [0.5])  # error
ops.sum(x, 0, 1)  # error
ops.sum(x, 0, "yes")  # error
ops.sum(x, 0, None)  # error
ops.sum(x, 0, np.array([True]))  # error

# Anything but a number where there should be one.
ops.add(x, x, alpha="2")  # error
ops.add(x, x, alpha=[2])  # error
ops.add(x, x, alpha=None)  # error
ops.full([2], "1")  # error
ops.arange("3")  # error
ops.arange(0, None)  # error
ops.var_mean(x, correction="1")  # error

# No list where there should be several arrays; a number for a mode; a list for a dtype.
ops.cat(x)  # error
ops.cat(2)  # error
ops.stack(None)  # error
ops.stack([x], dim="0")  # error
ops.index(x, 0)  # error
ops.index(x, None)  # error
ops.split(x, "2")  # error
ops.div(x, x, rounding_mode=1)  # error
ops.zeros([2], dtype=[float])  # error
ops.zeros([2], device=x)  # error
ops.zeros([2], pin_memory=1)  # error

# The same for an overload, which takes nothing but its own arguments.
ops.mul.Tensor(x)  # error
ops.mul.Tensor(x, x, out=x)  # error
ops.mul.Scalar(x, "2")  # error
ops.mul.Scalar(x, [2])  # error
ops.mul.out(x, x)  # error
ops.sum.default(x, 0)  # error
ops.max.dim(x)  # error
ops.max.other(x, 0, True)  # error
ops.add.Tensor(x, x, 2)  # error

# Overloads and operators that there are none of, and results of another type.
ops.mul.Nope(x, x)  # error
ops.mul.tensor(x, x)  # error
ops.exp.Tensor(x)  # error
ops.mul.overloads(x)  # error
ops.nope(x)  # error
ops.max.dim(x, 0).sum()  # error
print(ops.split(x, 2).shape)  # error
name: int = ops.mul.__name__  # error
