"""The calls of each overload, which the modules beside this one register."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..op_arguments import Call
from ..op_comparisons import Comparison, check_equal

Cases = Callable[[], Iterator[Call]]
CASES: dict[str, Cases] = {}
#: How the arrays of each overload are held against PyTorch's.
COMPARISONS: dict[str, Comparison] = {}


def cases(*names: str, compare: Comparison = check_equal) -> Callable[[Cases], Cases]:
    """Register a function as the source of the cases of some overloads.

    ``compare`` is given where results are not specified down to their elements.
    """

    def register(function: Cases) -> Cases:
        assert CASES.keys().isdisjoint(names)
        CASES.update(dict.fromkeys(names, function))
        COMPARISONS.update(dict.fromkeys(names, compare))
        return function

    return register
