"""`grad`, `vjp`, `jvp`, `jacrev`, `jacfwd` and `hessian` as users call them."""

# Programs are lambdas here, and pyright knows nothing of what they are called with.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownMemberType=none

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot import Tensor, errors, ops
from keyslot.transforms import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vjp,
    vmap,
)

X, Y = np.array([1.0, 2.0]), np.array([3.0, 5.0])


def listed(tree: Any) -> Any:
    """Return a pytree of arrays as lists, to be compared."""
    if isinstance(tree, dict):
        return {key: listed(value) for key, value in tree.items()}
    if isinstance(tree, (tuple, list)):
        return type(tree)(map(listed, tree))
    return tree.tolist() if hasattr(tree, "tolist") else tree


# --- arguments ------------------------------------------------------------------------


def product(x: Any, y: Any, *, scale: float = 1.0) -> Any:
    """Return a number that depends on two arrays."""
    return (x * y * scale).sum()


def test_arguments_are_named_by_their_places() -> None:
    """Arguments are named by their places."""
    assert listed(grad(product)(X, Y)) == [3.0, 5.0]
    assert listed(grad(product, 1)(X, Y)) == [1.0, 2.0]
    assert listed(grad(product, -1)(X, Y, scale=2.0)) == [2.0, 4.0]
    assert listed(grad(product, (1, 0))(X, Y)) == ([1.0, 2.0], [3.0, 5.0])
    assert listed(grad(product, (0,))(X, Y)) == ([3.0, 5.0],)
    for transform in (jacrev, jacfwd):
        jacobians = transform(lambda x, y: x * y, (0, 1))(X, Y)
        assert listed(jacobians) == ([[3.0, 0.0], [0.0, 5.0]], [[1.0, 0.0], [0.0, 2.0]])


@pytest.mark.parametrize("argnums", [2, -3, (0, 2), (0, 0), (1, -1)])
@pytest.mark.parametrize("transform", [grad, jacrev, jacfwd, hessian])
def test_places_that_are_none_are_told(transform: Any, argnums: Any) -> None:
    """Places that are none are told."""
    with pytest.raises(errors.GradientInputError):
        transform(product, argnums)(X, Y)


@pytest.mark.parametrize("given", [1.0, np.array([1]), {"a": X, "b": None}, "text"])
def test_arguments_without_derivatives_are_told(given: Any) -> None:
    """Arguments without derivatives are told."""
    for transform in (grad, jacrev, jacfwd):
        with pytest.raises(errors.GradientInputError):
            transform(lambda _: np.ones(()))(given)
    with pytest.raises(errors.GradientInputError):
        vjp(lambda _: np.ones(()), given)
    with pytest.raises(errors.GradientInputError):
        jvp(lambda _: np.ones(()), (given,), (given,))


def test_gradients_have_the_structure_of_arguments() -> None:
    """Gradients have the structure of arguments."""
    tree = {"a": X, "b": (Y, [np.float64(2.0)])}

    def value(tree: Any) -> Any:
        return (tree["a"] * tree["b"][0]).sum() * tree["b"][1][0]

    expected = {"a": [6.0, 10.0], "b": ([2.0, 4.0], [13.0])}
    assert listed(grad(value)(tree)) == expected
    assert listed(grad_and_value(value)(tree)) == (expected, 26.0)
    assert listed(vjp(value, tree)[1](np.array(1.0))) == (expected,)
    assert grad(lambda tree: np.array(1.0))({}) == {}


def test_tensors_are_arguments_and_results() -> None:
    """Tensors are arguments and results."""
    assert listed(grad(product)(Tensor(X), Y)) == [3.0, 5.0]
    x = Tensor(X, requires_grad=True)
    grad(lambda x: (x**3).sum())(x).sum().backward()
    assert listed(x.grad) == [6.0, 12.0]
    jvp(lambda x: x**3, (x,), (X,))[1].sum().backward()
    assert listed(x.grad) == [6.0 + 6.0, 12.0 + 24.0]


# --- results --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x,
        lambda x: x[:1],
        lambda x: 3.0,
        lambda x: None,
        lambda x: x.sum() * 1j,
    ],
)
def test_grad_needs_one_real_number(function: Any) -> None:
    """Grad needs one real number."""
    with pytest.raises(errors.GradientOutputError):
        grad(function)(X)


def test_something_else_may_come_beside_the_value() -> None:
    """Something else may come beside the value."""

    def value(x: Any) -> Any:
        return (x * x).sum(), {"double": x * 2, "name": "aux", "mask": x > 1}

    aux = {"double": [2.0, 4.0], "name": "aux", "mask": [False, True]}
    assert listed(grad(value, has_aux=True)(X)) == ([2.0, 4.0], aux)
    assert listed(grad_and_value(value, has_aux=True)(X)) == ([2.0, 4.0], (5.0, aux))
    result, pull_back, beside = vjp(value, X, has_aux=True)
    assert listed((result, pull_back(np.array(2.0)), beside)) == (
        5.0,
        ([4.0, 8.0],),
        aux,
    )
    assert listed(jvp(value, (X,), (Y,), has_aux=True)) == (5.0, 26.0, aux)
    assert listed(jacrev(value, has_aux=True)(X)) == ([2.0, 4.0], aux)
    without_name = lambda x: (x.sum(), x * 2)  # noqa: E731 - two lines of it
    assert listed(jacfwd(without_name, has_aux=True)(X)) == ([1.0, 1.0], [2.0, 4.0])


@pytest.mark.parametrize(
    "result", [lambda x: x.sum(), lambda x: (x.sum(), 1, 2), lambda x: {"a": x}]
)
def test_what_has_no_second_part_is_told(result: Any) -> None:
    """What has no second part is told."""
    calls: list[Callable[[], Any]] = [
        lambda: grad(result, has_aux=True)(X),
        lambda: vjp(result, X, has_aux=True),
        lambda: jvp(result, (X,), (X,), has_aux=True),
    ]
    for call in calls:
        with pytest.raises(errors.FunctionResultError, match="pair"):
            call()


def several(x: Any) -> Any:
    """Return several results, of which some do not depend on anything."""
    return {"square": x * x, "sum": [x.sum()], "mask": x > 1, "constant": np.ones(1)}


def test_several_results() -> None:
    """Several results."""
    value, pull_back = vjp(several, X)
    vectors = {
        "square": X,
        "sum": [np.array(3.0)],
        "mask": np.ones(2),
        "constant": np.ones(1),
    }
    assert listed(pull_back(vectors)) == ([5.0, 11.0],)
    assert listed(pull_back(vectors)) == ([5.0, 11.0],)
    assert listed(value["mask"]) == [False, True]
    _, tangents = jvp(several, (X,), (Y,))
    assert listed(tangents) == {
        "square": [6.0, 20.0],
        "sum": [8.0],
        "mask": [False, False],
        "constant": [0.0],
    }
    for transform in (jacrev, jacfwd):
        found = listed(transform(several)(X))
        assert found["square"] == [[2.0, 0.0], [0.0, 4.0]]
        assert found["sum"] == [[1.0, 1.0]]
        assert found["mask"] == [[0, 0], [0, 0]]
        assert found["constant"] == [[0.0, 0.0]]


@pytest.mark.parametrize("result", [3, None, "text"])
def test_results_that_are_no_arrays_are_told(result: Any) -> None:
    """Results that are no arrays are told."""
    for call in (jacrev, jacfwd, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(errors.FunctionResultError, match="arrays"):
            call(lambda x: (x, result))(X)


@pytest.mark.parametrize("given", [3.0, np.ones(3), np.ones(()), 1j * X])
def test_vectors_have_the_form_of_what_they_are_for(given: Any) -> None:
    """Vectors have the form of what they are for."""
    _, pull_back = vjp(lambda x: x * 2, X)
    with pytest.raises(errors.DirectionError):
        pull_back(given)
    with pytest.raises(errors.DirectionError):
        jvp(lambda x: x * 2, (X,), (given,))
    with pytest.raises(errors.DirectionError, match="pytree"):
        pull_back([X])
    with pytest.raises(errors.DirectionError, match="primals"):
        jvp(lambda x: x * 2, (X,), (X, X))


def test_vectors_get_the_dtype_of_what_they_are_for() -> None:
    """Vectors get the dtype of what they are for."""
    x = X.astype(np.float32)
    _, pull_back = vjp(lambda x: x * 2, x)
    assert pull_back(np.array([1, 2]))[0].dtype == np.float32
    assert jvp(lambda x: x * 2, (x,), (Y,))[1].dtype == np.float32


# --- orders and kinds -----------------------------------------------------------------


def test_derivatives_of_any_order() -> None:
    """Derivatives of any order."""
    function: Any = lambda x: x**5  # noqa: E731 - it is wrapped again and again
    for expected in (80.0, 160.0, 240.0, 240.0, 120.0, 0.0):
        function = grad(function)
        assert function(np.array(2.0)) == expected
    assert listed(hessian(lambda x: (x**3).sum())(X)) == [[6.0, 0.0], [0.0, 12.0]]
    mixed = hessian(product, (0, 1))(X, Y)
    assert listed(mixed[0][1]) == [[1.0, 0.0], [0.0, 1.0]]


def test_complex_gradients_are_conjugates() -> None:
    """Complex gradients are conjugates."""
    z = np.array([1 + 2j, -1j])
    assert listed(grad(lambda z: ops.real(z * z).sum())(z)) == listed(2 * z.conj())
    real = grad(lambda x: ops.real(x * z).sum())(np.ones(2))
    assert (listed(real), real.dtype) == ([1.0, 0.0], np.float64)
    assert listed(jvp(lambda z: z * z, (z,), (z,))[1]) == listed(2 * z * z)


def test_tangents_of_what_was_overwritten_are_zero() -> None:
    """Tangents of what was overwritten are zero."""

    def overwritten(x: Any) -> Any:
        y, z = x * 1, x * 1
        y.fill_(3.0)
        z[0] = 5.0
        z[1:].copy_(np.array([7.0]))
        return y * x, z

    _, (first, second) = jvp(overwritten, (X,), (Y,))
    assert (listed(first), listed(second)) == ([9.0, 15.0], [0.0, 0.0])


def test_transforms_nest_in_any_order() -> None:
    """Transforms nest in any order."""

    def value(x: Any) -> Any:
        return (x**3).sum()

    batch = np.stack([X, Y])
    rows = [[3.0, 12.0], [27.0, 75.0]]
    assert listed(vmap(grad(value))(batch)) == rows
    assert listed(grad(lambda b: vmap(value)(b).sum())(batch)) == rows
    _, tangent = jvp(grad(value), (X,), (np.ones(2),))
    assert listed(tangent) == [6.0, 12.0]
    assert listed(grad(lambda x: jvp(value, (x,), (X,))[1])(X)) == [6.0, 24.0]
    assert listed(jacrev(vmap(grad(value)))(batch)[0][0]) == [[6.0, 0.0], [0.0, 0.0]]
