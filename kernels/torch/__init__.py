"""keyslot over PyTorch: what `keyslot.torch` is made of.

Importing this imports torch. Of the rest of keyslot, only `keyslot.torch` and
`keyslot.transforms.export` do.
"""

from __future__ import annotations

from .version import check_version

check_version()
