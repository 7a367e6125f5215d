"""How Tensors are shown."""

from __future__ import annotations

from typing import Any

from ..generated.keys import DISPATCHER


def shown(tensor: Any) -> str:
    """Return a Tensor as text: its elements if it has any, and what sets it apart."""
    from .meta import MetaTensor

    if isinstance(tensor, MetaTensor):
        sizes = ", ".join(map(str, tensor.shape))
        sizes += "," if len(tensor.shape) == 1 else ""
        backend = f", backend={tensor.backend!r}" if tensor.backend else ""
        return f"{type(tensor).__name__}(({sizes}), dtype={tensor.dtype}{backend})"
    name, facts = type(tensor).__name__, _facts(tensor)
    indent = "\n" + " " * (len(name) + 1)
    inner = indent.join(repr(tensor.value).splitlines())
    return f"{name}({', '.join([inner, *facts])})"


def _facts(tensor: Any) -> list[str]:
    facts: list[str] = []
    if tensor.level > 0:
        facts.append(f"level={tensor.level}")
    if tensor.requires_grad and tensor.level <= 0:
        made_by = tensor.grad_fn
        facts.append("requires_grad=True" if made_by is None else f"grad_fn={made_by}")
    inner: object = tensor.value
    found = DISPATCHER.arrays.lookup(type(inner))
    if found is not None and found.backend not in ("", "NumPy"):
        facts.append(f"backend={found.backend!r}")
    return facts
