"""The command ``keyslot diff``: what a change of YAML does to dispatch."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Final

from ..codegen.requirements import BAD_INPUT
from .project import add_config_argument

DONE: Final = 0
CHANGED: Final = 1

_EPILOG: Final = """\
Ends with 0, with 1 when --exit-code is given and anything but text changed, with 2 when
a version cannot be read.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.epilog = _EPILOG
    add = parser.add_argument
    add("old", metavar="OLD", help="a git revision, or the folder of a project")
    add("new", metavar="NEW", nargs="?", help="the same; without it the working tree")
    add(
        "--format",
        choices=("markdown", "text", "json"),
        help="Markdown by default in a pipe; a terminal gets colours",
    )
    add("--exit-code", action="store_true", help="end with 1 if there are changes")
    add_config_argument(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    # Only here what takes time to import: a command line is parsed without it.
    from .compare import compare
    from .report import print_report, write_markdown, write_text
    from .report_changes import report_changes
    from .versions import VersionError, read_version

    try:
        old = read_version(arguments.old, arguments.config).operators
        new = read_version(arguments.new, arguments.config).operators
    except VersionError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    names = arguments.old, arguments.new
    changes = compare(old, new, names)
    report = report_changes(changes, new.space)
    if arguments.format == "json":
        print(json.dumps(asdict(changes), indent=2))
    elif arguments.format == "text":
        print(write_text(report))
    elif arguments.format == "markdown" or not sys.stdout.isatty():
        print(write_markdown(report))
    else:
        print_report(report)
    return CHANGED if arguments.exit_code and changes.is_any else DONE
