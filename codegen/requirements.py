"""What the generator and the tools need, which the extra keyslot[codegen] installs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

#: By the names of the modules.
NEEDED: Final = ("black", "jinja2", "rich", "yaml")


def check_requirements() -> None:
    """Raise ImportError, which says what to install, where something is missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"this needs {', '.join(missing)}, not installed here:"
            ' pip install "keyslot[codegen]"'
        )
