"""Which run of the generator made the package that a process has imported.

The generator replaces ``__init__.py`` of a package before any other file, so the time
of that file tells whether there was a run. What it does not tell is a run between the
moment when Python read ``__init__.py`` and the moment when that asked for its time.
"""

from __future__ import annotations

import ast
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Final

#: A package older than this, in seconds, was not replaced while it was being imported.
_WHILE_IMPORTING: Final = 60.0
#: The end that ``__init__.py`` has while a run puts modules in place, and where it
#: takes them from meanwhile. See ``codegen/switch.py``.
_SWITCH: Final = re.compile(r'^__path__\.insert\(0, f"\{__path__\[0\]\}(.*)"\)', re.M)


def time_of(path: str | None) -> int | None:
    """Return when a file was written, None where there is no file."""
    try:
        return os.stat(path or "").st_mtime_ns
    except OSError:
        return None


def was_replaced(path: str | None, modules: Mapping[str, str], code: CodeType) -> bool:
    """Whether an ``__init__.py`` is no longer what a process executes just now.

    ``modules`` is what it executes as ``MODULES``, ``code`` the code of the whole file.
    """
    if path is None or not path.endswith(".py"):
        # The generator writes source; what came without it was put there by others.
        return False
    try:
        if time.time() - os.stat(path).st_mtime > _WHILE_IMPORTING:
            return False
        text = Path(path).read_text("utf-8")
    except OSError:
        return False
    if _modules_in(text) != dict(modules):
        return True
    # The names of modules are the same, and then a package whose modules are all in
    # place is one whole. While they are put there, they are somewhere else.
    switch = _SWITCH.search(text)
    return switch is not None and switch[1] not in code.co_consts


def _modules_in(text: str) -> object:
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign):
            (target,) = statement.targets
            if isinstance(target, ast.Name) and target.id == "MODULES":
                return ast.literal_eval(statement.value)
    # Where there are no operators, it is declared with a type, and empty.
    return {}
