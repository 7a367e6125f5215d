"""A browser without a window, and the pages that tests look at with it.

Without Selenium or Chromium the tests are skipped; `nox -s browser` brings both, and
there they must run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from ..codegen_cases import IN_MANY_STATES, make_project

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

#: Text that would do something if it were taken for HTML.
HOSTILE = (
    "<script>document.title = 'run'</script> & \"quotes\" <img src=x onerror=alert(1)>"
)

FEW = f"""\
- func: scale(Tensor self, Tensor other) -> Tensor
  dispatch:
    NumPy: numpy:multiply
  doc: |
    Scale by `other`. {HOSTILE}
- func: scale.Scalar(Tensor self, Scalar other) -> Tensor
  dispatch:
    CompositeExplicitAutograd: shop.kernels:scale
- func: 'label(Tensor self, str text="</title><script>throw 1</script>") -> Tensor'
  dispatch:
    NumPy: shop.kernels:label
    AutogradNumPy: shop.kernels:label
{IN_MANY_STATES}"""
IN_PLACE = """\
- func: scatter(Tensor self) -> Tensor
  dispatch:
    NumPy: shop.kernels:scatter
  doc: Spread the elements.
- func: scatter_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    NumPy: shop.kernels:scatter_
"""
#: As many overloads as PyTorch has.
MANY = "".join(
    f"- func: op{number:04}(Tensor self) -> Tensor\n  dispatch:\n    NumPy: shop:f\n"
    for number in range(3000)
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Yield a Chromium that Selenium drives, with a log of every request."""
    try:
        from selenium import webdriver
    except ImportError:
        _do_without("Selenium is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        _do_without("Chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    # In containers there is neither a sandbox for root nor much shared memory.
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"}
    )
    chromium = webdriver.Chrome(options, webdriver.ChromeService(driver))
    try:
        yield chromium
    finally:
        chromium.quit()


def _do_without(reason: str) -> NoReturn:
    """Skip, or fail where a browser is promised."""
    if os.environ.get("KEYSLOT_NEEDS_BROWSER"):
        pytest.fail(f"{reason}, and KEYSLOT_NEEDS_BROWSER is set")
    pytest.skip(f"{reason}: nox -s browser brings them")


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a page about a few overloads, in most states."""
    return _page(tmp_path_factory.mktemp("few"), FEW)


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a page about 3,000 overloads."""
    return _page(tmp_path_factory.mktemp("many"), MANY)


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of the index of a reference, of two families."""
    folder = tmp_path_factory.mktemp("reference")
    make_project(folder, {"ops.yaml": FEW, "ops_in_place.yaml": IN_PLACE})
    _run(folder, "docs", "--output", "site", "--skip-examples")
    return (folder / "site" / "index.html").as_uri()


def _page(folder: Path, declarations: str) -> str:
    make_project(folder, {"ops.yaml": declarations})
    _run(folder, "codegen")
    _run(folder, "coverage", "--html", "coverage.html")
    return (folder / "coverage.html").as_uri()


def _run(folder: Path, *command: str) -> None:
    line = [sys.executable, "-m", "keyslot.tools", *command]
    subprocess.run(line, cwd=folder, check=True, capture_output=True)
