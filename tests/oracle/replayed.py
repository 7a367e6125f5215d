"""The summary of a session: how many recorded calls of each overload were made."""

from __future__ import annotations

import textwrap

import pytest

#: The number of calls of each overload, by name.
REPLAYED: pytest.StashKey[dict[str, int]] = pytest.StashKey()


def summary(config: pytest.Config) -> list[str]:
    """Return the lines that say how many calls of each overload were replayed."""
    counts = config.stash.get(REPLAYED, {})
    if not counts:
        return []
    reached = {name: count for name, count in counts.items() if count}
    total = f"{sum(reached.values())} calls of {len(reached)} overloads replayed, "
    listed = ", ".join(f"{name} {count}" for name, count in reached.items())
    return [
        total + f"{len(counts) - len(reached)} never reached",
        *textwrap.wrap(listed),
    ]
