"""The page of ``keyslot coverage --html`` in a real browser."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import HOSTILE
from .looking import check_colours, keys, opened, settle

OPEN_CARD = "document.querySelector('.card:target')"


@pytest.fixture
def page(browser: Any, few: str) -> Any:
    """Return the browser with the page about a few overloads, as it first shows."""
    return opened(browser, few)


def shown(page: Any) -> list[str]:
    """Return the overloads whose rows can be seen."""
    rows = "[...document.querySelectorAll('#coverage tbody tr')]"
    visible = f"{rows}.filter(row => row.offsetHeight > 0)"
    names: list[str] = page.execute_script(
        f"return {visible}.map(row => row.cells[0].textContent)"
    )
    return names


def choose(page: Any, field: str, option: str) -> None:
    """Choose an option of a filter with the keyboard."""
    select = page.find_element("css selector", f"#{field}")
    select.send_keys(option)
    chosen = "return arguments[0].selectedOptions[0].textContent"
    while page.execute_script(chosen, select) != option:
        # Another name begins like this one, and comes before it.
        select.send_keys("\ue015")
    settle(page)


def test_search_finds_all_words_in_names_and_schemas(page: Any) -> None:
    """Rows are shown whose name or schema has every word, in any order and case."""
    assert len(shown(page)) == 6
    page.find_element("css selector", "#search").send_keys("OTHER sc")
    settle(page)
    assert shown(page) == ["scale.default", "scale.Scalar"]
    assert page.find_element("css selector", "#count").text == "2 of 6 overloads"
    page.find_element("css selector", "button[type=reset]").click()
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert len(shown(page)) == 6


@pytest.mark.parametrize(
    ("column", "state", "found"),
    [
        ("", "composite", ["scale.Scalar", "turn.default", "spread.default"]),
        ("Torch", "missing", ["scale.default", "label.default"]),
        ("NumPy", "own", ["scale.default", "label.default", "track.default"]),
        ("AutogradOther", "ambiguous", ["spread.default"]),
        ("AutogradOther", "alias", ["track.default"]),
        # One key of several that are looked at together is enough.
        ("Autograd", "own", ["label.default", "track.default"]),
    ],
)
def test_filters(page: Any, column: str, state: str, found: list[str]) -> None:
    """Rows are shown that have a state, at one key or at any."""
    if column:
        choose(page, "column", column)
    choose(page, "state", state)
    assert sorted(shown(page)) == sorted(found)


def test_one_column_shows_words(page: Any) -> None:
    """Where one key is looked at, other columns go, and signs come with words."""
    choose(page, "column", "Torch")
    visible = page.execute_script(
        "return [...document.querySelectorAll('#coverage thead th')]"
        ".filter(cell => cell.offsetWidth > 0).map(cell => cell.textContent)"
    )
    assert visible == ["Overload", "Torch"]
    cell = page.find_element("css selector", "tbody tr td:nth-child(3)")
    assert (cell.text, cell.value_of_css_property("font-size")) != ("missing", "0px")


def test_keyboard_is_enough(page: Any) -> None:
    """A slash leads to the search, Tab to the overload, Enter opens, Escape closes."""
    page.find_element("css selector", "body").send_keys("/")
    keys(page, "turn")
    assert shown(page) == ["turn.default"]
    for _ in range(5):  # two filters, the button, the table, the overload
        keys(page, "\ue004")
    assert page.switch_to.active_element.text == "turn.default"
    keys(page, "\ue007")
    assert page.execute_script(f"return {OPEN_CARD}.id") == "turn.default"
    assert "shop.kernels:turn" in page.execute_script(f"return {OPEN_CARD}.innerText")
    keys(page, "\ue00c")
    assert page.execute_script(f"return {OPEN_CARD}") is None
    assert page.switch_to.active_element.text == "turn.default"


def test_focus_is_visible_and_everything_has_a_name(page: Any) -> None:
    """Each field has a label, the table a caption, and the focus an outline."""
    names = page.execute_script(
        "return [...document.querySelectorAll('input, select')]"
        ".map(field => field.labels[0].innerText.split('\\n')[0].trim())"
    )
    assert names == ["Search", "At", "State"]
    nodes = page.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
    assert roles.count("table") == 1
    assert roles.count("rowheader") == 6
    assert roles.count("columnheader") > 20
    page.find_element("css selector", "body").send_keys("/")
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert page.execute_script(outline) == "solid"


def test_nothing_is_requested(page: Any) -> None:
    """The page is one file: it loads nothing, and reports no error."""
    messages = [
        json.loads(e["message"])["message"] for e in page.get_log("performance")
    ]
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert {address for address in asked if not address.startswith("data:")} == {
        page.current_url
    }
    assert page.get_log("browser") == []


def test_hostile_text_is_text(page: Any) -> None:
    """Markup in YAML shows as it was written, and does nothing."""
    page.get(f"{page.current_url}#scale.default")
    assert HOSTILE in page.execute_script(f"return {OPEN_CARD}.innerText")
    title = page.execute_script(
        "return document.querySelector('[href$=\"label.default\"]').title"
    )
    assert title.startswith('label(Tensor self, str text="</title><script>')
    assert page.title == "Coverage of demo_ops"
    assert page.execute_script("return document.scripts.length") == 1
    assert page.execute_script("return document.images.length") == 0


def test_policy_stops_scripts_of_others(page: Any) -> None:
    """Even a script that got into the page would not run."""
    page.execute_script(
        "const script = document.createElement('script');"
        "script.textContent = 'document.title = 1'; document.body.append(script)"
    )
    assert page.title == "Coverage of demo_ops"


def test_page_reads_without_script(browser: Any, few: str) -> None:
    """Without scripts there are the table and the cards, and no filters."""
    page = opened(browser, "about:blank")
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.get(f"{few}#turn.default")
        cards = page.find_elements("css selector", ".card")
        assert [c.text.partition("\n")[0] for c in cards if c.is_displayed()] != []
        assert page.find_element("css selector", "tbody th").text == "label.default"
        assert not page.find_element("css selector", "#filters").is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast(page: Any, scheme: str) -> None:
    """All text stands out from its background, 4.5 to 1 or more, in both schemes."""
    check_colours(page, f"{page.current_url}#turn.default", scheme)


def test_narrow_window_scrolls_only_the_table(page: Any) -> None:
    """On a telephone the page is as wide as the window; names stay in sight."""
    size = {"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        width = page.execute_script("return document.documentElement.scrollWidth")
        assert width <= 380
        page.execute_script("document.querySelector('.scroll').scrollLeft = 300")
        left = "return document.querySelector('tbody th').getBoundingClientRect().left"
        assert page.execute_script(left) >= 0
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_header_stays_in_sight(browser: Any, many: str) -> None:
    """Far down in the table its header is still there, and rows lie below it."""
    page = opened(browser, many)
    page.execute_script("document.querySelector('.scroll').scrollTop = 20000")
    settle(page)
    top, frame = page.execute_script(
        "return ['thead', '.scroll'].map(name =>"
        " document.querySelector(name).getBoundingClientRect().top)"
    )
    assert abs(top - frame) < 3


def test_thousands_of_rows(browser: Any, many: str) -> None:
    """With 3,000 overloads, search and filters still find what they should."""
    page = opened(browser, many)
    page.find_element("css selector", "#search").send_keys("op29")
    settle(page)
    assert shown(page) == [f"op{number}.default" for number in range(2900, 3000)]
    choose(page, "state", "ambiguous")
    assert shown(page) == []
    assert page.find_element("css selector", "#count").text == "0 of 3,000 overloads"
