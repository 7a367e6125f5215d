"""What a reader wants of a node: the value, or a report of what is there instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .nodes import List, Map, Node, Scalar
from .problems import Problems, unknown

BOOLEANS: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def expect_text(node: Node, what: str, problems: Problems) -> str | None:
    """Return the text of a scalar; ``what`` names it in the message if it is none."""
    if isinstance(node, Scalar) and not node.is_null:
        return node.text
    _report_kind(node, what, "text", problems)
    return None


def expect_flag(node: Node, what: str, problems: Problems) -> bool | None:
    """Return the value of ``true`` or ``false``, or report what is there instead."""
    if isinstance(node, Scalar) and node.plain and node.text in BOOLEANS:
        return BOOLEANS[node.text]
    _report_kind(node, what, "true or false", problems)
    return None


def expect_list(
    node: Node, what: str, problems: Problems, *, instead: str = ""
) -> list[Node] | None:
    """Return the items of a list, or report what is there; ``instead`` is a remedy."""
    if isinstance(node, List):
        return node.items
    _report_kind(node, what, "a list", problems, instead)
    return None


def expect_map(
    node: Node, what: str, problems: Problems, *, instead: str = ""
) -> Map | None:
    """Return a mapping, or report what is there; ``instead`` is a remedy."""
    if isinstance(node, Map):
        return node
    _report_kind(node, what, "a mapping", problems, instead)
    return None


def expect_fields(
    node: Map,
    what: str,
    problems: Problems,
    *,
    required: Iterable[str] = (),
    optional: Iterable[str] = (),
) -> None:
    """Report fields that a mapping lacks, and fields that it must not have."""
    allowed = (*required, *optional)
    for name, key in node.keys.items():
        if name not in allowed:
            problems.add(key, unknown("field", name, allowed))
    for name in required:
        if name not in node.entries:
            problems.add(node, f"{what} lacks the field {name!r}")


def _report_kind(
    node: Node, what: str, wanted: str, problems: Problems, instead: str = ""
) -> None:
    found = node.kind
    if isinstance(node, Scalar):
        found = "nothing" if node.is_null else repr(node.text)
    hint = f": {instead}" if instead else ""
    problems.add(node, f"{what} must be {wanted}, not {found}{hint}")
