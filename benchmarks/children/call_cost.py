"""How many times a direct call a call costs, after certain things were done first.

    python -m benchmarks.children.call_cost ROUNDS SECONDS PACKAGE KERNELS TYPES

All operators of PACKAGE are loaded; the operator called gets kernels at KERNELS keys
and is called with TYPES types. Prints the ratio.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

import keyslot

from .. import arrays
from ..measure import Effort, Statement, compare
from ..packages import CALLS


def main() -> None:
    """Do what the command line says and time one call."""
    rounds, seconds, package, kernels, types = sys.argv[1:]
    for loaded in (package, CALLS):
        ops: Any = import_module(loaded)
        for name in ops:
            getattr(ops, name)
    op = ops.many
    keyslot.register_array_type(arrays.Left, "PrivateUse1")
    add_kernels(op.default, int(kernels))
    a = arrays.Left()
    for number in range(int(types)):
        seen = type(f"Left{number}", (arrays.Left,), {})()
        op(seen, a)
        kept.append(seen)
    effort = Effort(int(rounds), float(seconds), processes=0, operators=0, types=0)
    direct = Statement("op(a, b)", {"op": arrays.first, "a": a, "b": a})
    call = Statement("op(a, b)", {"op": op, "a": a, "b": a})
    (found,) = compare([(direct, call)], effort)
    print(json.dumps(found.ratio))


#: Types that are collected leave no cache entry: these stay.
kept: list[Any] = []


def add_kernels(op: Any, count: int) -> None:
    """Register kernels until there are ``count``, none that the call would reach."""
    library = keyslot.Library("keyslot_bench_calls", "IMPL")
    reached = {"PrivateUse1", "AutogradPrivateUse1", "BackendSelect", "ADInplaceOrView"}
    others = [
        key
        for key in keyslot.DispatchKey
        if key.name not in {*reached, "PythonDispatcher"}
    ]
    for key in others[: count - 1]:
        library.impl(op, arrays.second, key)


if __name__ == "__main__":
    main()
