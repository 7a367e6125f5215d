"""Fill templates with views. The one kind of Jinja environment is here."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, **views: Any) -> str:
    """Return the text that a template makes of views."""
    return templates_of(__package__ or "").get_template(template).render(**views)


@cache
def templates_of(package: str) -> Environment:
    """Return the environment of the templates that a package has."""
    return Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=False,
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
