"""Values inside the text of a field: words between commas, kernels, loops.

Every reader reports what it cannot read, with the column of the word at fault, and
leaves it out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ..runtime.derived import DERIVED
from ..runtime.errors import FormulaError, UnknownKeyError
from ..runtime.formula import parse_formula
from ..runtime.nearest import nearest
from ..runtime.space import KeySpace
from .expect import (
    expect_text,
)
from .model import KernelReference, UfuncLoop
from .nodes import (
    Node,
    Scalar,
)
from .problems import Problems, unknown

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_DOTTED: Final = rf"{_NAME}(?:\.{_NAME})*"
_OPERATOR: Final = rf"{_NAME}(?:\.{_NAME})?"
KERNEL: Final = re.compile(rf"(?:(?P<module>{_DOTTED}):)?(?P<name>{_DOTTED})")
REFERENCE: Final = re.compile(rf"(?P<module>{_DOTTED}):(?P<name>{_DOTTED})")
RULE: Final = re.compile(
    rf"(?:(?P<module>{_DOTTED}):)?(?P<name>{_DOTTED})"
    rf"(?:\((?P<parameters>\s*{_OPERATOR}\s*(?:,\s*{_OPERATOR}\s*)*)\))?"
)
UFUNC: Final = re.compile(rf"(?P<name>{_NAME}) \((?P<dtypes>.*)\)")
ELEMENT: Final = re.compile(rf"{_NAME}\??(?:\[\d*\])? {_NAME}")

NAME: Final = re.compile(_NAME)
OPERATOR: Final = re.compile(_OPERATOR)
DTYPES: Final = (
    "Byte",
    "Char",
    "Short",
    "Int",
    "Long",
    "Half",
    "Float",
    "Double",
    "ComplexHalf",
    "ComplexFloat",
    "ComplexDouble",
    "Bool",
    "BFloat16",
    "Float8_e5m2",
    "Float8_e5m2fnuz",
    "Float8_e4m3fn",
    "Float8_e4m3fnuz",
    "Float8_e8m0fnu",
    # Groups of dtypes.
    "Integral",
    "Floating",
    "Complex",
    "All",
    "AllAndComplex",
    "FloatingAndComplex",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What readers need beside the node: where to report, and what is known."""

    problems: Problems
    space: KeySpace
    #: The tags that may be used.
    tags: Mapping[str, str]


def match_text(
    node: Node, what: str, form: str, pattern: re.Pattern[str], reading: Reading
) -> str | None:
    """Read a text of a form, such as the name of an operator."""
    text = expect_text(node, what, reading.problems)
    if text is not None and not pattern.fullmatch(text):
        reading.problems.add(node, f"{what} must be {form}, not {text!r}")
        return None
    return text


def words_of(node: Node, text: str) -> Iterator[tuple[str, int]]:
    """Yield the words between commas, each with its column."""
    offset = 0
    for part in text.split(","):
        word = part.strip()
        start = offset + len(part) - len(part.lstrip())
        column = node.column_of(start) if isinstance(node, Scalar) else node.column
        yield word, column
        offset += len(part) + 1


def read_words(
    node: Node, what: str, form: str, pattern: re.Pattern[str], reading: Reading
) -> tuple[str, ...] | None:
    """Read words of a form, with commas between; none may occur twice."""

    def why_not(word: str) -> str | None:
        fits = pattern.fullmatch(word)
        return None if fits else f"{what} must be {form}, not {word!r}"

    return _read_each(node, what, why_not, reading)


def read_choices(
    node: Node, what: str, noun: str, allowed: tuple[str, ...], reading: Reading
) -> tuple[str, ...] | None:
    """Read some of a few allowed words, with commas between."""

    def why_not(word: str) -> str | None:
        return None if word in allowed else unknown(noun, word, allowed)

    found = _read_each(node, what, why_not, reading)
    # In the order of the language, not of the writer: both mean the same.
    return found and tuple(choice for choice in allowed if choice in found)


def _read_each(
    node: Node, what: str, why_not: Callable[[str], str | None], reading: Reading
) -> tuple[str, ...] | None:
    """Read words with commas between; ``why_not`` says what is wrong with one."""
    text = expect_text(node, what, reading.problems)
    if text is None:
        return None
    found: dict[str, None] = {}
    for word, column in words_of(node, text):
        problem = why_not(word)
        if problem is None and word in found:
            problem = f"{word!r} occurs twice in {what}"
        if problem is None:
            found[word] = None
        else:
            reading.problems.add(node, problem, column)
    return tuple(found)


def keys_of(node: Node, what: str, reading: Reading) -> Iterator[tuple[str, int]]:
    """Yield the dispatch keys of a text, each with its column."""
    text = expect_text(node, what, reading.problems)
    if text is None:
        return
    for word, column in words_of(node, text):
        try:
            yield reading.space.check(word, alias_ok=True), column
        except UnknownKeyError:
            reading.problems.add(node, unknown_key(word, reading.space), column)


def unknown_key(key: str, space: KeySpace) -> str:
    """Return the message for a dispatch key that the key space does not have."""
    known = (*space.keys, *space.aliases)
    message = unknown("dispatch key", key, known)
    if nearest(key, known):
        return message
    # All of them would fill the screen; some tell which key space this is.
    some = ", ".join(known[1:6])
    return (
        f"{message} The key space {space.name!r} has {some} and {len(known) - 6} more."
    )


def read_kernel(node: Node, what: str, reading: Reading) -> KernelReference | None:
    """Read ``module:attribute``, a bare name or ``fallthrough``."""
    text = expect_text(node, what, reading.problems)
    if text is None:
        return None
    match = KERNEL.fullmatch(text)
    if match is None:
        form = "a name, module:name or fallthrough"
        reading.problems.add(node, f"{what} must be {form}, not {text!r}")
        return None
    if text == DERIVED:
        message = f"{text!r} is a reserved name: autogen makes such kernels"
        reading.problems.add(node, message)
        return None
    return KernelReference(match["module"], match["name"])


def read_formula(node: Node, what: str, reading: Reading) -> str | None:
    """Read a formula in the language of derivatives."""
    text = expect_text(node, what, reading.problems)
    if text is None:
        return None
    try:
        return parse_formula(text).text
    except FormulaError as error:
        assert isinstance(node, Scalar)  # it has a text
        column = node.column_of(error.column - 1)
        reading.problems.add(node, error.problem, column)
        return None


def read_elements(
    node: Node, what: str, text: str, reading: Reading
) -> tuple[str, ...]:
    """Read ``type name``, several with commas between."""
    found: list[str] = []
    for part in text.split(","):
        element = part.strip()
        if ELEMENT.fullmatch(element):
            found.append(element)
        else:
            message = f"{what} must have elements 'type name', not {element!r}"
            reading.problems.add(node, message)
    return tuple(found)


def read_loop(node: Node, what: str, reading: Reading) -> UfuncLoop | None:
    """Read ``name (dtype, ...)``."""
    text = expect_text(node, what, reading.problems)
    if text is None:
        return None
    match = UFUNC.fullmatch(text)
    if match is None:
        message = f"{what} must be 'name (dtypes)', not {text!r}"
        reading.problems.add(node, message)
        return None
    dtypes = tuple(part.strip() for part in match["dtypes"].split(","))
    for dtype in dtypes:
        if dtype not in DTYPES:
            reading.problems.add(node, unknown("dtype", dtype, DTYPES))
    return UfuncLoop(match["name"], dtypes)
