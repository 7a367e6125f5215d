"""The derivatives of the shipped operators against difference quotients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from keyslot import OpOverload, ops
from keyslot.runtime.writing import kind_of
from keyslot.transforms import jvp, make_fx, vjp, vmap

from .gradient_cases import CASES
from .numerical import ArrayFunction, as_function, difference, directions, inner
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


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize(("op", "given"), [*cases()])
def test_higher_derivatives_are_difference_quotients(
    op: OpOverload, given: Call, order: int
) -> None:
    """The gradient is differentiated as any function is, and so is its gradient."""
    function, leaves = as_function(op, given, _copied if op.schema.is_inplace else None)
    for seed in range(1, order):
        function, leaves = gradient_of(function, leaves, seed)
    check_first_order(function, leaves)


def gradient_of(
    function: ArrayFunction, leaves: list[Any], seed: int
) -> tuple[ArrayFunction, list[Any]]:
    """Return a function's gradient as a function, of the vectors it multiplies too."""
    count = len(leaves)

    def gradient(*values: Any) -> tuple[Any, ...]:
        _, pull_back = vjp(function, *values[:count])
        found: tuple[Any, ...] = pull_back(tuple(values[count:]))
        return found

    return gradient, [*leaves, *directions(function(*leaves), seed)]


@pytest.mark.parametrize(("op", "given"), [*in_place_cases()])
def test_gradients_in_place_are_difference_quotients(
    op: OpOverload, given: Call
) -> None:
    """What is written to a copy has the gradients of a new array."""
    function, leaves = as_function(op, given, _copied)
    check_first_order(function, leaves)


#: What a trace without data does not know, by overload.
UNTRACED = {
    "as_strided": "how the elements of an abstract array lie in memory",
    "resize_": "an array that is changed in place keeps its symbolic sizes",
}


@pytest.mark.parametrize(("op", "given"), [*cases()])
def test_gradients_are_traced_with_symbolic_sizes(op: OpOverload, given: Call) -> None:
    """No formula asks for the elements of an array, or for a size as a number."""
    if op.schema.qualified in UNTRACED or has_mask(given):
        pytest.skip("depends on what an abstract array does not have")
    function, leaves = as_function(op, given, _copied if op.schema.is_inplace else None)
    gradient, values = gradient_of(function, leaves, 1)
    graph = make_fx(gradient, tracing_mode="symbolic")(*values)
    for ours, expected in zip(graph(*values), gradient(*values), strict=True):
        np.testing.assert_allclose(ours, expected)


@pytest.mark.parametrize(("op", "given"), [*cases()])
def test_gradients_are_batched(op: OpOverload, given: Call) -> None:
    """Of each element of a batch, the gradient is its own."""
    if op.schema.qualified == "as_strided":
        pytest.skip("the elements of a batch lie otherwise in memory")
    function, leaves = as_function(op, given, _copied if op.schema.is_inplace else None)
    gradient, values = gradient_of(function, leaves, 1)
    others = [0.9 * value for value in values]
    stacked = [np.stack(pair) for pair in zip(values, others, strict=True)]
    batched = vmap(gradient)(*stacked)
    for place, each in enumerate((values, others)):
        for ours, expected in zip(batched, gradient(*each), strict=True):
            np.testing.assert_allclose(ours[place], expected, atol=1e-12)


def has_mask(given: Call) -> bool:
    """Whether the elements of an argument decide how many there are in the result."""
    listed = given.args[1] if len(given.args) > 1 else ()
    return type(listed) is list and any(kind_of(index) == "b" for index in listed)


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
        inner(vectors, expected), rel=1e-5, abs=1e-5
    )
    moved, tangents = jvp(function, tuple(leaves), tuple(direction))
    for value, again in zip(values, moved, strict=True):
        np.testing.assert_array_equal(value, again)
    for tangent, quotient in zip(tangents, expected, strict=True):
        np.testing.assert_allclose(tangent, quotient, rtol=1e-5, atol=1e-5)


def _copied(array: Any) -> Any:
    return ops.clone(array)
