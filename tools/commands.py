"""Which commands there are.

A command is a module with ``add_arguments(parser)`` and ``run_command(arguments)``,
which returns how the process ends, or raises what `codegen.ending` puts in words. The
module is imported to parse a command line, so it imports what takes time when it runs.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

_PARENT: Final = __name__.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name, its module below keyslot, and a line about it."""

    name: str
    module: str
    summary: str

    def add_to(self, commands: Any) -> None:
        """Add the command to the subparsers of ``keyslot``."""
        parser: argparse.ArgumentParser = commands.add_parser(
            self.name,
            help=self.summary,
            description=f"{self.summary[0].upper()}{self.summary[1:]}.",
        )
        module = import_module(f"{_PARENT}.{self.module}")
        module.add_arguments(parser)
        parser.set_defaults(run_command=module.run_command)


COMMANDS: Final = (
    Command("new", "tools.new.command", "start a project with operators of its own"),
    Command("codegen", "codegen.cli", "generate Python operators from YAML"),
    Command(
        "explain",
        "tools.explain.command",
        "say what an operator is, or where a call goes",
    ),
    Command("table", "tools.explain.table", "show the dispatch table of an operator"),
    Command(
        "coverage", "tools.coverage.command", "show which operators have kernels where"
    ),
    Command(
        "check", "tools.check.command", "find what is wrong with operators and kernels"
    ),
    Command("diff", "tools.diff.command", "say what a change of YAML does to dispatch"),
    Command(
        "docs",
        "tools.reference.command",
        "write a reference of the operators, as web pages",
    ),
)
