"""The known differences from PyTorch are there, and are those that are documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .comparison import SHIPPED, UNDETERMINED, differences
from .known_differences import DIFFERENCES, SHOWN_BY_TESTS, Difference

ROOT = Path(__file__).parent.parent.parent

# NumPy warns of what it drops; what it does is compared none the less.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("known", DIFFERENCES, ids=lambda known: known.name)
def test_example_shows_the_difference(known: Difference) -> None:
    """A difference that is gone has no place in the table."""
    found = differences(known.name, known.example)
    assert any(known.explains(known.name, known.example, text) for text in found), found


def test_undetermined_overloads_are_shipped() -> None:
    """An overload that is gone has no place in the table."""
    assert set(UNDETERMINED) <= set(SHIPPED)


def test_document_lists_the_differences() -> None:
    """docs/ops.md gives each of them with its reason, and no others."""
    text = (ROOT / "docs" / "ops.md").read_text("utf-8")
    section = text.partition("## Differences from PyTorch\n")[2].partition("\n## ")[0]
    items = re.findall(r"^- (.*(?:\n  .*)*)", section, re.MULTILINE)
    documented = {" ".join(item.split()) for item in items}
    assert documented == {known.reason for known in DIFFERENCES} | {*SHOWN_BY_TESTS}


def test_tests_that_show_differences_are_there() -> None:
    """A difference that no single call shows has a test elsewhere."""
    paths = (ROOT / "tests").rglob("test_*.py")
    text = "".join(path.read_text("utf-8") for path in paths)
    for name in SHOWN_BY_TESTS.values():
        assert f"def {name}(" in text, name
