"""Where a kernel of keyslot's own gets its name, found by looking at the text."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parent.parent


def place_of(reference: str | None) -> tuple[str, int]:
    """Return the file, as seen from the repository, and the line of a kernel."""
    assert reference is not None
    package, _, path = reference.partition(":")
    module, _, name = path.rpartition(".")
    file = Path(str(import_module(f"{package}.{module}").__file__)).resolve()
    binds = re.compile(rf"def {name}\(|(\w+, )*{name}(, \w+)* = ")
    lines = enumerate(file.read_text("utf-8").splitlines(), 1)
    (line,) = (number for number, text in lines if binds.match(text))
    return file.relative_to(ROOT).as_posix(), line
