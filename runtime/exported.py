"""Operators that PyTorch takes for its own, as data: what a generated module lists.

Nothing here knows PyTorch. ``keyslot.torch`` reads the list, and registers what is in
it when it is asked to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

#: The module of a generated package that has the list, as ``OPERATORS``.
MODULE: Final = "torch_ops"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedOperator:
    """What PyTorch is told of one overload; functions are named ``module:name``."""

    #: The schema, without a namespace.
    schema: str
    #: The file that declares it.
    origin: str
    #: PyTorch's key -> the kernel there, which takes PyTorch's tensors.
    kernels: Mapping[str, str] = field(default_factory=dict[str, str])
    #: PyTorch's key at which the operator itself is the kernel, called with NumPy
    #: arrays over the memory of the tensors; None where it is at none.
    through_numpy: str | None = None
    #: Names of PyTorch's tags.
    tags: tuple[str, ...] = ()
    #: The rule for the shapes of results.
    shape: str | None = None
    #: The function that computes gradients, and the one that keeps what it needs.
    backward: str | None = None
    setup_context: str | None = None
    #: Argument -> the formula of its gradient, in place of these two functions.
    derivatives: Mapping[str, str] = field(default_factory=dict[str, str])
    #: The function that does the same and changes no argument, if it is exported too.
    functional: str | None = None
    #: The function that computes a batch at once.
    vmap: str | None = None
