"""Fill templates with views. The one Jinja environment is here."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, **views: Any) -> str:
    """Return the text that a template makes of views."""
    return _environment().get_template(template).render(**views)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(__package__ or "", "templates"),
        autoescape=False,
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
