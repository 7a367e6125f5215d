"""Symbolic sizes: numbers that stand for the sizes of arrays in a traced program.

>>> env = ShapeEnv()
>>> rows, columns = env.create_symbols((10, 20), "x")
>>> rows * columns + 1
s0*s1 + 1
>>> if rows < columns: pass
>>> print(env.guards[0].sizes)
x.shape[0] < x.shape[1]
>>> env.accepts((3, 4)), env.accepts((4, 3))
(True, False)
"""

from __future__ import annotations

from .functions import sym_float, sym_max, sym_min, sym_not
from .guards import Guard
from .shape_env import ShapeEnv
from .sym_bool import SymBool
from .sym_number import SymFloat, SymInt
from .sympy_form import simplify, to_sympy

__all__ = [
    "Guard",
    "ShapeEnv",
    "SymBool",
    "SymFloat",
    "SymInt",
    "simplify",
    "sym_float",
    "sym_max",
    "sym_min",
    "sym_not",
    "to_sympy",
]
