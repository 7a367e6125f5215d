"""Operators to measure, made by the generator in a temporary folder."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from string import ascii_lowercase
from tempfile import TemporaryDirectory
from typing import Any, Final

from . import processes

#: The operators of ops.yaml are imported as this package.
CALLS: Final = "keyslot_bench_calls"
_OWN: Final = Path(__file__).with_name("ops.yaml")


def folder() -> Path:
    """Return the folder of all packages that this process makes, removed at its end."""
    return Path(_temporary().name)


@cache
def _temporary() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="keyslot-bench-")


def command(output: Path, *schemas: Path, keys: Path | None = None) -> list[str]:
    """Return the generator's command for a package, without the interpreter."""
    return [
        *("-m", "keyslot.codegen", "codegen"),
        *("--schemas", *map(str, schemas)),
        *(("--keys", str(keys)) if keys else ()),
        *("--namespace", output.name),
        *("--output", str(output)),
    ]


@cache
def generate(name: str, *schemas: Path, keys: Path | None = None) -> Path:
    """Generate a package; return its folder, which lies in `folder`."""
    output = folder() / name
    processes.run(command(output, *schemas, keys=keys))
    return output


def load_calls() -> Any:
    """Return the operators of ops.yaml."""
    generate(CALLS, _OWN)
    if str(folder()) not in sys.path:
        sys.path.insert(0, str(folder()))
    return import_module(CALLS)


def load_aten() -> Any:
    """Return PyTorch's operators, generated from the installed PyTorch."""
    output = folder() / "keyslot_bench_aten"
    words = ("codegen", "--from-torch", "--output", str(output))
    processes.run(["-m", "keyslot.codegen", *words])
    if str(folder()) not in sys.path:
        sys.path.insert(0, str(folder()))
    return import_module(output.name)


def generate_many(count: int) -> Path:
    """Generate a package of ``count`` operators that differ in their names alone.

    The names begin with all letters, by which large inputs are split into modules.
    """
    schemas = folder() / f"many_{count}.yaml"
    entry = (
        "- func: {letter}_{n}(Tensor self, Tensor other) -> Tensor\n"
        "  dispatch:\n"
        "    PrivateUse1: benchmarks.arrays:first\n"
    )
    letters = cycle(ascii_lowercase)
    entries = [entry.format(letter=next(letters), n=n) for n in range(count)]
    schemas.write_text("".join(entries), "utf-8")
    return generate(f"keyslot_bench_many_{count}", schemas)


def native_functions() -> Path | None:
    """Return PyTorch's own operator declarations, None if torch is not installed."""
    spec = find_spec("torchgen")
    if spec is None or spec.origin is None:
        return None
    packaged = Path(spec.origin).parent / "packaged" / "ATen" / "native"
    return packaged / "native_functions.yaml"


def torch_keys() -> Path:
    """Return PyTorch's key space, which those declarations need."""
    return processes.ROOT / "schemas" / "torch" / "keys.yaml"
