"""keyslot over PyTorch. Importing this imports torch, and is the only thing that does.

PyTorch's operators with keyslot's tables and its Python dispatcher, and keyslot's
operators as PyTorch's own. See docs/pytorch.md.
"""

from __future__ import annotations

if __name__ != "keyslot.torch":
    raise ImportError(f"import keyslot.torch, not {__name__}: one copy of everything")

from .version import check_version

check_version()

# The rest reads what the check is about.
from .export import export_operators  # noqa: E402 - after the check

__all__ = ["export_operators"]
