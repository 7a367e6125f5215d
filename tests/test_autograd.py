"""Gradients on Tensors: `backward` and what belongs to it."""

# Programs are lambdas here, and pyright knows nothing of what they are called with.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownMemberType=none
# Whether there is a gradient is what is tested.
# pyright: reportOptionalMemberAccess=none

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from keyslot import Tensor, errors, ops
from keyslot.transforms import no_grad


def leaf(*numbers: float) -> Any:
    """Return a Tensor whose gradient is wanted."""
    return Tensor(np.array(numbers), requires_grad=True)


def grad_of(tensor: Any) -> Any:
    """Return the gradient of a leaf as a list."""
    return None if tensor.grad is None else tensor.grad.tolist()


# --- what backward does ---------------------------------------------------------------


def test_gradients_are_added_up() -> None:
    """Gradients are added up."""
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    assert grad_of(x) == [2.0, 4.0]
    (x * 3).sum().backward()
    assert grad_of(x) == [5.0, 7.0]
    x.grad = None
    assert x.grad is None


def test_value_used_several_times_gets_all_parts() -> None:
    """Value used several times gets all parts."""
    x = leaf(2.0, 3.0)
    y = x * x
    ((y * y).sum() + y.sum() + x.sum()).backward()
    assert grad_of(x) == [4 * 8 + 4 + 1, 4 * 27 + 6 + 1]


def test_graph_is_gone_through_once_unless_it_is_kept() -> None:
    """Graph is gone through once unless it is kept."""
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert grad_of(x) == [4.0, 8.0]
    with pytest.raises(errors.SavedValuesFreedError, match="retain_graph=True"):
        y.backward()


def test_gradients_are_differentiated_again() -> None:
    """Gradients are differentiated again."""
    x = leaf(1.0, 2.0)
    (x**4).sum().backward(create_graph=True)
    for expected in ([12.0, 48.0], [24.0, 48.0]):
        grad: Any = x.grad
        x.grad = None
        grad.sum().backward(create_graph=True)
        assert grad_of(x) == expected


def test_graph_of_gradients_is_recorded_in_no_grad_too() -> None:
    """Graph of gradients is recorded in `no_grad` too."""
    x = leaf(1.0)
    y = (x * x).sum()
    with no_grad():
        y.backward(create_graph=True)
    assert x.grad.requires_grad


def test_gradients_of_leaves_share_no_memory() -> None:
    """Those of a sum are one array, which users may write to."""
    x, y, start = leaf(1.0, 2.0), leaf(3.0, 4.0), np.ones(2)
    (x + y).backward(start)
    x.grad.mul_(5)
    assert (grad_of(x), grad_of(y), start.tolist()) == ([5, 5], [1, 1], [1, 1])


@pytest.mark.parametrize(
    "given", [2.0, np.ones(3), np.ones((1, 2)), np.array([1j, 0]), None]
)
def test_gradient_that_is_given_has_the_form_of_the_result(given: Any) -> None:
    """Gradient that is given has the form of the result."""
    wanted = errors.GradientOutputError if given is None else errors.DirectionError
    with pytest.raises(wanted):
        (leaf(1.0, 2.0) * 2).backward(given)


def test_gradient_that_is_given_gets_the_dtype_of_the_result() -> None:
    """Gradient that is given gets the dtype of the result."""
    x = leaf(1.0, 2.0)
    (x * 2).backward(np.array([1, 3]))
    assert grad_of(x) == [2.0, 6.0]
    with pytest.raises(errors.DirectionError):
        x.grad = np.ones(3)
    x.grad = np.array([1, 2])
    (x * 2).backward(np.ones(2))
    assert grad_of(x) == [3.0, 4.0]


def test_one_number_is_real() -> None:
    """One number is real."""
    z = Tensor(np.array(1 + 2j), requires_grad=True)
    with pytest.raises(errors.GradientOutputError, match="real"):
        (z * z).backward()
    (z * z).backward(np.array(1))
    assert z.grad is not None
    assert z.grad.item() == 2 - 4j  # the conjugate, PyTorch's convention


def test_what_was_made_of_no_leaf_has_no_gradient() -> None:
    """What was made of no leaf has `no_grad`ient."""
    for tensor in (Tensor(np.ones(1)), leaf(1.0).detach(), leaf(1.0) > 0):
        with pytest.raises(errors.GradientInputError):
            tensor.backward()
        with pytest.raises(errors.GradientInputError):
            tensor.register_hook(print)


def test_broadcasting_and_dtypes_are_undone() -> None:
    """Broadcasting and dtypes are undone."""
    x = Tensor(np.ones((3, 1), np.float32), requires_grad=True)
    y = Tensor(np.ones(2), requires_grad=True)
    (x * y).sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert (x.grad.shape, x.grad.dtype) == ((3, 1), np.float32)
    assert (y.grad.shape, y.grad.dtype) == ((2,), np.float64)


def test_lists_and_several_results() -> None:
    """Lists and several results."""
    x, y = leaf(1.0, 2.0), leaf(3.0)
    first, second = ops.split_with_sizes(ops.cat([x, y, x]), [2, 3])
    (second * second).sum().backward(retain_graph=True)
    assert (grad_of(x), grad_of(y)) == ([2.0, 4.0], [6.0])
    values, places = ops.sort(x)
    assert not places.requires_grad
    (first.sum() + values[1]).backward()
    assert grad_of(x) == [3.0, 6.0]


# --- leaves ---------------------------------------------------------------------------


def test_leaves_and_results() -> None:
    """Leaves and results."""
    x = leaf(1.0)
    y = x * 2
    assert (x.is_leaf, x.grad_fn, y.is_leaf) == (True, None, False)
    assert "mul" in repr(y.grad_fn)
    assert x.requires_grad_(False).requires_grad is False
    assert not (x * 2).requires_grad
    with pytest.raises(errors.GradientInputError, match="detach"):
        y.requires_grad_(False)
    with pytest.raises(errors.GradientInputError, match="int64"):
        Tensor(np.array([1])).requires_grad_()


def test_detached_array_is_no_part_of_the_graph() -> None:
    """Detached array is no part of the graph."""
    x = leaf(2.0)
    (x.detach() * x).sum().backward()
    assert grad_of(x) == [2.0]


def test_view_may_be_a_leaf_of_its_own() -> None:
    """View may be a leaf of its own."""
    whole = Tensor(np.array([1.0, 2.0]))
    part = whole[:1].requires_grad_()
    (part * 3).sum().backward()
    assert grad_of(part) == [3.0]
    with pytest.raises(errors.InPlaceError):
        part.mul_(leaf(1.0))


def test_tensor_of_a_tensor_is_refused() -> None:
    """Tensor of a tensor is refused."""
    with pytest.raises(errors.TransformedValueError, match="already"):
        Tensor(leaf(1.0))


# --- hooks ----------------------------------------------------------------------------


def test_hooks_see_and_change_gradients() -> None:
    """Hooks see and change gradients."""
    x = leaf(1.0, 2.0)
    y = x * 3
    seen: list[Any] = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.register_hook(lambda grad: grad * 10)
    x.register_hook(lambda grad: np.asarray(grad) + 1)
    (y * y).sum().backward()
    assert seen == [[6.0, 12.0]]
    assert grad_of(x) == [181.0, 361.0]


def test_hook_of_one_of_several_results() -> None:
    """Hook of one of several results."""
    x = leaf(1.0, 2.0, 3.0)
    first, second = x.split(2)
    second.register_hook(lambda grad: grad * 7)
    (first.sum() + second.sum()).backward()
    assert grad_of(x) == [1.0, 1.0, 7.0]


def test_hook_may_take_itself_away() -> None:
    """Hook may take itself away."""
    x = leaf(1.0)
    seen: list[str] = []

    def once(grad: Any) -> None:
        seen.append("once")
        undo()

    undo = x.register_hook(once)
    x.register_hook(lambda grad: seen.append("always"))
    x.sum().backward()
    x.sum().backward()
    undo()  # no more to do
    assert seen == ["once", "always", "always"]


def test_hook_keeps_the_form_of_the_gradient() -> None:
    """Hook keeps the form of the gradient."""
    x = leaf(1.0, 2.0)
    y = x * 2
    y.register_hook(lambda grad: np.ones((3, 2)))
    with pytest.raises(errors.DirectionError):
        y.sum().backward()


def test_hooks_on_both_sides_of_a_write() -> None:
    """Hooks on both sides of a write."""
    x = leaf(1.0)
    y = x * 1
    seen: list[Any] = []
    y.register_hook(lambda grad: seen.append(("before", grad.tolist())))
    y.mul_(3)
    y.register_hook(lambda grad: seen.append(("after", grad.tolist())))
    y.sum().backward()
    assert seen == [("after", [1.0]), ("before", [3.0])]


# --- copies ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "made", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_of_leaves_have_gradients_of_their_own(made: Any) -> None:
    """Copies of leaves have gradients of their own."""
    x = leaf(1.0, 2.0)
    y = made(x)
    assert (type(y), y.requires_grad, y.keys) == (Tensor, True, x.keys)
    (y * 2).sum().backward()
    assert (grad_of(x), grad_of(y)) == (None, [2.0, 2.0])
    assert np.shares_memory(x.value, y.value) == (made is copy.copy)


def test_gradient_is_copied_too() -> None:
    """Gradient is copied too."""
    x = leaf(1.0)
    x.grad = np.array([5.0])
    y = copy.deepcopy(x)
    y.grad.mul_(2)
    assert (grad_of(x), grad_of(y)) == ([5.0], [10.0])


def test_copy_of_the_same_memory_counts_the_same_writes() -> None:
    """Copy of the same memory counts the same writes."""
    x = leaf(1.0)
    y = x * 1
    z = y * y
    detached = copy.copy(y.detach())
    detached.mul_(2)
    with pytest.raises(errors.ChangedValueError):
        z.sum().backward()


@pytest.mark.parametrize("made", [copy.copy, copy.deepcopy, pickle.dumps])
def test_results_of_recorded_calls_are_not_copied(made: Any) -> None:
    """Results of recorded calls are not copied."""
    with pytest.raises(errors.TransformedValueError, match="detach"):
        made(leaf(1.0) * 2)
