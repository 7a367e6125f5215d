"""What the tests share: a Library, and the flag that rewrites case files."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from keyslot import Library
from keyslot.generated.keys import DISPATCHER

from .calling import mine_registered
from .dispatching import fresh_library


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the one flag that brings every case file up to date."""
    parser.addoption(
        "--update-cases",
        action="store_true",
        help="write what keyslot says now into the case files, instead of comparing",
    )


@pytest.fixture(scope="session")
def update_cases(pytestconfig: pytest.Config) -> bool:
    """Whether tests are to rewrite their case files rather than compare with them."""
    return bool(pytestconfig.getoption("update_cases"))


@pytest.fixture
def library() -> Iterator[Library]:
    """Yield a Library that defines a namespace of its own, and is closed at the end."""
    with fresh_library() as made:
        yield made


@pytest.fixture
def small_heap() -> Iterator[None]:
    """Spare the collector what is there already: the tests, and what others have left.

    For tests that collect over and over, each time with all threads held up.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def mine() -> Iterator[None]:
    """Register the array class `Mine` while the test runs."""
    with mine_registered():
        yield


@pytest.fixture
def few_operators() -> Iterator[None]:
    """Leave operators of other tests alone: a fallback visits all that are loaded."""
    others = set(DISPATCHER.ops)
    DISPATCHER.ops.clear()
    yield
    DISPATCHER.ops.update(others)
