"""Import lines, in the order in which ruff and isort want them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

#: Module -> names that are imported from it.
Imports = Mapping[str, Iterable[str]]


def import_block(imports: Imports) -> str:
    """Return import lines: absolute ones, a blank line, relative ones from afar."""
    lines = {module: _line(module, names) for module, names in imports.items() if names}
    absolute = sorted(module for module in lines if not module.startswith("."))
    relative = sorted((m for m in lines if m.startswith(".")), key=_from_afar)
    blocks = ("\n".join(lines[m] for m in group) for group in (absolute, relative))
    return "\n\n".join(filter(None, blocks))


def member_order(name: str) -> tuple[int, list[tuple[int, int, str]], str]:
    """Return what names are sorted by: constants, classes, others; numbers as such."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    parts = re.findall(r"\d+|\D+", name.lower())
    numbers = [(0, int(p), p) if p.isdigit() else (1, 0, p) for p in parts]
    return kind, numbers, name


def _line(module: str, names: Iterable[str]) -> str:
    """Return one line for all names, and one for each that is renamed."""
    ordered = sorted(names, key=member_order)
    plain = [name for name in ordered if " as " not in name]
    renamed = [name for name in ordered if " as " in name]
    lines = [", ".join(plain)] if plain else []
    return "\n".join(f"from {module} import {line}" for line in [*lines, *renamed])


def _from_afar(module: str) -> tuple[int, str]:
    dots = len(module) - len(module.lstrip("."))
    return -dots, module[dots:]
