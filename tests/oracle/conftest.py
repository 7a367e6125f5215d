"""Tests that hold keyslot against PyTorch. Without PyTorch they are left out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest

from keyslot.runtime.space import KeySpace

from ..key_spaces import load_torch_space

collect_ignore_glob = ["exported/*", "ruled/*"] if find_spec("torch") else ["*.py"]


@pytest.fixture(scope="session", autouse=True)
def _pytorch_as_numpy() -> Iterator[None]:
    """Set PyTorch's default dtype to NumPy's, float64, and let it run in one thread.

    For small arrays more threads only wait, long where others keep processors busy.
    """
    import torch

    before = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    yield
    torch.set_default_dtype(before[0])
    torch.set_num_threads(before[1])


@pytest.fixture(scope="session")
def aten(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Generate PyTorch's operators into a cache of this session, and load them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KEYSLOT_CACHE", str(tmp_path_factory.mktemp("cache")))
        # Apart: a generator run grows the memory that a process goes through.
        command = [sys.executable, "-m", "keyslot.codegen", "--from-torch"]
        subprocess.run(command, check=True, capture_output=True)

        from keyslot.torch import aten

        yield aten


@pytest.fixture
def float32_and_filled_memory() -> Iterator[None]:
    """Set PyTorch's own default dtype, and let it fill memory that it does not set.

    So the elements of ``empty`` can be compared like any others.
    """
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    torch.use_deterministic_algorithms(True, warn_only=True)
    yield
    torch.use_deterministic_algorithms(False)
    torch.set_default_dtype(before)


@pytest.fixture(scope="session")
def exported_ops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """Yield a package whose operators are PyTorch's own, as ``torch.ops.exported``."""
    from keyslot.torch import export_operators

    from .exporting import generated

    folder = tmp_path_factory.mktemp("exported")
    with generated(folder) as package, export_operators(package):
        yield package


@pytest.fixture(scope="module")
def space() -> KeySpace:
    """PyTorch's key space as keyslot declares it."""
    return load_torch_space()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how many of the calls that PyTorch's samples make were replayed."""
    from .replayed import summary

    if lines := summary(config):
        terminalreporter.section("calls of PyTorch's samples")
        terminalreporter.write("\n".join([*lines, ""]))
