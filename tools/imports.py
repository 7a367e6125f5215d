"""Modules that people and projects name, imported. This runs their code."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from importlib import import_module
from types import ModuleType

from ..runtime.errors import KeyslotError
from .inputs import InputError


def import_named(module: str) -> ModuleType:
    """Import a module that somebody named.

    Raises ImportError and errors of keyslot, which speak for themselves, as they are,
    and InputError for whatever else its code raises.
    """
    error = import_error(module)
    if error is None:
        return sys.modules[module]
    if isinstance(error, (ImportError, KeyslotError)):
        raise error
    text = f"{module!r} cannot be imported: {error_text(error)}"
    raise InputError(text) from error


def import_error(module: str) -> BaseException | None:
    """Import a module; return what that raises, whatever it is.

    What the module prints must not get into a report that a program reads.
    """
    try:
        with redirect_stdout(sys.stderr):
            import_module(module)
    except (Exception, SystemExit) as error:
        return error
    return None


def error_text(error: BaseException) -> str:
    """Return the kind of an error, and the first line of what it says."""
    first_line = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first_line}"
