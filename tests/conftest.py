"""What the tests share: the flag that rewrites case files."""

from __future__ import annotations

import pytest


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
