"""``python -m keyslot.codegen``: the command ``keyslot codegen``.

It may be named, or left away.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .cli import add_arguments, run_command
from .ending import run_to_end

COMMAND = "codegen"


def main(arguments: Sequence[str] | None = None) -> int:
    """Generate as these arguments say, those of the process by default."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog=f"keyslot {COMMAND}")
    add_arguments(parser)
    parsed = parser.parse_args(given[1:] if given[:1] == [COMMAND] else given)
    return run_to_end(lambda: run_command(parsed))


if __name__ == "__main__":
    sys.exit(main())
