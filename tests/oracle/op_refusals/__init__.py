"""Calls of the shipped operators that both keyslot and PyTorch refuse.

A module for each family, whose functions yield the calls.
"""

from importlib import import_module
from pkgutil import iter_modules

from .registry import refusals

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

__all__ = ["refusals"]
