"""What the generator and the tools need, which the extra keyslot[codegen] installs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

#: By the names of the modules.
NEEDED: Final = ("black", "jinja2", "rich", "yaml")
#: How a process ends that was given something wrong, an environment too.
BAD_INPUT: Final = 2


def missing_message() -> str | None:
    """Return what to say where something is missing, None where nothing is."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if not missing:
        return None
    return (
        f"this needs {', '.join(missing)}, not installed here:"
        ' pip install "keyslot[codegen]"'
    )
