"""The command ``keyslot diff``: what a change of YAML does to dispatch."""

from __future__ import annotations

import argparse
from typing import Final

from ...codegen.ending import DONE, FINDING
from ..console import add_json_argument, print_json
from ..project import add_config_argument

_EPILOG: Final = """\
Ends with 0, with 1 when --exit-code is given and anything but text changed, with 2 when
the input is wrong.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.epilog = _EPILOG
    add = parser.add_argument
    add("old", metavar="OLD", help="a git revision, or the folder of a project")
    add("new", metavar="NEW", nargs="?", help="the same; without it the working tree")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--markdown", action="store_true", help="print Markdown, for a comment"
    )
    add_json_argument(form)
    add("--exit-code", action="store_true", help="end with 1 if there are changes")
    add_config_argument(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    # Only here what takes time to import: a command line is parsed without it.
    from .compare import compare
    from .report import print_report, write_markdown
    from .report_changes import report_changes
    from .versions import read_version

    old = read_version(arguments.old, arguments.config).operators
    new = read_version(arguments.new, arguments.config).operators
    changes = compare(old, new, (arguments.old, arguments.new))
    if arguments.json:
        print_json(changes)
    elif arguments.markdown:
        print(write_markdown(report_changes(changes, new.space)))
    else:
        print_report(report_changes(changes, new.space))
    return FINDING if arguments.exit_code and changes.is_any else DONE
