"""The command ``keyslot check``: whether declarations and kernels fit."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

from ..codegen.problems import unknown
from ..codegen.requirements import BAD_INPUT
from ..runtime.errors import DeclarationError, UnknownBackendError
from .project import add_config_argument, ensure_importable, read_project

if TYPE_CHECKING:
    from .checks.findings import Report

_CLEAN: Final = 0
_FINDINGS: Final = 1
_DESCRIPTION: Final = """\
Find kernels that do not import or do not fit their schema, operators without a kernel,
and declarations that do nothing. The modules of the kernels are imported, which runs
their code.
"""
_EPILOG: Final = """\
Ends with 0 when there is nothing to mend, with 1 when there is, with 2 when the input
is wrong: a declaration that `keyslot codegen` refuses, or an unknown name.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add_config_argument(parser)
    add = parser.add_argument
    add(
        "--backend",
        metavar="NAME",
        nargs="+",
        help="report operators without a kernel for these; by default for the backends"
        " that have any kernel here",
    )
    add("--ignore", metavar="RULE", nargs="+", default=[], help="leave rules out")
    add(
        "--unused",
        action="store_true",
        help="also report functions of kernel modules that no operator names",
    )
    add("--json", action="store_true", help="print one JSON object")


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    # Only here what takes time to import.
    from .checks.findings import RULES
    from .checks.rendering import as_json, print_report

    for rule in arguments.ignore:
        if rule not in RULES:
            print(unknown("rule", rule, RULES), file=sys.stderr)
            return BAD_INPUT
    try:
        report = _report(arguments)
    except (DeclarationError, UnknownBackendError) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    if arguments.json:
        print(as_json(report))
    else:
        print_report(report)
    return _FINDINGS if report.findings else _CLEAN


def _report(arguments: argparse.Namespace) -> Report:
    from .checks.array_types import check_array_types
    from .checks.backends import check_backends, used_backends
    from .checks.findings import Finding, Report, in_order
    from .checks.kernels import load_kernels
    from .checks.signatures import check_signature
    from .checks.unused import check_unused

    project = read_project(arguments.config)
    backends = arguments.backend or used_backends(project.operators)
    found = {Finding(warning) for warning in project.warnings}
    found.update(check_backends(project, backends))
    ensure_importable(project.root)
    found.update(check_array_types(project))
    loaded = load_kernels(project)
    found.update(loaded.findings)
    for use, kernel in loaded.kernels:
        found.update(check_signature(use, kernel))
    if arguments.unused:
        found.update(check_unused(project))
    overloads = [*project.operators.overloads]
    return Report(
        in_order(found, set(arguments.ignore)),
        tuple(loaded.not_checked),
        len(overloads),
        sum(len(overload.kernels) for overload in overloads),
    )
