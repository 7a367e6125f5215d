"""A report as text for people, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from ...codegen.counting import counted
from ..console import print_lines
from .findings import ERROR, WARNING, Finding, Report

_STYLES = {ERROR: "bold red", WARNING: "bold yellow"}


def print_report(report: Report) -> None:
    """Print a report, in colours on a terminal."""
    for text, style in _lines(report):
        print_lines(text, style)


def as_json(report: Report) -> dict[str, Any]:
    """Return a report as data; docs/tools.md describes it."""
    return {
        "errors": report.count(ERROR),
        "warnings": report.count(WARNING),
        "overloads": report.overloads,
        "kernels": report.kernels,
        "findings": [_as_dict(finding) for finding in report.findings],
        "not_checked": report.not_checked,
    }


def _as_dict(finding: Finding) -> dict[str, str | int]:
    problem = finding.problem
    return {
        "severity": finding.severity,
        "rule": finding.rule,
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "message": problem.message,
        "hint": finding.hint,
    }


def _lines(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the lines of a report, and the style of each on a terminal."""
    for rule, group in groupby(report.findings, key=attrgetter("rule")):
        findings = [*group]
        severity = findings[0].severity
        yield f"{rule}: {counted(len(findings), severity)}", _STYLES[severity]
        for finding in findings:
            yield str(finding.problem), ""
            if finding.hint:
                yield f"  {finding.hint}", "dim"
        yield "", ""
    for said in report.not_checked:
        yield f"not checked: {said}", "dim"
    yield _summary(report), "bold"


def _summary(report: Report) -> str:
    overloads = counted(report.overloads, "overload")
    kernels = counted(report.kernels, "kernel")
    errors = counted(report.count(ERROR), ERROR)
    warnings = counted(report.count(WARNING), WARNING)
    return f"{overloads}, {kernels}: {errors}, {warnings}"
