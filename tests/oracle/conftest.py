"""Tests that hold keyslot against PyTorch. Without PyTorch they are left out."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("torch") else ["*.py"]


@pytest.fixture(autouse=True)
def _same_default_dtype() -> Iterator[None]:
    """Set PyTorch's default dtype to NumPy's, float64."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)
