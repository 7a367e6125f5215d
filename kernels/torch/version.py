"""Which PyTorch this was tested with."""

from __future__ import annotations

import warnings
from typing import Final

try:
    import torch
except ImportError as error:
    raise ImportError(
        "keyslot.torch needs PyTorch, which is not installed: pip install torch"
    ) from error

#: The version that the tests run with. Others may print or resolve differently.
TESTED: Final = "2.13"


class UntestedVersionWarning(UserWarning):
    """The installed PyTorch is not the one that keyslot.torch was tested with."""


def check_version(installed: str = torch.__version__) -> None:
    """Warn where the installed PyTorch is another than the tested one."""
    if not installed.startswith(f"{TESTED}."):
        warnings.warn(
            f"keyslot.torch was tested with PyTorch {TESTED}, and {installed} is"
            " installed; it reads what PyTorch prints of its tables, which may have"
            " changed",
            UntestedVersionWarning,
            stacklevel=3,
        )
