"""What tests do with a page in a browser, whichever it is."""

from __future__ import annotations

import re
from typing import Any


def opened(browser: Any, address: str) -> Any:
    """Load a page anew, in a light window of ordinary size, with empty logs."""
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.set_window_size(1300, 900)
    browser.get("about:blank")
    browser.get_log("performance")
    browser.get_log("browser")
    browser.get(address)
    return browser


def settle(page: Any) -> None:
    """Wait until the browser has drawn what was typed."""
    page.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")


def keys(page: Any, *pressed: str) -> None:
    """Press keys, wherever the focus is."""
    page.switch_to.active_element.send_keys(*pressed)
    settle(page)


def check_colours(page: Any, address: str, scheme: str) -> None:
    """Fail unless all text of a page has contrast in ``light`` or ``dark``."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    page.get(address)
    pairs = page.execute_script(COLOURS)
    assert len(pairs) > 4
    weak = {what: pair for what, *pair in pairs if contrast(*pair) < 4.5}
    assert weak == {}
    background = luminance(page.execute_script("return backgroundOf(document.body)"))
    assert (background > 0.5) == (scheme == "light")


#: Text colour and background of everything that has text of its own.
COLOURS = """
window.backgroundOf = function (element) {
  const own = getComputedStyle(element).backgroundColor;
  if (own !== "rgba(0, 0, 0, 0)") return own;
  const around = element.parentElement;
  return around ? backgroundOf(around) : "rgb(255, 255, 255)";
};
const seen = new Map();
const texts = "body *:not(script, option, progress)";
for (const element of document.querySelectorAll(texts)) {
  const isText = (node) => node.nodeType === 3 && node.data.trim();
  if (![...element.childNodes].some(isText) || element.offsetWidth === 0) continue;
  const pair = [getComputedStyle(element).color, backgroundOf(element)];
  seen.set(pair.join(), [`${element.tagName} ${element.className}`, ...pair]);
}
return [...seen.values()];
"""


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG defines it."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (int(number) / 255 for number in re.findall(r"\d+", colour)[:3])
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, as WCAG defines it."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)
