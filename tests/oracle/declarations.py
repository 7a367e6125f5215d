"""What YAML files declare: ours, and PyTorch's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from keyslot.runtime.schema import FunctionSchema, parse_schema

ROOT = Path(__file__).parent.parent.parent
#: The files of the operators whose results are computed element by element.
POINTWISE = ("unary", "arithmetic", "comparison", "logical")
#: The loader of libyaml where it is there: the file of PyTorch is long.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_declarations(path: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of a YAML file of operators by name and overload."""
    with path.open(encoding="utf-8") as file:
        entries = yaml.load(file, LOADER)
    return {entry["func"].partition("(")[0]: entry for entry in entries}


def declared() -> dict[str, dict[str, Any]]:
    """Return the entries of all shipped operators."""
    paths = (ROOT / "schemas" / "ops").glob("*.yaml")
    return {
        name: entry for path in paths for name, entry in read_declarations(path).items()
    }


def pointwise() -> dict[str, FunctionSchema]:
    """Return the schemas of the overloads of the pointwise families by name."""
    paths = [ROOT / "schemas" / "ops" / f"{family}.yaml" for family in POINTWISE]
    return {
        name: parse_schema(entry["func"])
        for path in paths
        for name, entry in read_declarations(path).items()
    }
