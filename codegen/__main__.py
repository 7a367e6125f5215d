"""``keyslot``, and ``python -m keyslot.codegen``, which does the same.

The one command there is may be left away in the second form.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .cli import add_arguments, codegen

COMMAND = "codegen"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``keyslot`` with these arguments, those of the process by default."""
    parser = argparse.ArgumentParser(
        prog="keyslot", description="Operators declared in YAML, dispatched in Python."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser(COMMAND, help="generate Python operators from YAML")
    add_arguments(command)
    return codegen(parser.parse_args(arguments))


def _arguments_of_module() -> list[str]:
    given = sys.argv[1:]
    return given if given[:1] == [COMMAND] else [COMMAND, *given]


if __name__ == "__main__":
    sys.exit(main(_arguments_of_module()))
