"""The derivatives of the shipped operators against difference quotients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from keyslot import OpOverload, ops
from keyslot.transforms import jvp, vjp

from .gradient_cases import CASES
from .numerical import as_function, difference, directions, inner
from .oracle.op_arguments import Call
from .schema_calls import shipped

SHIPPED = shipped()


def has_derivative(op: OpOverload) -> bool:
    """Whether YAML gives formulas for an operator, and not those of another one."""
    return bool(op.derivatives) and not op.schema.out


def cases() -> Iterator[Any]:
    """Yield every call with its overload."""
    for name, calls in CASES.items():
        for place, given in enumerate(calls):
            yield pytest.param(SHIPPED[name], given, id=f"{name}-{place}")


def in_place_cases() -> Iterator[Any]:
    """Yield the overloads that work in place, with calls of their companions."""
    for name, op in SHIPPED.items():
        if op.schema.is_inplace and has_derivative(op):
            for place, given in enumerate(companion_calls(op)):
                yield pytest.param(op, given, id=f"{name}-{place}")


def companion_calls(op: OpOverload) -> list[Call]:
    """Return the calls of the overload that does the same in a new array."""
    packet, _, overload = op.schema.qualified.partition(".")
    names = [f"{packet.removesuffix('_')}.{overload}".rstrip(".")]
    names += [f"pow.Tensor_{overload}"] if packet == "pow_" else []
    return [
        given for name in names for given in CASES.get(name, []) if keeps(op, given)
    ]


def keeps(op: OpOverload, given: Call) -> bool:
    """Whether the result of a call can be written to its first argument."""
    try:
        op(np.array(given.args[0]), *given.args[1:], **given.kwargs)
    except (TypeError, ValueError):
        return False
    return True


def test_every_operator_with_formulas_has_a_case() -> None:
    """In-place overloads take those of their companions."""
    missing = [
        name
        for name, op in SHIPPED.items()
        if has_derivative(op)
        and not CASES.get(name)
        and not (op.schema.is_inplace and companion_calls(op))
    ]
    assert missing == []


@pytest.mark.parametrize(("op", "given"), [*cases()])
def test_gradients_and_tangents_are_difference_quotients(
    op: OpOverload, given: Call
) -> None:
    """The vector-Jacobian product and the Jacobian-vector product both are."""
    function, leaves = as_function(op, given, _copied if op.schema.is_inplace else None)
    check_first_order(function, leaves)


@pytest.mark.parametrize(("op", "given"), [*cases()])
def test_second_derivatives_are_difference_quotients(
    op: OpOverload, given: Call
) -> None:
    """The gradient is differentiated as any function is."""
    function, leaves = as_function(op, given, _copied if op.schema.is_inplace else None)
    results = function(*leaves)
    vectors = directions(results, 1)

    def gradient(*values: Any) -> tuple[Any, ...]:
        primals = len(leaves)
        _, pull_back = vjp(function, *values[:primals])
        found: tuple[Any, ...] = pull_back(values[primals:])
        return found

    check_first_order(gradient, [*leaves, *vectors])


@pytest.mark.parametrize(("op", "given"), [*in_place_cases()])
def test_gradients_in_place_are_difference_quotients(
    op: OpOverload, given: Call
) -> None:
    """What is written to a copy has the gradients of a new array."""
    function, leaves = as_function(op, given, _copied)
    check_first_order(function, leaves)


def check_first_order(function: Any, leaves: list[Any]) -> None:
    """Compare the derivatives of a function with its difference quotients."""
    direction = directions(leaves)
    expected = difference(function, leaves, direction)
    vectors = directions(expected, 2)
    values, pull_back = vjp(function, *leaves)
    gradients = pull_back(tuple(vectors))
    for leaf, gradient in zip(leaves, gradients, strict=True):
        assert (gradient.shape, gradient.dtype) == (np.shape(leaf), leaf.dtype)
    assert inner(gradients, direction) == pytest.approx(
        inner(vectors, expected), rel=1e-6, abs=1e-6
    )
    moved, tangents = jvp(function, tuple(leaves), tuple(direction))
    for value, again in zip(values, moved, strict=True):
        np.testing.assert_array_equal(value, again)
    for tangent, quotient in zip(tangents, expected, strict=True):
        np.testing.assert_allclose(tangent, quotient, rtol=1e-6, atol=1e-6)


def _copied(array: Any) -> Any:
    return ops.clone(array)
