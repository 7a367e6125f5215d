"""What gradients leave behind: no state, no cycles, no memory."""

# Programs are lambdas here, and pyright knows nothing of what they are called with.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownMemberType=none

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from keyslot import Library, Tensor, errors, ops
from keyslot.transforms import checkpoint, grad, jacfwd, jacrev, jvp, no_grad, vjp, vmap

from .calling import define
from .test_autograd import grad_of, leaf


def is_recording() -> bool:
    """Whether a call with a leaf is recorded."""
    return bool((leaf(1.0) * 2).requires_grad)


# --- no_grad --------------------------------------------------------------------------


def test_no_grad_is_a_context_and_a_decorator() -> None:
    """`no_grad` is a context and a decorator."""

    @no_grad()
    def decorated() -> bool:
        return is_recording()

    context = no_grad()
    with context, context:
        assert not is_recording()
    assert not decorated()
    assert is_recording()


def test_no_grad_holds_for_the_innermost_transform() -> None:
    """`no_grad` holds for the innermost transform."""

    def constant_factor(x: Any) -> Any:
        with no_grad():
            factor = (x * x).sum()
        return (x * factor).sum()

    x = np.array([1.0, 2.0])
    assert grad(constant_factor)(x).tolist() == [5.0, 5.0]
    assert grad(lambda x: grad(constant_factor)(x).sum())(x).tolist() == [4.0, 8.0]
    assert vmap(grad(constant_factor))(x[None]).tolist() == [[5.0, 5.0]]
    with no_grad():
        assert grad(constant_factor)(x).tolist() == [5.0, 5.0]
        assert jvp(lambda x: x * x, (x,), (x,))[1].tolist() == [2.0, 8.0]


def test_no_grad_around_a_part_of_a_transform_is_seen_outside_it() -> None:
    """`no_grad` around a part of a transform is seen outside it."""
    x = leaf(1.0)
    with no_grad():
        inner = grad(lambda y: (y * y * x).sum())(np.array([3.0]))
    assert not inner.requires_grad
    assert grad(lambda y: (y * y * x).sum())(np.array([3.0])).requires_grad


def test_threads_and_tasks_have_states_of_their_own() -> None:
    """Threads and tasks have states of their own."""
    with no_grad(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(is_recording).result()

    async def quiet() -> bool:
        with no_grad():
            await asyncio.sleep(0)
            return is_recording()

    async def loud() -> bool:
        await asyncio.sleep(0)
        return is_recording()

    async def both() -> list[bool]:
        return list(await asyncio.gather(quiet(), loud(), quiet()))

    assert asyncio.run(both()) == [False, True, False]


def test_many_threads_differentiate_at_once() -> None:
    """Many threads differentiate at once."""
    barrier = threading.Barrier(4)

    def work(number: int) -> tuple[list[float], list[float]]:
        barrier.wait()
        x = leaf(float(number))
        for _ in range(50):
            (x * x).sum().backward()
        return (
            grad_of(x),
            grad(lambda x: (x**3).sum())(np.array([number + 0.0])).tolist(),
        )

    with ThreadPoolExecutor(4) as pool:
        for number, found in enumerate(pool.map(work, range(4))):
            assert found == ([100.0 * number], [3.0 * number**2])


# --- errors ---------------------------------------------------------------------------


def failing(*_: Any) -> Any:
    """Raise what the test looks for."""
    raise ZeroDivisionError


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: grad(failing)(np.ones(1)),
        lambda: vjp(failing, np.ones(1)),
        lambda: jvp(failing, (np.ones(1),), (np.ones(1),)),
        lambda: jacrev(failing)(np.ones(1)),
        lambda: jacfwd(failing)(np.ones(1)),
        lambda: checkpoint(failing)(leaf(1.0)),
        lambda: grad(lambda x: grad(failing)(x))(np.ones(1)),
        no_grad()(failing),
    ],
)
def test_errors_in_functions_leave_the_state_as_it_was(
    attempt: Callable[[], Any],
) -> None:
    """Errors in functions leave the state as it was."""
    with pytest.raises(ZeroDivisionError):
        attempt()
    assert is_recording()
    assert ops.mul(np.ones(1), 2).tolist() == [2.0]


def test_errors_in_hooks_leave_the_state_as_it_was() -> None:
    """Errors in hooks leave the state as it was."""
    x = leaf(1.0)
    y = x * x
    undo = y.register_hook(failing)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward(retain_graph=True)
    assert x.grad is None
    undo()
    y.sum().backward(create_graph=True)
    assert is_recording()
    assert grad_of(x) == [2.0]


def test_operators_without_a_formula_raise_when_gradients_come(
    library: Library,
) -> None:
    """Operators without a formula raise when gradients come."""
    plain = define(library, "halved(Tensor self) -> Tensor", lambda x: x / 2)
    changing = define(
        library,
        "halve_(Tensor(a!) self) -> Tensor(a!)",
        lambda x: np.divide(x, 2, out=x),
    )
    view = define(library, "first(Tensor(a) self) -> Tensor(a)", lambda x: x[:1])

    def written(x: Any) -> Any:
        y = x * 1
        changing(y)
        return y

    for use in (plain, written, lambda x: view(x) * 1):
        assert use(leaf(2.0)).shape == (1,)
        with pytest.raises(errors.NotDifferentiableError):
            use(leaf(2.0)).sum().backward()
        with pytest.raises(errors.NotDifferentiableError):
            grad(lambda x, use=use: use(x).sum())(np.ones(1))
        with pytest.raises(errors.NotDifferentiableError):
            jvp(use, (np.ones(1),), (np.ones(1),))
        with no_grad():
            assert not use(leaf(2.0)).requires_grad
    # What was written to a view is found without its formula.
    x = leaf(2.0, 3.0)
    y = x * 1
    view(y).mul_(5)
    y.sum().backward()
    assert grad_of(x) == [5.0, 1.0]


def test_tensors_of_a_transform_do_not_escape() -> None:
    """Tensors of a transform do not escape."""
    kept: list[Any] = []

    def leaking(x: Any) -> Any:
        kept.append(x)
        return x.sum()

    def elsewhere(x: Any) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: x * 2).result()

    grad(leaking)(np.ones(2))
    vmap(leaking)(np.ones((1, 2)))
    jvp(leaking, (np.ones(2),), (np.ones(2),))
    for each in kept:
        assert "level" in repr(each)
        with pytest.raises(errors.EscapedTensorError, match="return it"):
            _ = each * 2
    for other in range(1, 3):
        with pytest.raises(errors.EscapedTensorError):
            grad(lambda x, other=other: (x * kept[-other]).sum())(np.ones(2))
    with pytest.raises(errors.EscapedTensorError):
        grad(elsewhere)(np.ones(2))


@pytest.mark.parametrize("ask", [lambda x: x.backward(), lambda x: x.requires_grad_()])
def test_gradients_of_tensors_are_asked_for_outside_transforms(ask: Any) -> None:
    """Gradients of tensors are asked for outside transforms."""

    def asking(x: Any) -> Any:
        ask(x[0] * 1)
        return x.sum()

    for transform in (vmap, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(errors.GradientInputError, match="transform"):
            transform(asking)(np.ones((2, 2)))
    with pytest.raises(errors.GradientInputError):
        grad(lambda x: (x[0].backward(), x.sum())[1])(np.ones(2))


@pytest.mark.parametrize("convert", [int, float, complex])
def test_numbers_are_not_made_of_what_is_differentiated(convert: Any) -> None:
    """NumPy makes one where such an array is written to one of its own."""
    with pytest.raises(errors.TransformedValueError, match="item"):
        grad(lambda x: x * convert(x))(np.array(1.0))
    assert convert(leaf(1.0).sum()) == 1
    assert grad(lambda x: x * x.item())(np.array(3.0)) == 3.0


# --- memory ---------------------------------------------------------------------------


def written(x: Any) -> Any:
    """Return a value of which parts were written to."""
    y = x * 1
    y[0] = x[1]
    return (y * y).sum()


@pytest.mark.parametrize(
    "use",
    [
        lambda: written(leaf(1.0, 2.0)).backward(),
        lambda: (leaf(1.0, 2.0) ** 2).exp().sum().backward(create_graph=True),
        lambda: grad(written)(np.ones(2)),
        lambda: vjp(written, np.ones(2))[1](np.ones(())),
        lambda: jvp(written, (np.ones(2),), (np.ones(2),)),
        lambda: jacrev(lambda x: x * x)(np.ones(2)),
        lambda: checkpoint(written)(leaf(1.0, 2.0)).backward(),
        lambda: vmap(grad(written))(np.ones((2, 2))),
    ],
)
def test_nothing_is_left_for_the_collector(use: Callable[[], Any]) -> None:
    """Nothing is left for the collector."""
    for _ in range(3):
        use()  # kernels are compiled, each once
    gc.collect()
    gc.disable()
    try:
        use()
        kinds = (Tensor, np.ndarray)
        before = [one for one in gc.get_objects() if isinstance(one, kinds)]
        gc.collect()
        after = [one for one in gc.get_objects() if isinstance(one, kinds)]
    finally:
        gc.enable()
    assert len(before) == len(after)


def test_graph_lives_as_long_as_its_results() -> None:
    """Graph lives as long as its results."""
    x = leaf(1.0)
    y = x * x
    inner = weakref.ref(y)
    z = y * 2
    del y
    assert inner() is None or z.requires_grad
    value = weakref.ref(z)
    z.sum().backward()
    del z
    assert (inner(), value()) == (None, None)


def test_deep_graphs_are_built_gone_through_and_freed() -> None:
    """As deep as memory allows; a million nodes take the same way."""
    x = leaf(1.0)
    y = x
    for _ in range(20_000):
        y = y + 1
    y.sum().backward()
    assert grad_of(x) == [1.0]
    w = leaf(1.0)
    b = w * 1
    for _ in range(2_000):
        b[0] += 1.0
    b.sum().backward()
    assert grad_of(w) == [1.0]
