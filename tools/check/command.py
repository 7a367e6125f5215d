"""The command ``keyslot check``: whether declarations and kernels fit."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from ...codegen.ending import DONE, FINDING
from ..console import add_json_argument, print_json
from ..inputs import InputError, check_names
from ..project import (
    add_config_argument,
    ensure_importable,
    read_config,
    read_project,
)

if TYPE_CHECKING:
    from .findings import Report

_DESCRIPTION: Final = """\
Find kernels that do not import or do not fit their schema, operators without a kernel,
and declarations that do nothing. The modules of the kernels are imported, which runs
their code.
"""
_EPILOG: Final = """\
Ends with 0, with 1 when there is something to mend, with 2 when the input is wrong: a
declaration that `keyslot codegen` refuses, or an unknown name.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add = parser.add_argument
    add(
        "--backend",
        metavar="NAME",
        action="append",
        default=[],
        help="list the operators without a kernel for it; by default for each backend"
        " that has any kernel here, many in one line; may be given again",
    )
    add(
        "--ignore",
        metavar="RULE",
        action="append",
        default=[],
        help="leave a rule out; may be given again",
    )
    add(
        "--unused",
        action="store_true",
        help="also report functions of kernel modules that no operator names",
    )
    add(
        "--rules",
        action="store_true",
        help="also report operators without the rules by which transforms know them",
    )
    add_json_argument(parser)
    add_config_argument(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    # Only here what takes time to import.
    from .findings import RULES
    from .rendering import as_json, print_report

    check_names(arguments.ignore, RULES, "rule")
    report = _report(arguments)
    if arguments.json:
        print_json(as_json(report))
    else:
        print_report(report)
    return FINDING if report.findings else DONE


def _report(arguments: argparse.Namespace) -> Report:
    from .array_types import check_array_types
    from .backends import check_backends, used_backends
    from .findings import Finding, Report, in_order
    from .kernels import load_kernels
    from .rules import check_formulas, check_missing_rules
    from .signatures import check_signature
    from .unused import check_unused

    if (native := read_config(arguments.config).native) is not None:
        raise InputError(
            f"the kernels are those of {native}: there is nothing to check"
        )
    project = read_project(arguments.config)
    operators = project.operators
    check_names(arguments.backend, operators.space.backends, "backend")
    backends = arguments.backend or used_backends(operators)
    found = {Finding(warning) for warning in project.warnings}
    list_all = bool(arguments.backend) or arguments.json
    found.update(check_backends(project, backends, list_all=list_all))
    ensure_importable(project.root)
    found.update(check_array_types(project))
    loaded = load_kernels(project)
    found.update(loaded.findings)
    for use, kernel in loaded.kernels:
        if use.takes_arguments:
            found.update(check_signature(use, kernel))
    found.update(check_formulas(project))
    if arguments.rules:
        found.update(check_missing_rules(project))
    if arguments.unused:
        found.update(check_unused(project))
    overloads = [*operators.overloads]
    return Report(
        in_order(found, set(arguments.ignore)),
        tuple(loaded.not_checked),
        len(overloads),
        sum(len(overload.kernels) for overload in overloads),
    )
