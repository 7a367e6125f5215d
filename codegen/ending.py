"""How commands end: the exit codes, and one sentence where the input is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import Final

from ..runtime.errors import KeyslotError
from .requirements import check_requirements

#: All is well.
DONE: Final = 0
#: There is something that one may not like: a finding, a change, stale output.
FINDING: Final = 1
#: The input is wrong, or cannot be read.
BAD_INPUT: Final = 2
#: Whoever read the output has left. Programs that a signal ends say the same: 128 + 13.
NOBODY_READS: Final = 141


def run_to_end(command: Callable[[], int]) -> int:
    """Run a command and return how the process ends.

    What is wrong with the input, the environment or a file is said on standard error.
    """
    try:
        check_requirements()
        # Python has no output at all where it was closed before the start, as by `>&-`.
        with redirect_stdout(sys.stdout or StringIO()):
            _take_any_text()
            code = command()
            sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        return NOBODY_READS
    except (KeyslotError, ImportError) as error:
        message = str(error)
    except OSError as error:
        message = _said_of(error)
    else:
        return code
    print(message, file=sys.stderr)
    return BAD_INPUT


def _said_of(error: OSError) -> str:
    """Return what the system said, and of which file.

    An error of the system has the name of each file that a command opens or writes.
    Only the output has none, as on a disk that is full.
    """
    is_of_output = error.errno is not None and not error.filename
    place = "standard output" if is_of_output else error.filename
    return f"{place}: {error.strerror}" if place else str(error)


def _take_any_text() -> None:
    """Let the output escape what its encoding does not have, as standard error does.

    In a pipe that may be the encoding of a locale, which has few of all characters.
    """
    reconfigure: Callable[..., None] | None = getattr(sys.stdout, "reconfigure", None)
    # A program that calls us may have put something else in its place.
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _forget_output() -> None:
    """Close the output; else Python would try to write the rest of it when it ends."""
    with suppress(BrokenPipeError):
        sys.stdout.close()
