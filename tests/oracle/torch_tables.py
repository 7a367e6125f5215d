"""keyslot's tables of PyTorch's operators, as PyTorch prints its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from keyslot.kernels.torch.printed import FALLBACK_RULE, PrintedCell, Registered
from keyslot.kernels.torch.registered import computed_table, registered_kernels
from keyslot.runtime.kernel import Kernel, Site, fallthrough
from keyslot.runtime.space import KeySpace
from keyslot.runtime.table import DispatchTable, build_table

#: PyTorch's word for the rule by which an alias key serves a cell.
RULES = {
    "CompositeExplicitAutogradNonFunctional": "default backend kernel",
    "CompositeExplicitAutograd": "default backend kernel",
    "CompositeImplicitAutogradNestedTensor": "nested kernel",
    "CompositeImplicitAutograd": "math kernel",
    "Autograd": "autograd kernel",
    "FuncTorchBatchedDecomposition": "batched kernel",
}
AMBIGUOUS = PrintedCell("ambiguous_autogradother", "ambiguous autogradother", False)

Cells = dict[str, PrintedCell]
#: Keys with keyslot's cell and PyTorch's, where they differ.
Differences = dict[str, tuple[PrintedCell | None, PrintedCell | None]]


def stand_ins(registered: Mapping[str, Registered]) -> dict[str, Kernel]:
    """Return kernels that say no more than where those of PyTorch are from."""
    return {
        key: Kernel(
            fallthrough if found.is_fallthrough else None,
            key,
            Site(found.site, 0, "PyTorch"),
        )
        for key, found in registered.items()
    }


def table_of(
    space: KeySpace, operator: str, fallbacks: Mapping[str, Kernel]
) -> DispatchTable:
    """Return keyslot's table of what PyTorch has registered for an operator."""
    return build_table(space, stand_ins(registered_kernels(operator)), fallbacks)


def printed(space: KeySpace, table: DispatchTable) -> Cells:
    """Return the cells of a table of keyslot's as PyTorch would print them."""
    return {
        key: _printed_cell(key, index, table)
        for index, key in enumerate(space.keys)
        if table.cells[index].kind != "missing"
    }


def _printed_cell(key: str, index: int, table: DispatchTable) -> PrintedCell:
    kind, source = table.cells[index]
    if kind == "ambiguous":
        return AMBIGUOUS
    kernel = table.kernel(index)
    assert kernel is not None
    assert source is not None
    if source not in table.kernels:
        rule = FALLBACK_RULE
    else:
        rule = "kernel" if source == key else RULES[source]
    return PrintedCell(kernel.site.file, rule, kind == "fallthrough")


def differences(space: KeySpace, table: DispatchTable, operator: str) -> Differences:
    """Return the cells for which a table of keyslot's is not the one that PyTorch has.

    A key that a call of keyslot's may reach and one of PyTorch's not, or the other way
    round, is a difference too.
    """
    ours, theirs = printed(space, table), computed_table(operator)
    assert theirs.keys() <= {*space.keys}
    passed_over = {key for key, cell in theirs.items() if cell.is_fallthrough}
    masked = {key for key in space.keys[1:] if not table.mask & space.bit(key)}
    wrong = masked ^ (passed_over - {"Undefined"})
    return {
        key: (ours.get(key), theirs.get(key))
        for key in space.keys
        if ours.get(key) != theirs.get(key) or key in wrong
    }


def placed(file: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a function from line 1 of a file that need not be there.

    By such places kernels are told apart, in PyTorch as in keyslot.
    """
    code = compile("call()", file, "eval")
    return eval(code, {"call": partial(function, *args, **named)})
