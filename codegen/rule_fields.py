"""The fields ``shape``, ``derivatives`` and ``batching``: the rules of an operator.

Each puts a kernel at a key, which the key space names under ``rules``.
"""

from __future__ import annotations

from typing import Final

from .expect import expect_flag, expect_list, expect_map
from .model import Batching, Derivatives, KernelReference
from .nodes import Map, Node
from .values import KERNEL, NAME, RULE, Reading, match_text, read_formula, words_of

#: Beside the formulas: whether each result may have a gradient.
OUTPUTS: Final = "output_differentiability"


def read_shape(node: Node, what: str, reading: Reading) -> KernelReference | None:
    """Read ``name`` or ``module:name``."""
    _expect_rule("shape", node, reading)
    text = match_text(node, what, "a name or module:name", KERNEL, reading)
    match = KERNEL.fullmatch(text or "")
    return match and KernelReference(match["module"], match["name"])


def read_batching(node: Node, what: str, reading: Reading) -> Batching | None:
    """Read ``name``, ``name(parameter, ...)``, or either after ``module:``."""
    _expect_rule("batching", node, reading)
    form = "name or name(parameter, ...), perhaps after module:"
    text = match_text(node, what, form, RULE, reading)
    match = RULE.fullmatch(text or "")
    if match is None:
        return None
    given = match["parameters"]
    parameters = [word.strip() for word in given.split(",")] if given else []
    rule = KernelReference(match["module"], match["name"])
    return Batching(rule, tuple(parameters))


def read_derivatives(node: Node, what: str, reading: Reading) -> Derivatives | None:
    """Read a mapping of arguments, and results, to formulas."""
    _expect_rule("derivatives", node, reading)
    entries = expect_map(node, what, reading.problems)
    if entries is None:
        return None
    if not entries.entries:
        message = f"{what} says nothing: name an argument, or write {OUTPUTS}: [False]"
        reading.problems.add(node, message)
    outputs = entries.entries.get(OUTPUTS)
    return Derivatives(
        formulas=_formulas(entries, reading),
        output_differentiability=() if outputs is None else _flags(outputs, reading),
    )


def _formulas(node: Map, reading: Reading) -> dict[str, str]:
    found: dict[str, str] = {}
    places: dict[str, str] = {}
    for text, value in node.entries.items():
        if text == OUTPUTS:
            continue
        names: list[str] = []
        for name, column in words_of(node.keys[text], text):
            names.append(name)
            if not NAME.fullmatch(name):
                message = f"derivatives are of arguments and results, not of {name!r}"
                reading.problems.add(node.keys[text], message, column)
            elif places.setdefault(name, text) != text or names.count(name) > 1:
                message = f"a second formula for {name}"
                reading.problems.add(node.keys[text], message, column)
        key = ", ".join(names)
        formula = read_formula(value, f"the derivative of {key}", reading)
        if formula is not None:
            found[key] = formula
    return found


def _flags(node: Node, reading: Reading) -> tuple[bool, ...]:
    items = expect_list(node, repr(OUTPUTS), reading.problems) or ()
    what = f"an item of {OUTPUTS!r}"
    flags = [expect_flag(item, what, reading.problems) for item in items]
    return tuple(flag for flag in flags if flag is not None)


def _expect_rule(rule: str, node: Node, reading: Reading) -> None:
    """Report a rule that the key space has no key for."""
    if rule not in reading.space.rules:
        message = (
            f"the key space {reading.space.name!r} has no key for {rule!r}: name the"
            " key and the function that makes its kernels under 'rules' there"
        )
        reading.problems.add(node, message)
