"""What every check needs: where to report, and what there is."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from ..runtime.space import KeySpace
from .model import Declaration
from .problems import Located, Problems

# The rules that warn, as `keyslot check` names them.
COMPANION: Final = "companion"
NOT_DERIVED: Final = "not-derived"
DOTTED_NAME: Final = "dotted-name"
UNREACHABLE_KERNEL: Final = "unreachable-kernel"
HIDDEN_COMPOSITE: Final = "hidden-composite"
AUTOGRAD_ONLY: Final = "autograd-only"
NOT_EXPORTED: Final = "not-exported"
UNTRACED: Final = "untraced"


@dataclass(frozen=True, slots=True)
class Checking:
    """The results of checking, and the facts that rules ask for."""

    problems: Problems
    warnings: Problems
    space: KeySpace
    #: Names of entries that were left out because of mistakes of their own. Not
    #: finding them is no second mistake.
    left_out: Set[str]
    known_tags: Set[str]

    def add(self, declaration: Declaration, field: str, message: str) -> None:
        """Add a problem at a field of a declaration."""
        self.problems.add(place_of(declaration, field), message)

    def warn(
        self, declaration: Declaration, field: str, message: str, rule: str
    ) -> None:
        """Add what a rule warns of at a field of a declaration."""
        self.warnings.add_warning(place_of(declaration, field), message, rule)


def place_of(declaration: Declaration, field: str) -> Located:
    """Return where the value of a field stands, or where the schema does."""
    return declaration.places.get(field, declaration.place)
