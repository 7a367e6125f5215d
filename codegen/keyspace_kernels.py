"""The kernels that a key space brings itself: backend fallbacks, and those of rules.

    fallbacks:
      Python: my.modes:fallback
    rules:
      shape: {key: Meta, kernel: my.shapes:make_kernel}

Both name functions as text. Nothing is imported before a call needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from ..runtime.space import RuleKernel
from .config import RULE_MODULES
from .expect import expect_fields, expect_map, expect_text
from .keyspace_names import Names
from .nodes import Map, Node, Scalar
from .problems import unknown
from .values import REFERENCE

RULE_FIELDS: Final = ("key", "kernel")


def read_fallbacks(
    entries: Iterable[tuple[Scalar, Node]], names: Names, fallthrough: Collection[str]
) -> dict[str, str]:
    """Read the built-in backend fallback of keys that have one and no fallthrough."""
    found: dict[str, str] = {}
    for key, node in entries:
        if key.text not in names.keys:
            message = unknown("runtime key", key.text, names.keys)
            names.problems.add(key, message)
        elif key.text in fallthrough:
            message = f"the fallback at {key.text} is a fallthrough already"
            names.problems.add(key, message)
        what = f"the fallback at {key.text}"
        if reference := _read_reference(node, what, names):
            found[key.text] = reference
    return found


def read_rules(
    entries: Iterable[tuple[Scalar, Node]], names: Names, aliases: Iterable[str]
) -> dict[str, RuleKernel]:
    """Read where each rule of operators puts a kernel, and what makes the kernel."""
    found: dict[str, RuleKernel] = {}
    taken: dict[str, str] = {}
    keys = (*names.keys, *aliases)
    for rule, node in entries:
        if rule.text not in RULE_MODULES:
            names.problems.add(rule, unknown("rule", rule.text, RULE_MODULES))
        what = f"the rule {rule.text!r}"
        fields = expect_map(node, what, names.problems)
        if fields is None:
            continue
        expect_fields(fields, what, names.problems, required=RULE_FIELDS)
        key = _read_key(fields, what, keys, names)
        first = taken.setdefault(key, rule.text)
        if key and first != rule.text:
            message = f"{what} would put a kernel at {key}, as {first!r} does"
            names.problems.add(fields.entries["key"], message)
        kernel = fields.entries.get("kernel")
        maker = kernel and _read_reference(kernel, f"the kernel of {what}", names)
        found[rule.text] = RuleKernel(key, maker or "")
    return found


def _read_key(fields: Map, what: str, keys: Collection[str], names: Names) -> str:
    node = fields.entries.get("key")
    if node is None:
        return ""
    key = expect_text(node, f"the key of {what}", names.problems) or ""
    if key and key not in keys:
        names.problems.add(node, unknown("dispatch key", key, keys))
    return key


def _read_reference(node: Node, what: str, names: Names) -> str | None:
    text = expect_text(node, what, names.problems)
    if text is not None and not REFERENCE.fullmatch(text):
        names.problems.add(node, f"{what} must be module:name, not {text!r}")
    return text
