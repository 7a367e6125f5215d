"""Check the rules that declarations must keep, alone and together.

Problems stop the run after all checks; warnings are reported and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence

from .check_companions import (
    check_autogen,
    check_companions,
    check_delegates,
    check_derived,
)
from .check_declaration import check_declaration
from .check_exports import check_exports
from .check_names import check_names
from .check_overloads import check_distinguishable, check_tables
from .check_rules import check_rules
from .checking import Checking
from .model import Declaration, Overload


def check_declarations(
    declarations: Sequence[Declaration], checking: Checking
) -> list[Declaration]:
    """Check what was declared; return it without doubled declarations."""
    for declaration in declarations:
        check_declaration(declaration, checking)
    unique = check_names(declarations, checking)
    check_delegates(unique, checking)
    check_autogen(unique, checking)
    return unique


def check_overloads(
    overloads: Sequence[Overload], checking: Checking, *, torch: bool
) -> None:
    """Check all overloads, derived ones among them.

    ``torch`` tells whether PyTorch takes those for its own whose entry says nothing.
    """
    check_companions(overloads, checking)
    check_derived(overloads, checking)
    check_rules(overloads, checking)
    check_distinguishable(overloads, checking)
    check_tables(overloads, checking)
    check_exports(overloads, checking, wanted=torch)
