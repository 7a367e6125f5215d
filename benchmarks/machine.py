"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

#: Distributions whose versions matter to some number.
_DISTRIBUTIONS: Final = (
    "numpy",
    "torch",
    "ovld",
    "plum-dispatch",
    "multipledispatch",
    "autoray",
    "black",
)


def describe_machine() -> str:
    """Return one sentence on the interpreter, the processor and how busy it is."""
    return (
        f"{platform.python_implementation()} {platform.python_version()} on"
        f" {platform.system()} {platform.machine()}, {os.cpu_count()} cores,"
        f" {_processor()}; {_load()}; {', '.join(_versions())}"
    )


def installed(distribution: str) -> str | None:
    """Return the version of a distribution, None if it is not there."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _versions() -> Iterator[str]:
    for name in _DISTRIBUTIONS:
        found = installed(name)
        yield f"{name} {found}" if found else f"no {name}"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text("utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown processor"


def _load() -> str:
    if not hasattr(os, "getloadavg"):
        return "load unknown"
    return f"load {os.getloadavg()[0]:.1f} when this was written"
