"""The shipped operators on the samples that PyTorch tests its own functions with.

What calls the samples make of operators that keyslot ships is recorded; see
opinfo_calls.py. Each call is then made through keyslot and through PyTorch.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .comparison import SHIPPED
from .known_differences import unexpected
from .opinfo_calls import opinfo_calls
from .replayed import REPLAYED

#: The overloads that no sample reaches; op_cases and dtype_calls cover them.
UNREACHED = Path(__file__).parent / "opinfo_unreached.txt"
#: How many calls a failing test shows.
SHOWN = 5

# PyTorch warns of what it deprecates, or drops; what it does is compared none the less.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_samples_give_what_pytorch_gives(
    name: str, pytestconfig: pytest.Config
) -> None:
    """Results, dtypes, writes, views and refusals are PyTorch's."""
    calls = opinfo_calls().get(name, [])
    found = [*unexpected(name, calls)]
    pytestconfig.stash.setdefault(REPLAYED, {})[name] = len(calls)
    assert not found, "\n".join([f"{len(found)} calls differ:", *found[:SHOWN]])


def test_overloads_that_no_sample_reaches_are_listed(update_cases: bool) -> None:
    """All others are replayed at least once."""
    unreached = [name for name in sorted(SHIPPED) if name not in opinfo_calls()]
    if update_cases:
        UNREACHED.write_text("\n".join([*unreached, ""]), "utf-8")
    assert unreached == UNREACHED.read_text("utf-8").split()
