"""Fill templates with views. What all templates have in common is here."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined


def render(template: str, **views: Any) -> str:
    """Return the text that a template makes of views."""
    return _environment().get_template(template).render(**views)


def make_environment(loader: BaseLoader, *, autoescape: bool) -> Environment:
    """Return an environment that leaves no trace of its tags, and refuses typos."""
    return Environment(
        loader=loader,
        autoescape=autoescape,
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )


@cache
def _environment() -> Environment:
    loader = PackageLoader(__package__ or "", "templates")
    return make_environment(loader, autoescape=False)
