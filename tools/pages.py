"""What the web pages of all commands have in common: templates, and one look.

A stylesheet begins with ``base.css``, which has the colours, light and dark, the fonts
and the fields of forms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader

from ..codegen.counting import counted
from ..codegen.render import make_environment
from .text import Code


@cache
def page_templates(package: str) -> Environment:
    """Return the templates of a package, which may include those of all pages."""
    packages = (package, __package__ or "")
    loader = ChoiceLoader([PackageLoader(name, "templates") for name in packages])
    environment = make_environment(loader, autoescape=True)
    _add(environment.tests, code=_is_code)
    _add(environment.filters, counted=counted)
    return environment


def _add(table: dict[str, Any], **functions: Callable[..., object]) -> None:
    """Add to a table of Jinja's, for which checkers infer a narrower type."""
    table.update(functions)


def _is_code(piece: object) -> bool:
    return isinstance(piece, Code)
