"""What a graph returns, as Python source: dicts, lists and tuples as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, final

if TYPE_CHECKING:
    from .literals import Literals

#: Python's parser gives up on many parentheses one in another.
_MAX_DEPTH: Final = 20


@final
class _Leaf:
    """The source of one leaf."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text: Final = text


def results_text(items: Sequence[str], spec: Any, literals: Literals) -> str:
    """Return the source of a pytree with the leaves ``items``; of one where it is None.

    Of containers that are no plain dicts, lists and tuples, ``spec`` makes the pytree.
    """
    if spec is None:
        (item,) = items
        return item
    text = _display(spec.unflatten([_Leaf(item) for item in items]), literals, 0)
    if text is not None:
        return text
    unflatten = literals.bind(spec.unflatten, "unflatten")
    return f"{unflatten}([{', '.join(items)}])"


def _display(tree: Any, literals: Literals, depth: int) -> str | None:
    """Return the source of a pytree, None where it is not made of plain containers."""
    if type(tree) is _Leaf:
        return tree.text
    if tree is None:
        return "None"
    if depth == _MAX_DEPTH or type(tree) not in (dict, list, tuple):
        return None
    keys, values = _parts(tree)
    shown = [_display(value, literals, depth + 1) for value in values]
    texts = [text for text in shown if text is not None]
    if len(texts) < len(shown):
        return None
    if keys is not None:
        pairs = zip(map(literals.text, keys), texts, strict=True)
        return f"{{{', '.join(f'{key}: {text}' for key, text in pairs)}}}"
    joined = ", ".join(texts)
    if type(tree) is list:
        return f"[{joined}]"
    return f"({joined},)" if len(texts) == 1 else f"({joined})"


def _parts(tree: Any) -> tuple[list[Any] | None, list[Any]]:
    """Return the keys of a container, if it has any, and what it contains."""
    # Of the three containers only dicts have keys.
    if hasattr(tree, "keys"):
        return [*tree], [*tree.values()]
    return None, [*tree]
