"""``keyslot``, and ``python -m keyslot.tools``, which does the same."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

from ..codegen.ending import run_to_end
from .commands import COMMANDS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``keyslot`` with these arguments, those of the process by default."""
    parser = argparse.ArgumentParser(
        prog="keyslot", description="Operators declared in YAML, dispatched in Python."
    )
    parser.add_argument("--version", action="version", version=version("keyslot"))
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    given = parser.parse_args(arguments)
    run_command: Callable[[argparse.Namespace], int] = given.run_command
    return run_to_end(lambda: run_command(given))


if __name__ == "__main__":
    sys.exit(main())
