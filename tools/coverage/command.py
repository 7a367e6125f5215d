"""``keyslot coverage``: which operators have kernels where, as a table or as a page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from ...codegen.ending import DONE, FINDING
from ...codegen.path_argument import path_argument
from ..console import add_json_argument, print_json
from ..operators import matching_overloads, namespace_of
from ..project import (
    add_package_argument,
    add_source_url_argument,
    import_operators,
)
from .data import (
    Coverage,
    coverage_data,
    only_missing,
    overload_count,
    read_coverage,
    select_columns,
)
from .printing import print_coverage

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
    add(
        "--backend",
        metavar="NAME",
        action="append",
        default=[],
        help="show this backend; may be given again",
    )
    add(
        "--functionality",
        metavar="NAME",
        action="append",
        default=[],
        help="show this functionality; may be given again",
    )
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
    add_json_argument(parser)
    add("--html", metavar="FILE", type=path_argument, help="write a web page instead")
    add_source_url_argument(parser)
    add_package_argument(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    coverage = _read(arguments)
    if arguments.html is not None:
        from ..sources.links import SourceLinks
        from .page import write_page

        page = Path(arguments.html)
        links = SourceLinks(Path(), page.parent, arguments.source_url)
        write_page(page, coverage, links)
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
