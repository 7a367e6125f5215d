"""`keyslot.testing.opcheck`: every shipped overload passes, wrong operators do not."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

import numpy as np
import pytest

from keyslot import Library, OpOverload, ops
from keyslot.runtime.errors import ArgumentValueError, NotAnOverloadError, OpcheckError
from keyslot.runtime.companions import functional_companion
from keyslot.testing import opcheck

from .functional_calls import seen, some_calls
from .gradient_cases import CASES as SMOOTH
from .oracle.op_arguments import Call, call
from .oracle.pointwise_calls import pointwise_calls
from .schema_calls import shipped

#: The checks for calls at any point, and so many of them for an overload.
_ANYWHERE: Final = ("schema", "meta", "vmap", "trace")
_MOST: Final = 2

#: Overloads that fail checks, which, and why that is right.
EXCEPTIONS: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    **dict.fromkeys(
        ["empty.out", "empty_strided.out"],
        (("vmap", "trace"), "nobody has chosen the elements"),
    ),
    **dict.fromkeys(
        [f"{name}{form}" for name in ("empty_like", "new_empty") for form in ("", ".out")],
        (("vmap", "trace"), "nobody has chosen the elements"),
    ),
    "resize_": (("meta", "trace"), "an abstract array keeps its shape"),
    **dict.fromkeys(
        ["conj_physical", "type_as", "einsum"],
        (("schema",), "as in PyTorch, it may return an argument its schema does not mark"),
    ),
}


def accepted(name: str, op: OpOverload) -> Iterator[Call]:
    """Yield some calls that an overload takes, spread over those that there are."""
    source = op.derived_from
    made = some_calls(name, op)
    made = made or (some_calls(source, shipped()[source]) if source else [])
    made = made or [*pointwise_calls(op.schema)]
    part = -(-len(made) // _MOST)
    for start in range(0, len(made), part):
        taken = (c for c in made[start : start + part] if seen(op, c).error is None)
        yield from islice(taken, 1)


def smooth(name: str, op: OpOverload) -> list[Call]:
    """Return calls at points where an overload has derivatives."""
    companion = functional_companion(op) if op.schema.is_mutable else None
    found = SMOOTH.get(name) or []
    if not found and companion is not None and not op.schema.is_out:
        found = SMOOTH.get(companion.schema.qualified) or []
    return [*found][:1]


@pytest.mark.parametrize("name", sorted(shipped()))
def test_shipped_overloads_pass(name: str) -> None:
    """All checks, but for those that are known to fail; no exception is idle."""
    op = shipped()[name]
    reports = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for each in accepted(name, op):
            reports.append(
                opcheck(
                    op,
                    each.args,
                    each.kwargs,
                    checks=_ANYWHERE,
                    raise_on_failure=False,
                )
            )
        for each in smooth(name, op):
            reports.append(opcheck(op, each.args, each.kwargs, raise_on_failure=False))
    assert reports, "there is no call of this overload"
    allowed = EXCEPTIONS.get(name, ((), ""))[0]
    failed = {f.check: str(r) for r in reports for f in r.failed}
    assert failed.keys() <= {*allowed}, "\n".join(failed.values())
