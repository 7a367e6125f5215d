"""``keyslot coverage``: which operators have kernels where, as a table or as a page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from .console import DONE, FINDING, print_json, report_errors
from .coverage_data import (
    Coverage,
    coverage_data,
    only_missing,
    overload_count,
    read_coverage,
    select_columns,
)
from .coverage_text import print_coverage
from .operators import matching_overloads, namespace_of
from .project import add_package_argument, import_operators

_EPILOG: Final = """\
With --backend alone only backends are shown, with --functionality alone only these;
with both, functionalities are seen at the keys of these backends. Ends with 0, with 1
when --missing finds an overload, with 2 when the input is wrong.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.epilog = _EPILOG
    add = parser.add_argument
    add("patterns", metavar="OP", nargs="*", help="an operator, or a pattern like 'a*'")
    add("--backend", metavar="NAME", action="append", default=[], help="one of these")
    add("--functionality", metavar="NAME", action="append", default=[], help="likewise")
    add(
        "--missing",
        action="store_true",
        help="only overloads of which a call would be an error in a column shown",
    )
    add(
        "--all",
        action="store_true",
        help="every column, also those that are alike for all overloads",
    )
    add("--json", action="store_true", help="print JSON")
    add("--html", metavar="FILE", help="write a page to look things up on")
    add(
        "--source-url",
        metavar="URL",
        help="what the page links to, with {file} and {line} in it; by default files"
        " below this folder, relative to the page",
    )
    add_package_argument(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    return report_errors(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    coverage = _read(arguments)
    if arguments.html is not None:
        from .coverage_page import write_page

        page = Path(arguments.html)
        write_page(page, coverage, arguments.source_url)
        print(f"{page}: {overload_count(coverage)}")
    elif arguments.json:
        print_json(coverage_data(coverage))
    else:
        print_coverage(coverage, every_column=arguments.all)
    return FINDING if arguments.missing and coverage.rows else DONE


def _read(arguments: argparse.Namespace) -> Coverage:
    package = import_operators(arguments.package)
    namespace_of(package)
    ops = list(matching_overloads(package, arguments.patterns))
    if not ops:
        return Coverage(package.__name__, (), ())
    space = ops[0].dispatcher.space
    columns = select_columns(space, arguments.backend, arguments.functionality)
    coverage = read_coverage(package.__name__, ops, columns)
    return only_missing(coverage) if arguments.missing else coverage
