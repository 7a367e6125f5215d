"""What a check finds, as data: the rules, and the findings of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ...codegen import checking
from ...codegen.problems import Problem

ERROR: Final = "error"
WARNING: Final = "warning"

MODULE_IMPORT: Final = "module-import"
NO_MODULE: Final = "no-module"
KERNEL_IMPORT: Final = "kernel-import"
SIGNATURE: Final = "signature"
ARGUMENT_ORDER: Final = "argument-order"
DEFAULT: Final = "default"
MISSING_KERNEL: Final = "missing-kernel"
MISSING_RULE: Final = "missing-rule"
FORMULA: Final = "formula"
ARRAY_TYPE: Final = "array-type"
UNUSED_KERNEL: Final = "unused-kernel"

#: The severity of each rule, in the order of the report. docs/tools.md describes them.
RULES: Final[Mapping[str, str]] = {
    MODULE_IMPORT: ERROR,
    NO_MODULE: ERROR,
    KERNEL_IMPORT: ERROR,
    SIGNATURE: ERROR,
    FORMULA: ERROR,
    ARRAY_TYPE: ERROR,
    ARGUMENT_ORDER: WARNING,
    DEFAULT: WARNING,
    MISSING_KERNEL: WARNING,
    MISSING_RULE: WARNING,
    checking.UNREACHABLE_KERNEL: WARNING,
    checking.HIDDEN_COMPOSITE: WARNING,
    checking.AUTOGRAD_ONLY: WARNING,
    checking.COMPANION: WARNING,
    checking.NOT_DERIVED: WARNING,
    checking.NOT_EXPORTED: WARNING,
    checking.UNTRACED: WARNING,
    checking.DOTTED_NAME: WARNING,
    UNUSED_KERNEL: WARNING,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend: where it is, by which rule, and what to do about it."""

    problem: Problem
    hint: str = ""

    @property
    def rule(self) -> str:
        """The rule that found it."""
        return self.problem.rule

    @property
    def severity(self) -> str:
        """``error`` or ``warning``."""
        return RULES[self.rule]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a run of the checks found."""

    #: By rule, in the order of the rules, then by place.
    findings: tuple[Finding, ...]
    #: What could not be looked at, and why.
    not_checked: tuple[str, ...]
    overloads: int
    kernels: int

    def count(self, severity: str) -> int:
        """Return how many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)


def in_order(findings: set[Finding], ignored: set[str]) -> tuple[Finding, ...]:
    """Return the findings as a report has them, without those of ignored rules."""
    order = {rule: place for place, rule in enumerate(RULES)}
    kept = (finding for finding in findings if finding.rule not in ignored)
    return tuple(sorted(kept, key=lambda found: (order[found.rule], found.problem)))
