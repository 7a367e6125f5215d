"""What somebody may have meant by a name that there is not."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Return `` Did you mean A or B?`` for a misspelt name, or an empty string."""
    # difflib costs a millisecond to import; only a mistake pays for it.
    from difflib import get_close_matches

    # Without regard to case: "numpy" for "NumPy" is the likeliest mistake of all.
    folded = {candidate.lower(): candidate for candidate in candidates}
    if name.lower() in folded:
        return f" Did you mean {folded[name.lower()]}?"
    close = get_close_matches(name.lower(), folded, n=3, cutoff=0.6)
    matches = [folded[match] for match in close]
    return f" Did you mean {' or '.join(matches)}?" if matches else ""
