"""What somebody may have meant by a name that there is not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

#: So many names are suggested at most.
_MOST: Final = 3
#: The start of a longer name may stand for it if it has so many letters.
_WORD: Final = 3


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Return `` Did you mean A or B?`` for a misspelt name, or an empty string."""
    # difflib costs a millisecond to import; only a mistake pays for it.
    from difflib import get_close_matches

    # Without regard to case: "numpy" for "NumPy" is the likeliest mistake of all.
    folded = {candidate.lower(): candidate for candidate in candidates}
    if name.lower() in folded:
        return f" Did you mean {folded[name.lower()]}?"
    close = get_close_matches(name.lower(), folded, n=4 * _MOST, cutoff=0.6)
    matches = [folded[match] for match in close if _is_near(name.lower(), match)]
    return f" Did you mean {' or '.join(matches[:_MOST])}?" if matches else ""


def _is_near(name: str, other: str) -> bool:
    """Whether one of two names, alike to difflib, may be meant by the other.

    To difflib "ones" is as like "ne" as "sun" is like "sum".
    """
    shorter, longer = sorted((name, other), key=len)
    if len(shorter) >= _WORD and longer.startswith(shorter):
        return True
    return _edits(name, other) <= max(1, len(name) // 3)


def _edits(name: str, other: str) -> int:
    """Return how many mistakes make one name of the other.

    A mistake is a letter too many, one missing, a wrong one, or two neighbours swapped:
    the optimal string alignment distance.
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(name, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            edits = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and wanted == name[i - 2]:
                edits = min(edits, before[j - 2] + 1)
            row.append(edits)
        before, last = last, row
    return last[-1]
