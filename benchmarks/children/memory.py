"""How much memory operators take, once all of them are loaded.

    python -m benchmarks.children.memory METER SUBJECT [ARGUMENT]

METER is ``traced``, what Python allocates, or ``resident``, by how much the process
grows, C++ included. SUBJECT is ``package NAME``, the operators of a generated package;
``aten``, those of PyTorch; or ``library COUNT``, as many defined with torch.library.
Prints the bytes and the number of overloads.
"""

from __future__ import annotations

import gc
import json
import sys
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

STATM: Final = Path("/proc/self/statm")
PAGE: Final = 4096

Load = Callable[[], int]


def package(name: str) -> Load:
    """Return what loads the operators of a generated package."""
    # The runtime and the key space are not part of what is measured.
    warm_up()
    ops: Any = import_module(name)
    names: list[str] = list(ops)

    def load() -> int:
        return sum(len(getattr(ops, each).overloads()) for each in names)

    return load


def warm_up() -> None:
    """Load an operator, and with it all that operators need."""
    from keyslot import ops

    assert callable(ops.mul)


def aten() -> Load:
    """Return what loads the operators of PyTorch that importing it did not load."""
    import torch

    there = vars(torch.ops.aten).keys()
    names = [
        (schema.name.removeprefix("aten::"), schema.overload_name or "default")
        for schema in torch._C._jit_get_all_schemas()
        if schema.name.startswith("aten::")
        and schema.name.removeprefix("aten::") not in there
    ]

    def load() -> int:
        packets = ((getattr(torch.ops.aten, name, None), over) for name, over in names)
        return sum(getattr(packet, over, None) is not None for packet, over in packets)

    return load


def library(count: str) -> Load:
    """Return what defines operators with a kernel each, and loads them."""
    import torch

    from ..arrays import first

    made = torch.library.Library("keyslot_bench_memory", "FRAGMENT")

    def load() -> int:
        for number in range(int(count)):
            made.define(f"op_{number}(Tensor self, Tensor other) -> Tensor")
            made.impl(f"op_{number}", first, "CPU")
            packet = getattr(torch.ops.keyslot_bench_memory, f"op_{number}")
            assert packet.default
        return int(count)

    return load


def traced(load: Load) -> tuple[int, int]:
    """Return the bytes that Python allocated, and the number of overloads."""
    tracemalloc.start()
    count = load()
    gc.collect()
    return tracemalloc.get_traced_memory()[0], count


def resident(load: Load) -> tuple[int, int]:
    """Return by how many bytes the process grew, and the number of overloads."""
    before = _pages()
    count = load()
    gc.collect()
    return (_pages() - before) * PAGE, count


def _pages() -> int:
    return int(STATM.read_text("ascii").split()[1])


METERS: Final[dict[str, Callable[[Load], tuple[int, int]]]] = {
    "resident": resident,
    "traced": traced,
}
SUBJECTS: Final[dict[str, Callable[..., Load]]] = {
    "aten": aten,
    "library": library,
    "package": package,
}


def main() -> None:
    """Load everything between two readings."""
    meter, subject, *arguments = sys.argv[1:]
    load: Any = SUBJECTS[subject](*arguments)
    gc.collect()
    size, count = METERS[meter](load)
    print(json.dumps({"bytes": size, "overloads": count}))


if __name__ == "__main__":
    main()
