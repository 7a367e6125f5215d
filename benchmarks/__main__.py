"""``python -m benchmarks``: measure, print, and keep what came out."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Final

from .machine import describe_machine
from .measure import FULL, SMOKE, Effort
from .readme import README, write_measured
from .tables import Table

#: The groups in the order in which they run; each is a module of `benchmarks.groups`.
GROUPS: Final = (
    "calls",
    "handlers",
    "python_dispatcher",
    "torch_dispatcher",
    "families",
    "parts",
    "memory",
    "transforms",
    "codegen",
)


def main() -> int:
    """Run the groups that are asked for, all by default."""
    arguments = _parser().parse_args()
    effort = SMOKE if arguments.smoke else FULL
    print(f"{describe_machine()}\n", flush=True)
    tables: list[Table] = []
    for group in arguments.only or GROUPS:
        tables += _measure(group, effort)
    if arguments.json:
        _write_json(arguments.json, tables)
    if arguments.write:
        write_measured(arguments.write, describe_machine(), tables)
    return 0


def _measure(group: str, effort: Effort) -> list[Table]:
    start = perf_counter()
    tables: list[Table] = import_module(f".groups.{group}", __package__).measure(effort)
    for table in tables:
        print(f"{table.markdown()}\n", flush=True)
    print(f"({group}: {perf_counter() - start:.0f} s)\n", flush=True)
    return tables


def _write_json(path: Path, tables: list[Table]) -> None:
    content = {
        "machine": describe_machine(),
        "tables": [table.data() for table in tables],
    }
    path.write_text(json.dumps(content, indent=1), "utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure keyslot beside what it is compared with.",
    )
    add = parser.add_argument
    add("--only", nargs="+", choices=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    add(
        "--smoke",
        action="store_true",
        help="only show that all runs; numbers mean nothing",
    )
    add("--json", type=Path, metavar="FILE", help="write the results here too")
    add(
        "--write",
        nargs="?",
        type=Path,
        const=README,
        metavar="FILE",
        help="put the tables into the marked part of benchmarks/README.md",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
