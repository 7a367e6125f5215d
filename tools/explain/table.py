"""``keyslot table``: what every key of an operator leads to."""

from __future__ import annotations

import argparse
from collections.abc import Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ...codegen.ending import DONE
from ...runtime.cells import CellFacts, CellGroup, group_cells
from ...runtime.kernel import Site
from ...runtime.registrations import built_in_site
from ..console import (
    Cell,
    Shown,
    add_json_argument,
    print_json,
    print_line,
    print_table,
)
from ..operators import find_operator
from ..project import add_package_argument
from ..sources.operators import kernel_source
from ..sources.source import Source
from ..states import STYLES

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

_EPILOG: Final = """\
Ends with 0, with 2 when the input is wrong.
"""
_HEADER: Final = ("key", "state", "by way of", "kernel", "registered in", "source")


@dataclass(frozen=True, slots=True)
class OverloadTable:
    """The dispatch table of an overload, highest key first."""

    op: str
    schema: str
    #: The file that declares it.
    declared_in: str
    cells: tuple[CellFacts, ...]
    #: Kernel name -> where its function is written, for those in Python.
    sources: dict[str, Source]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.epilog = _EPILOG
    parser.add_argument("op", metavar="OP", help="an operator, or one overload of it")
    parser.add_argument(
        "--all", action="store_true", help="a row for each key, equal ones too"
    )
    add_json_argument(parser)
    add_package_argument(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    operator = find_operator(arguments.package, arguments.op)
    tables = [read_table(op) for op in operator.overloads]
    if arguments.json:
        print_json(tables)
        return DONE
    for number, (op, table) in enumerate(zip(operator.overloads, tables, strict=True)):
        if number:
            print()
        _print(table, _declared_sites(op), each_key=arguments.all)
    return DONE


def read_table(op: OpOverload) -> OverloadTable:
    """Return the dispatch table of an overload."""
    table = op.dispatch_table
    sources: dict[str, Source] = {}
    cells = tuple(reversed(list(op.table)))
    for cell in cells:
        kernel = table.kernel(op.dispatcher.space.index(cell.key))
        if cell.kernel is None or kernel is None or cell.kernel in sources:
            continue
        source = kernel_source(kernel)
        if source is not None:
            sources[cell.kernel] = source
    return OverloadTable(op.name, op.schema_text, op.origin, cells, sources)


def _declared_sites(op: OpOverload) -> set[str]:
    """Return where kernels come from that nobody has registered in a program."""
    declared = (Site(op.origin, 0, op.name), built_in_site(op.dispatcher.space))
    return {str(site) for site in declared}


def _print(table: OverloadTable, declared: Set[str], *, each_key: bool) -> None:
    print_line(Cell(table.op, "bold"), ": ", table.schema)
    print_line("declared in ", table.declared_in)
    if each_key:
        groups = [group for cell in table.cells for group in group_cells([cell])]
    else:
        groups = group_cells(table.cells)
    print_table(_HEADER, [_row(group, table, declared) for group in groups])


def _row(group: CellGroup, table: OverloadTable, declared: Set[str]) -> list[Shown]:
    source = table.sources.get(group.kernel or "")
    return [
        group.key_text,
        Cell(group.state, STYLES[group.state]),
        group.source or "",
        group.kernel or "",
        "" if group.site in declared else group.site or "",
        Cell(str(source), link=source.link) if source else "",
    ]
