"""The field ``torch`` of an entry: an operator that PyTorch takes for its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Literal

from ..runtime.resolver import EXPLICIT, IMPLICIT
from ..runtime.space import KeySpace
from .config import packaged
from .expect import expect_flag, expect_map
from .keyspace import load_keyspace
from .model import Export, KernelReference
from .nodes import Map, Node
from .problems import Problems, unknown
from .values import NAME, REFERENCE, Reading, match_text, read_formula, words_of

#: Where kernels over PyTorch's tensors may be, beside its backends: at every backend,
#: with a gradient of their own or with that of what they call.
COMPOSITES: Final = (EXPLICIT, IMPLICIT)


@cache
def torch_space() -> KeySpace:
    """Return PyTorch's key space."""
    file = packaged("torch/keys.yaml")
    problems = Problems()
    space = load_keyspace(file.path, file.name, problems)
    problems.raise_any()
    assert space is not None  # it is None only where there are problems
    return space


def read_export(
    node: Node, what: str, reading: Reading
) -> Export | Literal[False] | None:
    """Read ``true``, ``false``, or a mapping of what PyTorch is told."""
    if not isinstance(node, Map):
        flag = expect_flag(node, f"{what}, unless it is a mapping,", reading.problems)
        return Export() if flag else None if flag is None else False
    values: dict[str, Any] = {}
    for field, value in node.entries.items():
        reader = EXPORT_FIELDS.get(field)
        if reader is None:
            message = unknown("field", field, EXPORT_FIELDS)
            reading.problems.add(node.keys[field], message)
        elif field == "backward" and isinstance(value, Map):
            values["derivatives"] = read_derivatives(value, reading)
        else:
            values[field] = reader(value, f"{field!r}", reading)
    return Export(**values)


def read_reference(node: Node, what: str, reading: Reading) -> KernelReference | None:
    """Read ``module:attribute``."""
    text = match_text(node, what, "module:name", REFERENCE, reading)
    match = REFERENCE.fullmatch(text or "")
    return match and KernelReference(match["module"], match["name"])


def read_kernels(
    node: Node, what: str, reading: Reading
) -> Mapping[str, KernelReference]:
    """Read a mapping of PyTorch's keys to kernels; several keys may share a line."""
    entries = expect_map(node, what, reading.problems)
    found: dict[str, KernelReference] = {}
    for text, value in entries.entries.items() if entries else ():
        kernel = read_reference(value, f"the kernel at {text}", reading)
        assert entries is not None  # there is an entry
        for key, column in words_of(entries.keys[text], text):
            if refusal := _why_no_kernel_at(key, found):
                reading.problems.add(entries.keys[text], refusal, column)
            elif kernel is not None:
                found[key] = kernel
    return found


def _why_no_kernel_at(key: str, found: Mapping[str, KernelReference]) -> str:
    allowed = (*torch_space().backends, *COMPOSITES)
    if key in found:
        return f"a second kernel at {key}"
    return "" if key in allowed else unknown("key of a kernel of PyTorch", key, allowed)


def read_derivatives(node: Map, reading: Reading) -> Mapping[str, str]:
    """Read a mapping of arguments to the formulas of their gradients."""
    found: dict[str, str] = {}
    for argument, value in node.entries.items():
        if not NAME.fullmatch(argument):
            message = f"gradients are of arguments, not of {argument!r}"
            reading.problems.add(node.keys[argument], message)
        else:
            formula = read_formula(value, f"the gradient of {argument}", reading)
            if formula is not None:
                found[argument] = formula
    return found


ExportReader = Callable[[Node, str, Reading], Any]
EXPORT_FIELDS: Final[Mapping[str, ExportReader]] = {
    "kernels": read_kernels,
    "shape": read_reference,
    "backward": read_reference,
    "setup_context": read_reference,
    "vmap": read_reference,
}
