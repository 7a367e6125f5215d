"""`checkpoint`: computing again instead of keeping."""

# Programs are lambdas here, and pyright knows nothing of what they are called with.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownMemberType=none

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

from keyslot import Tensor, errors, ops
from keyslot.transforms import checkpoint, grad, no_grad, vmap

from .test_autograd import grad_of, leaf


def cubed(x: Any) -> Any:
    """Return a function's value that needs something computed on the way."""
    y = x * x
    return y * x


def test_gradients_are_those_without() -> None:
    """Gradients are those without."""
    x = leaf(1.0, 2.0)
    y = checkpoint(cubed)(x)
    assert type(y.value) is np.ndarray
    y.sum().backward()
    assert grad_of(x) == [3.0, 12.0]
    assert grad(lambda x: checkpoint(cubed)(x).sum())(
        np.array([1.0, 2.0])
    ).tolist() == [3.0, 12.0]


def test_gradients_are_differentiated_again() -> None:
    """Gradients are differentiated again."""
    x = leaf(1.0, 2.0)
    checkpoint(cubed)(x).sum().backward(create_graph=True)
    first: Any = x.grad
    x.grad = None
    first.sum().backward()
    assert grad_of(x) == [6.0, 12.0]

    def second(x: Any) -> Any:
        return grad(lambda x: checkpoint(cubed)(x).sum())(x).sum()

    assert grad(second)(np.array([1.0, 2.0])).tolist() == [6.0, 12.0]


def test_checkpoints_in_each_other_batches_and_pytrees() -> None:
    """Checkpoints in each other batches and pytrees."""

    def inner(p: Any) -> Any:
        return {
            "y": checkpoint(cubed)(p["x"]) * p["n"],
            "none": None,
            "places": p["x"] > 1,
        }

    def value(x: Any) -> Any:
        return checkpoint(inner)({"x": x, "n": 2})["y"].sum()

    x = leaf(1.0, 2.0)
    value(x).backward()
    assert grad_of(x) == [6.0, 24.0]
    assert vmap(grad(value))(np.array([[1.0, 2.0]])).tolist() == [[6.0, 24.0]]


def test_other_tensors_that_it_uses_get_all_parts_of_their_gradients() -> None:
    """Those that were made by recorded calls too, and their hooks run once."""
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    h = w * w
    seen: list[Any] = []
    h.register_hook(lambda grad: seen.append(grad.tolist()))
    y = checkpoint(lambda x: x * h)(x) + h
    y.sum().backward()
    assert seen == [[2.0, 3.0]]
    assert (grad_of(x), grad_of(w)) == ([9.0, 16.0], [12.0, 24.0])


def test_what_is_computed_on_the_way_is_let_go() -> None:
    """What is computed on the way is let go."""
    held: list[Any] = []

    def watched(x: Any) -> Any:
        y = x * x
        held.append(weakref.ref(y))
        return y * x

    x = leaf(1.0)
    z = checkpoint(watched)(x)
    assert held[0]() is None
    z.sum().backward(retain_graph=True)
    assert len(held) == 2
    assert held[1]() is None
    z.sum().backward()
    assert grad_of(x) == [6.0]


def test_graph_is_gone_through_once() -> None:
    """Graph is gone through once."""
    x = leaf(1.0)
    z = checkpoint(cubed)(x).sum()
    z.backward()
    with pytest.raises(errors.SavedValuesFreedError, match="sum"):
        z.backward()


def test_nothing_is_recorded_in_no_grad() -> None:
    """Nothing is recorded in `no_grad`."""
    x = leaf(1.0)
    with no_grad():
        assert not checkpoint(cubed)(x).requires_grad
    y = checkpoint(cubed)(x).sum()
    with no_grad():
        y.backward()
    assert grad_of(x) == [3.0]


def test_changed_arguments_are_misuse() -> None:
    """Changed arguments are misuse."""
    x = leaf(1.0)
    y = x * 1
    z = checkpoint(cubed)(y)
    y.mul_(2)
    with pytest.raises(
        errors.ChangedValueError, match="checkpoint needs its argument 0"
    ):
        z.sum().backward()


def test_result_may_be_an_argument() -> None:
    """Result may be an argument."""
    x, y = leaf(1.0), leaf(2.0)
    first, second = checkpoint(lambda x, y: (y, x[0] * y))(x, y)
    (first + second).sum().backward()
    assert (grad_of(x), grad_of(y)) == ([2.0], [2.0])


def test_arguments_that_need_no_gradient_are_passed_on() -> None:
    """Arguments that need `no_grad`ient are passed on."""
    x = Tensor(np.array([1.0]))
    assert checkpoint(lambda x, n: x * n)(x, n=3).tolist() == [3.0]
    y = leaf(2.0)
    checkpoint(lambda x, y, mask: ops.where(mask, x, y).sum())(
        x, y, np.array([False])
    ).backward()
    assert grad_of(y) == [1.0]
