"""What operators weigh: memory of each, and the time of importing them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from .. import packages
from ..children.memory import STATM
from ..machine import installed
from ..measure import Effort
from ..processes import in_turn, middle_and_spread, run, run_child
from ..tables import Column, Table

MEMORY: Final = (
    Column("operators"),
    Column("overloads", ","),
    Column("allocated, bytes each", ",.0f"),
    Column("grown, bytes each", ",.0f"),
)
IMPORTS: Final = (
    Column("import"),
    Column("ms", ".1f"),
    Column("least to most"),
    Column("modules", "d"),
)

#: What is imported, by how the table names it.
_STATEMENTS: Final = {
    "keyslot": "import keyslot",
    "keyslot with ops": "from keyslot import ops",
    "keyslot with ops, ops.mul loaded": "from keyslot import ops; ops.mul",
}
_OTHERS: Final = {"numpy": "import numpy", "torch": "import torch"}

_TIMED: Final = """
import sys, time
before, start = len(sys.modules), time.perf_counter()
{statement}
spent = time.perf_counter() - start
assert {may_have_numpy} or "numpy" not in sys.modules
print(spent, len(sys.modules) - before)
"""


def measure(effort: Effort) -> list[Table]:
    """Measure memory, then imports."""
    return [_memory(effort), _imports(effort)]


def _memory(effort: Effort) -> Table:
    table = Table("Memory of operators", MEMORY)
    many = str(effort.operators)
    package = packages.generate_many(effort.operators)
    subjects = {"keyslot, one overload each": ["package", package.name]}
    native = packages.native_functions()
    if native is not None and not effort.smoke:
        aten = packages.generate(
            "keyslot_bench_aten", native, keys=packages.torch_keys()
        )
        subjects["keyslot, native_functions.yaml"] = ["package", aten.name]
    if installed("torch") is not None:
        subjects["torch.library, one overload each"] = ["library", many]
        subjects["torch.ops.aten"] = ["aten"]
    else:
        table.notes.append("torch is not installed")
    for name, arguments in subjects.items():
        table.rows.append(_weigh(name, arguments))
    table.notes.append(
        "Allocated is what Python allocates, code and docstrings included; grown is how"
        " much larger the process gets, which counts what PyTorch keeps in C++ as well,"
        " but not what aten's operators took there when torch was imported"
    )
    return table


def _weigh(name: str, arguments: list[str]) -> tuple[str, int, float, float | None]:
    folders = (packages.folder(),)
    traced = run_child("memory", "traced", *arguments, folders=folders)
    count: int = traced["overloads"]
    allocated: float = traced["bytes"] / count
    if not STATM.exists():
        return name, count, allocated, None
    grown = run_child("memory", "resident", *arguments, folders=folders)
    return name, count, allocated, grown["bytes"] / count


def _imports(effort: Effort) -> Table:
    table = Table("Imports, each in a fresh process", IMPORTS)
    statements = dict(_STATEMENTS)
    for name, statement in _OTHERS.items():
        if installed(name) is None:
            table.notes.append(f"{name} is not installed")
        else:
            statements[name] = statement
    modules: dict[str, int] = {}
    measured: dict[str, Callable[[], float]] = {
        name: partial(_import_once, name, statement, modules)
        for name, statement in statements.items()
    }
    for measure_once in measured.values():
        measure_once()  # writes the bytecode, and warms the disk
    for name, found in in_turn(measured, effort.processes).items():
        middle, spread = middle_and_spread([1000 * each for each in found], ".1f")
        table.rows.append((name, middle, spread, modules[name]))
    return table


def _import_once(name: str, statement: str, modules: dict[str, int]) -> float:
    others = name in _OTHERS
    printed = run(["-c", _TIMED.format(statement=statement, may_have_numpy=others)])
    spent, count = printed.split()
    modules[name] = int(count)
    return float(spent)
