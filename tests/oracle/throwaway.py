"""Operators that tests define in PyTorch, and their kernels."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from typing import Any

import torch
from torch.library import Library

from keyslot.kernels.torch.registered import keys_by_name

from .torch_tables import placed

NAMESPACE = "keyslot_thrown_away"
_numbers = count()


@contextmanager
def operator() -> Generator[str]:
    """Yield the full name of a new operator, which is gone afterwards."""
    name = f"{NAMESPACE}::op{next(_numbers)}"
    library = defined(name)
    try:
        yield name
    finally:
        library._destroy()


def defined(name: str) -> Any:
    """Define an operator of one tensor, and return its Library."""
    library = Library(NAMESPACE, "FRAGMENT")
    library.define(f"{name.partition('::')[2]}(Tensor x) -> Tensor")
    return library


def registered(
    name: str,
    key: str,
    function: Callable[..., Any],
    file: str = "<test>",
    with_keyset: bool = False,
) -> Any:
    """Register a kernel of an operator, and return the Library that holds it.

    ``Library.impl`` would take only the 100 keys whose names PyTorch's parser knows,
    and at Meta none beside a CompositeImplicitAutograd kernel.
    """
    library = placed(file, Library, NAMESPACE, "IMPL")
    bare = name.partition("::")[2]
    library.m.impl(bare, keys_by_name()[key], function, with_keyset)
    return library


def overload(name: str) -> Any:
    """Return the object of ``torch.ops`` for an operator's full name."""
    namespace, _, rest = name.partition("::")
    packet, _, overload_name = rest.partition(".")
    packets = getattr(torch.ops, namespace)
    return getattr(getattr(packets, packet), overload_name or "default")
