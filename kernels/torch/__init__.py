"""keyslot over PyTorch: what `keyslot.torch` is made of.

Importing this imports torch, and nothing else in keyslot does.
"""

from __future__ import annotations

from .version import check_version

check_version()
