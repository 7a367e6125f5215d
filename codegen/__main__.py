"""``keyslot``, and ``python -m keyslot.codegen``, which does the same.

The one command there is may be left away in the second form.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec

from .cli import BAD_INPUT, add_arguments, codegen

COMMAND = "codegen"
#: What the extra keyslot[codegen] installs, by the names of the modules.
NEEDED = ("black", "jinja2", "rich", "yaml")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``keyslot`` with these arguments, those of the process by default."""
    parser = argparse.ArgumentParser(
        prog="keyslot", description="Operators declared in YAML, dispatched in Python."
    )
    parser.add_argument("--version", action="version", version=version("keyslot"))
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser(COMMAND, help="generate Python operators from YAML")
    add_arguments(command)
    given = parser.parse_args(arguments)
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        print(
            f"the generator needs {', '.join(missing)}, not installed here:"
            ' pip install "keyslot[codegen]"',
            file=sys.stderr,
        )
        return BAD_INPUT
    return codegen(given)


def _arguments_of_module() -> list[str]:
    given = sys.argv[1:]
    return given if given[:1] == [COMMAND] else [COMMAND, *given]


if __name__ == "__main__":
    sys.exit(main(_arguments_of_module()))
