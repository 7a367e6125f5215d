"""keyslot.testing: for the tests of those who write operators.

`opcheck` checks one call of an operator in every way there is. See docs/transforms.md.
"""

from __future__ import annotations

from keyslot.transforms.checking.opcheck import opcheck
from keyslot.transforms.checking.report import Finding, Report

__all__ = ["Finding", "Report", "opcheck"]
