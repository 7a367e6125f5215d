"""Read HTML as strictly as it is to be written: every element closed, every id once."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

#: Elements that have no end.
VOID = frozenset({"img", "input", "link", "meta"})


@dataclass
class Page:
    """What the tests ask about a page."""

    ids: list[str] = field(default_factory=list[str])
    #: The values of href and src.
    links: list[str] = field(default_factory=list[str])
    #: The names of all elements, and of all their attributes.
    elements: list[str] = field(default_factory=list[str])
    attributes: set[str] = field(default_factory=set[str])
    text: str = ""


class PageReader(HTMLParser):
    """Collects the facts of a page, and fails where elements are not balanced."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.elements.append(tag)
        if tag not in VOID:
            self._open.append(tag)
        for name, value in attrs:
            self.page.attributes.add(name)
            if name == "id":
                self.page.ids.append(value or "")
            elif name in ("href", "src"):
                self.page.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.page.text += data

    def close(self) -> None:
        super().close()
        assert not self._open, f"not closed: {self._open}"


def read_page(path: Path) -> Page:
    """Read a page; fails where it is not valid."""
    reader = PageReader()
    text = path.read_text("utf-8")
    assert text.startswith("<!doctype html>\n")
    reader.feed(text)
    reader.close()
    page = reader.page
    assert len(page.ids) == len({*page.ids}), "an id is there twice"
    return page


def check_links(folder: Path) -> None:
    """Fail unless all links between the pages of a folder lead to something."""
    pages = {path.resolve(): read_page(path) for path in sorted(folder.rglob("*.html"))}
    assert pages
    for path, page in pages.items():
        for link in page.links:
            address, fragment = urldefrag(link)
            if address.startswith(("https://", "http://")):
                continue
            target = (path.parent / unquote(address)).resolve() if address else path
            assert target.is_file(), f"{path.name} links to {link}"
            if fragment:
                assert fragment in pages[target].ids, f"{path.name} links to {link}"
