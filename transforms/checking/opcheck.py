"""`opcheck`: all that is declared of an operator, held against what it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ...generated.keys import DISPATCHER
from ...runtime.errors import ArgumentValueError, OpcheckError
from .checks import CHECKS, Disagreement
from .gradients import check_gradient
from .report import Finding, Report, Skipped
from .sample import Sample

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

#: What there is to be checked, in order.
ALL: Final = {**CHECKS, "gradient": check_gradient}


def opcheck(
    op: OpOverload,
    args: Sequence[Any],
    kwargs: dict[str, Any] | None = None,
    *,
    checks: Sequence[str] = tuple(ALL),
    raise_on_failure: bool = True,
) -> Report:
    """Check one call of an operator in every way there is, and return a report.

    ``schema``: the kernel writes to what the schema says and returns as many results of
    these types. ``meta``: shapes and dtypes for abstract arrays are those of real ones.
    ``vmap``: a batch gives what a call for each item does. ``trace``: what make_fx
    records gives the same, replayed and compiled. ``gradient``: reverse and forward
    mode are near to the difference quotient in float64, so the arguments should be
    where the operator is smooth. ``checks`` names some of them.

    The arguments are arrays of NumPy and whatever else the schema takes; the arrays are
    not changed.

    Raises OpcheckError with the report unless all pass or ``raise_on_failure`` is
    false, and NotAnOverloadError.
    """
    DISPATCHER.check_overload(op, "an overload")
    unknown = [name for name in checks if name not in ALL]
    if unknown:
        known = ", ".join(ALL)
        raise ArgumentValueError(
            f"no check is called {unknown[0]!r}; there are {known}"
        )
    sample = Sample.of(op, args, kwargs or {})
    findings = tuple(_finding(name, sample) for name in checks)
    report = Report(op.name, op.schema_text, findings)
    if report.failed and raise_on_failure:
        raise OpcheckError(op.name, str(report))
    return report


def _finding(name: str, sample: Sample) -> Finding:
    try:
        return Finding(name, "passed", ALL[name](sample))
    except Skipped as why:
        return Finding(name, "skipped", str(why))
    except Disagreement as why:
        return Finding(name, "failed", str(why))
    except Exception as error:
        return Finding(name, "failed", f"{type(error).__name__}: {error}")
