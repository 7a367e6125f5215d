"""The pages of ``keyslot docs`` in a real browser."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import HOSTILE
from .looking import check_colours, keys, opened, settle


@pytest.fixture
def index(browser: Any, reference: str) -> Any:
    """Return the browser with the index, as it first shows."""
    return opened(browser, reference)


def shown(page: Any) -> list[str]:
    """Return the operators that can be seen, those of one row together."""
    names: list[str] = page.execute_script(
        "return [...document.querySelectorAll('.operators tbody tr')]"
        ".filter(row => row.offsetHeight > 0).map(row => row.cells[0].textContent)"
    )
    return names


def search(page: Any, words: str) -> str:
    """Type words into the search, and return what the page says was found."""
    page.find_element("css selector", "#query").send_keys(words)
    settle(page)
    found: str = page.find_element("css selector", "#found").text
    return found


def headings(page: Any) -> list[str]:
    """Return the families that can be seen."""
    titles = page.find_elements("css selector", ".family h2")
    return [title.text for title in titles if title.is_displayed()]


def test_index_shows_all_operators(index: Any) -> None:
    """Every operator is there, with the one that does the same in place."""
    assert shown(index) == [
        *("label", "scale", "spread", "track", "turn", "scatter scatter_")
    ]
    assert index.find_element("css selector", "#found").text == ""


@pytest.mark.parametrize(
    ("words", "rows", "says"),
    [
        ("spread", ["spread", "scatter scatter_"], "3 operators found"),
        ("ELEMENTS spread", ["scatter scatter_"], "2 operators found"),
        ("track", ["track"], "1 operator found"),
        ("no such thing", [], "No operators found"),
        ("composite", ["scale", "spread", "turn"], "3 operators found"),
    ],
)
def test_search_finds_all_words(
    index: Any, words: str, rows: list[str], says: str
) -> None:
    """Rows are shown that have every word, in any order and case."""
    assert search(index, words) == says
    assert shown(index) == rows


def test_families_without_a_find_go(index: Any) -> None:
    """A family is hidden with its heading while nothing of it is found."""
    assert headings(index) == ["ops", "ops_in_place"]
    search(index, "scatter")
    assert headings(index) == ["ops_in_place"]


@pytest.mark.parametrize(
    ("words", "title"),
    [("scat", "scatter"), ("scatter_", "scatter_"), ("track", "track")],
)
def test_keyboard_leads_to_an_operator(index: Any, words: str, title: str) -> None:
    """A slash leads to the search, Enter to the operator named, or the first found."""
    index.find_element("css selector", "body").send_keys("/")
    keys(index, words)
    assert index.switch_to.active_element.get_attribute("id") == "query"
    keys(index, "\ue007")
    assert index.find_element("css selector", "h1").text == title


def test_address_may_search(index: Any) -> None:
    """An address with a query opens the index as if it had been typed."""
    index.get(f"{index.current_url}?q=turn")
    assert shown(index) == ["turn"]


def test_search_needs_no_server_and_reports_no_error(index: Any) -> None:
    """The script runs from a file."""
    search(index, "turn")
    assert index.get_log("browser") == []


def test_index_reads_without_script(browser: Any, reference: str) -> None:
    """Without scripts the operators are there, and no search."""
    page = opened(browser, "about:blank")
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.get(reference)
        assert page.find_element("css selector", ".operators a").text == "label"
        assert not page.find_element("css selector", ".search").is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_hostile_text_is_text(index: Any) -> None:
    """Markup in YAML shows as it was written, and does nothing."""
    assert HOSTILE in index.find_element("css selector", "main").text
    assert index.title == "demo operators"
    assert index.execute_script("return document.images.length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["index.html", "ops/scale.html"])
def test_colours_have_contrast(index: Any, page: str, scheme: str) -> None:
    """All text stands out from its background, 4.5 to 1 or more, in both schemes."""
    address = index.current_url.replace("index.html", page)
    check_colours(index, address, scheme)


def test_narrow_window_fits(index: Any) -> None:
    """On a telephone no page is wider than the window."""
    size = {"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    index.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for page in ("index.html", "ops/scale.html"):
            index.get(index.current_url.replace("index.html", page))
            wide = "return document.documentElement.scrollWidth"
            assert index.execute_script(wide) <= 380
    finally:
        index.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


#: How many lines below the last bracket of each schema its result begins.
LINES_BELOW = """
return [...document.querySelectorAll(".schema")].map(schema => {
  const arrow = [...schema.childNodes].find(
    node => node.nodeType === 3 && node.data.includes(") -> ")
  );
  const top = (at, from) => {
    const range = document.createRange();
    range.setStart(at, from);
    range.setEnd(at, from + 1);
    return Math.round(range.getBoundingClientRect().top);
  };
  const bracket = arrow.data.indexOf(") -> ");
  const result = arrow.nextSibling.firstChild;
  return [top(arrow, bracket + 3), top(result, 0)].map(
    place => place - top(arrow, bracket)
  );
});
"""


@pytest.mark.parametrize("width", [380, 500, 520, 540, 560, 580, 600, 700])
def test_a_result_stays_with_its_signature(index: Any, width: int) -> None:
    """However wide the page, no line of a schema begins with its arrow."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    index.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for page in ("scale", "label"):
            index.get(
                index.current_url.rpartition("site/")[0] + f"site/ops/{page}.html"
            )
            places = index.execute_script(LINES_BELOW)
            assert places
            assert places == [[0, 0]] * len(places)
    finally:
        index.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
