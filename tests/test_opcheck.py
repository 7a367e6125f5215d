"""`keyslot.testing.opcheck`: every shipped overload passes, wrong operators do not."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import numpy as np
import pytest

from keyslot import Library, OpOverload, ops
from keyslot.runtime.companions import functional_companion
from keyslot.runtime.errors import ArgumentValueError, NotAnOverloadError, OpcheckError
from keyslot.testing import opcheck
from keyslot.transforms import MetaTensor

from .functional_calls import seen, some_calls
from .gradient_cases import CASES as SMOOTH
from .oracle.op_arguments import Call
from .oracle.pointwise_calls import pointwise_calls
from .schema_calls import shipped

SHIPPED: Final = shipped()
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
        [
            f"{name}{form}"
            for name in ("empty_like", "new_empty")
            for form in ("", ".out")
        ],
        (("vmap", "trace"), "nobody has chosen the elements"),
    ),
    "resize_": (("meta", "trace"), "an abstract array keeps its shape"),
    **dict.fromkeys(
        ["conj_physical", "type_as", "einsum"],
        (
            ("schema",),
            "as in PyTorch, it may return an argument its schema does not mark",
        ),
    ),
}


def accepted(name: str, op: OpOverload) -> Iterator[Call]:
    """Yield some calls that an overload takes, spread over those that there are."""
    source = op.derived_from
    made = some_calls(name, op)
    made = made or (some_calls(source, SHIPPED[source]) if source else [])
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


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_shipped_overloads_pass(name: str) -> None:
    """All checks, but for those that are known to fail; no exception is idle."""
    op = SHIPPED[name]
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


# --- wrong operators ------------------------------------------------------------------

X = np.linspace(0.1, 0.9, 6).reshape(2, 3)
RIGHT: Final[dict[str, Any]] = {
    "NumPy": lambda x: x * 2,
    "Meta": lambda x: MetaTensor(x.shape, x.dtype),
    "AutogradNumPy": lambda x: ops.mul(x, 2),
    "Batched": lambda x: ops.mul(x, 2),
}
OUT_OF_PLACE: Final = "twice(Tensor x) -> Tensor"


def defined(library: Library, schema: str, **kernels: Any) -> OpOverload:
    """Define an operator with kernels; those left out are right."""
    op = library.define(schema).op
    for key, kernel in (RIGHT | kernels).items():
        if kernel is not None:
            library.impl(op, kernel, key)
    return op


def wrong_gradient(x: Any) -> Any:
    """Compute the right values in a way that gives other derivatives."""
    return ops.sub(ops.mul(x, 3), ops.detach(x))


def increment(x: Any) -> Any:
    """Write to the argument, and return something new."""
    x += 1
    return x * 2


#: Kernels that are wrong, the check that finds it, and words of what it says.
WRONG: Final[dict[str, tuple[str, dict[str, Any], str, str]]] = {
    "shape": (
        OUT_OF_PLACE,
        {"Meta": lambda x: MetaTensor(x.shape[1:], x.dtype)},
        "meta",
        r"result 0 is float64\[2, 3\], and abstract arrays give float64\[3\]",
    ),
    "dtype": (
        OUT_OF_PLACE,
        {"Meta": lambda x: MetaTensor(x.shape, "float32")},
        "meta",
        "abstract arrays give float32",
    ),
    "no shape": (OUT_OF_PLACE, {"Meta": None}, "meta", "no kernel for Meta"),
    "gradient": (
        OUT_OF_PLACE,
        {"AutogradNumPy": wrong_gradient},
        "gradient",
        "differs from the difference quotient",
    ),
    "batch": (
        OUT_OF_PLACE,
        {"Batched": lambda x: ops.mul(x, 3)},
        "vmap",
        "with a batch, result 0 differs by 0.9",
    ),
    "shape of a batch": (
        OUT_OF_PLACE,
        {"Batched": lambda x: ops.sum(x, [0])},
        "vmap",
        r"result 0 is float64\[2, 3\], not float64\[2, 2, 3\]",
    ),
    "no rule for batches": (OUT_OF_PLACE, {"Batched": None}, "vmap", "batching_rule"),
    "mutation": (
        OUT_OF_PLACE,
        {"NumPy": increment, "AutogradNumPy": None},
        "schema",
        "wrote to argument 'x'",
    ),
    "aliasing": (
        OUT_OF_PLACE,
        {"NumPy": lambda x: x, "AutogradNumPy": None},
        "schema",
        "returned memory of argument 'x'",
    ),
    "more results": (
        OUT_OF_PLACE,
        {"NumPy": lambda x: (x * 2, x * 2), "AutogradNumPy": None},
        "schema",
        "2 values in a tuple",
    ),
    "fewer results": (
        "twice(Tensor x) -> (Tensor, Tensor)",
        {"AutogradNumPy": None},
        "schema",
        "returned a value",
    ),
    "type of a result": (
        OUT_OF_PLACE,
        {"NumPy": lambda x: 2.0, "AutogradNumPy": None},
        "schema",
        "result 0 is float, and the schema says Tensor",
    ),
    "type of a number": (
        "twice(Tensor x) -> int",
        {"AutogradNumPy": None},
        "schema",
        "result 0 is ndarray, and the schema says int",
    ),
    "type of a list": (
        "twice(Tensor x) -> Tensor[]",
        {"NumPy": lambda x: [x * 2, 1], "AutogradNumPy": None},
        "schema",
        r"result 0 is list, and the schema says Tensor\[\]",
    ),
    "no write": (
        "twice_(Tensor(a!) x) -> Tensor(a!)",
        {"AutogradNumPy": None},
        "schema",
        "something else than argument 'x'",
    ),
    "error": (
        OUT_OF_PLACE,
        {"NumPy": lambda x: x.no_such_thing, "AutogradNumPy": None},
        "schema",
        "AttributeError: .*no_such_thing",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_operators_are_found(library: Library, name: str) -> None:
    """By the check for this kind of thing, which says what is wrong."""
    schema, kernels, check, words = WRONG[name]
    op = defined(library, schema, **kernels)
    report = opcheck(op, (X,), raise_on_failure=False)
    assert not report
    (finding,) = (found for found in report.failed if found.check == check)
    assert re.search(words, finding.why, re.DOTALL), str(report)


def test_a_wrong_trace_is_found(library: Library) -> None:
    """An operator that takes one path by what it is given cannot be replayed."""
    calls: list[None] = []

    def kernel(x: Any) -> Any:
        calls.append(None)
        return x * len(calls)

    op = defined(library, OUT_OF_PLACE, NumPy=kernel, AutogradNumPy=None)
    report = opcheck(op, (X,), checks=("trace",), raise_on_failure=False)
    assert "traced with real and replayed, result 0 differs" in str(report)


# --- reports --------------------------------------------------------------------------

GOLDEN = """\
{name}
schema: twice(Tensor x) -> Tensor
schema      passed: writes, returns and shares what the schema says
meta        failed: result 0 is float64[2, 3], and abstract arrays give float64[3]
vmap        passed: a batch of 2 gives what a call for each item does
trace       passed: traced with real and symbolic, replayed and compiled, it is the same
gradient    passed: reverse and forward mode are near to the difference quotient"""


def test_report_reads_well(library: Library) -> None:
    """It is a table, which is the message of the error too."""
    op = defined(library, OUT_OF_PLACE, Meta=lambda x: MetaTensor(x.shape[1:], x.dtype))
    expected = GOLDEN.format(name=op.name)
    assert str(opcheck(op, (X,), raise_on_failure=False)) == expected
    with pytest.raises(OpcheckError) as raised:
        opcheck(op, (X,))
    assert expected in str(raised.value)
    assert isinstance(raised.value, AssertionError)


def test_what_cannot_be_checked_is_skipped() -> None:
    """With the reason."""
    report = opcheck(ops.gt.Tensor, (X, X.T[:2, :1]))
    assert report
    assert "gradient    skipped: no result has floating-point numbers" in str(report)
    report = opcheck(ops.full.default, ([2], 1.5))
    assert str(report).count("skipped: no argument is an array") == 3
    report = opcheck(ops.nonzero.default, (X,))
    assert "meta        skipped: the result of nonzero depends on data" in str(report)


def test_arguments_are_not_changed() -> None:
    """Also of an operator that writes; defaults may be left away."""
    x = X.copy()
    assert opcheck(ops.add_.Tensor, (x, x))
    assert opcheck(ops.add.out, (X, X), {"out": x})
    np.testing.assert_array_equal(x, X)


def test_some_checks_alone() -> None:
    """In the order in which they are named; an unknown one is refused."""
    report = opcheck(ops.sin.default, (X,), checks=("vmap", "schema"))
    assert [finding.check for finding in report.findings] == ["vmap", "schema"]
    with pytest.raises(ArgumentValueError, match="no check is called 'gradients'"):
        opcheck(ops.sin.default, (X,), checks=("gradients",))


@pytest.mark.parametrize("thing", [ops.sin, np.sin, "sin"])
def test_only_overloads_are_checked(thing: Any) -> None:
    """Not packets, functions or names."""
    with pytest.raises(NotAnOverloadError):
        opcheck(thing, (X,))
