"""The command ``keyslot docs``: a reference of a project's operators, as web pages."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from ...codegen.counting import counted
from ...codegen.ending import DONE
from ...codegen.path_argument import path_argument
from ..project import (
    add_config_argument,
    add_source_url_argument,
    ensure_importable,
    import_operators,
    read_project,
)

_OUTPUT: Final = "build/docs"
_EPILOG: Final = """\
Ends with 0, with 2 when the input is wrong, an example too; then nothing is written.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.epilog = _EPILOG
    add = parser.add_argument
    add(
        "--output",
        metavar="DIR",
        type=path_argument,
        help=f"where the pages go, {_OUTPUT} by default",
    )
    add_source_url_argument(parser)
    add("--skip-examples", action="store_true", help="do not run the examples")
    add_config_argument(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    print(_write(arguments))
    return DONE


def _write(arguments: argparse.Namespace) -> str:
    # Only here what takes time to import: a command line is parsed without it.
    from ...codegen.outputs import refuse_foreign, write_files
    from ...codegen.problems import Problems
    from ..sources.links import SourceLinks
    from .doc_examples import check_examples
    from .pages import PAGES, render_pages
    from .views import make_families

    project = read_project(arguments.config)
    ensure_importable(project.root)
    operators, problems, examples = project.operators, Problems(), 0
    if not arguments.skip_examples:
        package = import_operators(project.config.package)
        examples = check_examples(operators.overloads, package, problems)
    problems.raise_any()
    output = Path(arguments.output or project.root / _OUTPUT)
    links = SourceLinks(project.root, output / "ops", arguments.source_url)
    files = render_pages(make_families(operators, links), operators.namespace)
    plan = write_files(output, files, PAGES)
    refuse_foreign(output, plan)
    return (
        f"{counted(len(operators.packets), 'operator')},"
        f" {counted(examples, 'example')} run\n{output.as_posix()}/:"
        f" {counted(len(plan.changed), 'file')} written,"
        f" {len(plan.unchanged)} unchanged, {len(plan.obsolete)} removed"
    )
