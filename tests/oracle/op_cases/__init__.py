"""Calls of the shipped operators, to be made through keyslot and through PyTorch.

A module for each family; each overload has a function that yields its cases.
"""

from importlib import import_module
from pkgutil import iter_modules

from .registry import CASES

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

__all__ = ["CASES"]
