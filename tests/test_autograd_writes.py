"""Changes in place, as gradients see them: versions, views and their bases."""

# Programs are lambdas here, and pyright knows nothing of what they are called with.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownMemberType=none

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot import Tensor, errors, ops
from keyslot.transforms import grad, jvp, no_grad, vjp

from .test_autograd import grad_of, leaf

#: A write to a value that the gradient of a square needs.
WRITES: dict[str, Callable[[Any], Any]] = {
    "operator": lambda y: y.mul_(2),
    "python": lambda y: y.__imul__(2),
    "index": lambda y: y.__setitem__(0, 5.0),
    "view": lambda y: y[1:].mul_(2),
    "split": lambda y: y.split(1)[0].mul_(2),
    "detached": lambda y: y.detach().mul_(2),
    "view of detached": lambda y: y.detach()[0].fill_(2),
    "out": lambda y: ops.add(np.ones(2), np.ones(2), out=y.detach()),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("recording", [True, False])
def test_misuse_names_the_operator(write: str, recording: bool) -> None:
    """Whatever way the memory was reached."""
    x = leaf(1.0, 2.0)
    y = x * 1
    z = y * y
    if recording:
        WRITES[write](y)
    else:
        with no_grad():
            WRITES[write](y)
    with pytest.raises(errors.ChangedValueError, match=r"mul\.Tensor needs self"):
        z.sum().backward()


@pytest.mark.parametrize("write", ["operator", "python"])
def test_misuse_inside_a_transform(write: str) -> None:
    """Misuse inside a transform."""

    def misused(x: Any) -> Any:
        y = x * 1
        z = y * y
        with no_grad():
            assert WRITES[write](y) is y
        return z.sum()

    with pytest.raises(errors.ChangedValueError):
        grad(misused)(np.ones(2))


def test_result_that_is_saved_must_not_change() -> None:
    """Result that is saved must not change."""
    x = leaf(1.0)
    y = x.exp()
    y.mul_(2)
    with pytest.raises(errors.ChangedValueError, match="exp needs its result"):
        y.sum().backward()


def test_leaves_cannot_change_but_in_no_grad() -> None:
    """Leaves cannot change but in `no_grad`."""
    x = leaf(1.0, 2.0)
    for target, factor in ((x, 2), (x[0], 2), (x, x)):
        with pytest.raises(errors.InPlaceError, match="leaf"):
            target.mul_(factor)
    with no_grad():
        x.mul_(2)
    assert x.tolist() == [2.0, 4.0]
    assert x.is_leaf
    assert x.requires_grad


def through_tape(function: Callable[..., Any], *arrays: Any) -> list[Any]:
    """Return the gradients of a function's sum on Tensors."""
    leaves = [Tensor(array, requires_grad=True) for array in arrays]
    function(*leaves).sum().backward()
    return [
        np.zeros_like(a) if x.grad is None else np.asarray(x.grad)
        for a, x in zip(arrays, leaves, strict=True)
    ]


def through_vjp(function: Callable[..., Any], *arrays: Any) -> list[Any]:
    """Return the gradients of a function's sum by `vjp`."""
    value, pull_back = vjp(lambda *xs: ops.sum(function(*xs)), *arrays)
    return [*pull_back(np.ones_like(value))]


def through_jvp(function: Callable[..., Any], *arrays: Any) -> list[Any]:
    """Return the gradients of a function's sum by `jvp`, one element at a time."""
    found = [np.zeros_like(array) for array in arrays]
    for n, array in enumerate(arrays):
        for place in np.ndindex(array.shape):
            unit = [np.zeros_like(a) for a in arrays]
            unit[n][place] = 1
            found[n][place] = jvp(
                lambda *xs: ops.sum(function(*xs)), arrays, tuple(unit)
            )[1]
    return found


def write_to_view(x: Any, y: Any) -> Any:
    """Write to view."""
    b = x * 1
    b[0].mul_(y[1])
    return b * b


def read_view_after_its_base(x: Any, y: Any) -> Any:
    """Read view after its base."""
    b = x * 1
    v = b[1:]
    b.mul_(y)
    return v * v


def list_of_stale_views(x: Any, y: Any) -> Any:
    """List of stale views."""
    b = x * 1
    v = b[:1]
    b.mul_(y)
    return ops.cat([v, b, v])


def write_to_one_of_several_views(x: Any, y: Any) -> Any:
    """Write to one of several views."""
    b = x * 1
    first, second = b.split(1)
    first.mul_(y[:1])
    b.mul_(2)
    second.add_(first)
    return b * second


def view_of_view(x: Any, y: Any) -> Any:
    """View of view."""
    b = ops.stack([x, y])
    v = b.transpose(0, 1)[1]
    w = v[:1]
    w.mul_(3)
    v.mul_(x)
    return b * w


def overwritten(x: Any, y: Any) -> Any:
    """Overwritten."""
    b = x * 1
    b[0] = 7.0
    b[1:].copy_(y[:1])
    return b * y


def written_by_indices(x: Any, y: Any) -> Any:
    """Written by indices."""
    b = x * y
    b[np.array([1, 0])] = y
    b[np.array([True, False])] = 3.0
    return b * x


def added_to_itself(x: Any, y: Any) -> Any:
    """Added to itself."""
    b = x * 1
    b += b
    b[0] += y[0]
    b[0] *= 3
    return b * b


def number_written(x: Any, y: Any) -> Any:
    """Number written."""
    b = (x * y).sum()
    b.mul_(3)
    c = b.view([1])
    c.mul_(x[0])
    return b * x


PROGRAMS = [
    write_to_view,
    read_view_after_its_base,
    list_of_stale_views,
    write_to_one_of_several_views,
    view_of_view,
    overwritten,
    written_by_indices,
    added_to_itself,
    number_written,
]


@pytest.mark.parametrize("way", [through_tape, through_vjp, through_jvp])
@pytest.mark.parametrize("program", PROGRAMS)
def test_writes_have_the_gradients_of_difference_quotients(
    program: Any, way: Any
) -> None:
    """Writes have the gradients of difference quotients."""
    arrays = np.array([1.5, -0.5]), np.array([0.75, 2.0])

    def value(*values: Any) -> float:
        return float(np.asarray(program(*map(Tensor, values))).sum())

    for n, found in enumerate(way(program, *arrays)):
        for place in range(2):
            step = [np.zeros(2), np.zeros(2)]
            step[n][place] = 1e-6
            up = value(*(a + s for a, s in zip(arrays, step, strict=True)))
            down = value(*(a - s for a, s in zip(arrays, step, strict=True)))
            assert found[place] == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-6)


# --- arrays of which nothing was recorded ---------------------------------------------


def test_gradients_come_in_by_a_write() -> None:
    """Gradients come in by a write."""
    x = leaf(1.0, 2.0)
    whole = Tensor(np.zeros(3))
    early = whole[1:]
    whole[1] = x[0] * 2
    whole.mul_(3)
    assert whole.requires_grad
    assert early.requires_grad
    early.sum().backward()
    assert grad_of(x) == [6.0, 0.0]


def test_write_to_a_view_reaches_its_base_and_its_other_views() -> None:
    """Write to a view reaches its base and its other views."""
    x = leaf(1.0, 2.0)
    whole = Tensor(np.zeros((2, 2)))
    rows, corner = whole.split(1), whole[0, 0]
    whole.T[0].copy_(x)
    (corner + rows[1].sum()).backward()
    assert grad_of(x) == [1.0, 1.0]


def test_detached_array_gives_its_source_no_gradient() -> None:
    """Detached array gives its source `no_grad`ient."""
    x = leaf(1.0, 2.0)
    b = x * 1
    b.detach().mul_(x)
    b.sum().backward()
    assert grad_of(x) == [1.0, 1.0]


def test_view_made_in_no_grad_is_a_view() -> None:
    """View made in `no_grad` is a view."""
    x = leaf(1.0, 2.0)
    b = x * 1
    with no_grad():
        v = b[0]
    assert not v.requires_grad
    v.mul_(x[1])
    b.sum().backward()
    assert grad_of(x) == [2.0, 2.0]


def test_view_of_views_is_as_deep_as_memory_allows() -> None:
    """View of views is as deep as memory allows."""
    x = leaf(1.0, 2.0)
    b = x * 1
    v = b
    for _ in range(3000):
        v = v.view([2])
    v.mul_(2)
    b.sum().backward()
    assert grad_of(x) == [2.0, 2.0]


def test_write_that_would_lose_a_gradient_is_refused() -> None:
    """Inside a transform what does not depend on its arguments is a plain array."""

    def lost(x: Any) -> Any:
        made = ops.zeros_like(x)
        ops.copy_(made, x)
        return made.sum()

    def lost_in_numpy(x: Any) -> Any:
        made = np.zeros(2)
        made[0] = x[0]
        return made.sum()

    for way in (grad, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(errors.InPlaceError, match=r"0 \* x"):
            way(lost)(np.ones(2))
        with pytest.raises((TypeError, ValueError), match=r"recorded|sequence"):
            way(lost_in_numpy)(np.ones(2))


def test_out_is_refused_where_it_would_be_recorded() -> None:
    """Out is refused where it would be recorded."""
    x = leaf(1.0)
    with pytest.raises(errors.NotDifferentiableError):
        ops.add(x, x, out=np.zeros(1))
    with no_grad():
        assert ops.add(x, x, out=np.zeros(1)).tolist() == [2.0]
