"""Array classes that decide about calls themselves, with ``__keyslot_dispatch__``."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from keyslot import Tensor, ops
from keyslot.runtime.errors import GradientInputError, MixedBackendsError
from keyslot.transforms import DispatchMode, functionalize, grad, jvp, make_fx, vmap

X = np.arange(1.0, 7.0).reshape(2, 3)


class Noting(np.ndarray[Any, Any]):
    """An array of NumPy that notes the calls it is in."""

    seen: ClassVar[list[tuple[str, list[str]]]] = []

    @classmethod
    def __keyslot_dispatch__(
        cls, op: Any, types: tuple[type, ...], args: Any, kwargs: Any
    ) -> Any:
        cls.seen.append((op.schema.name, [kind.__name__ for kind in types]))
        result = op(*map(plain, args), **kwargs)
        return result.view(cls) if isinstance(result, np.ndarray) else result


class Derived(Noting):
    """A subclass that inherits the method."""


class Modest(Noting):
    """A subclass that leaves everything to others."""

    @classmethod
    def __keyslot_dispatch__(cls, *call: Any) -> Any:
        return NotImplemented


class Scaled:
    """No array of any library: a number of times an array."""

    def __init__(self, array: Any, times: float) -> None:
        self.array = array
        self.times = times

    @classmethod
    def __keyslot_dispatch__(
        cls, op: Any, types: tuple[type, ...], args: Any, kwargs: Any
    ) -> Any:
        if op is ops.neg.default:
            return Scaled(args[0].array, -args[0].times)
        return op(*map(materialised, args), **kwargs)


class NotingTensor(Tensor):
    """A Tensor that decides for itself."""

    __slots__ = ()

    @classmethod
    def __keyslot_dispatch__(
        cls, op: Any, types: tuple[type, ...], args: Any, kwargs: Any
    ) -> Any:
        return cls(op(*(a.value if type(a) is cls else a for a in args), **kwargs))


def plain(value: Any) -> Any:
    """Return arrays as plain ones, in lists too."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    return np.asarray(value) if isinstance(value, Noting) else value


def materialised(value: Any) -> Any:
    """Return scaled arrays as plain ones, in lists too."""
    if isinstance(value, list):
        return [materialised(item) for item in value]
    return value.array * value.times if isinstance(value, Scaled) else value


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    Noting.seen.clear()


def test_subclass_of_numpys_arrays() -> None:
    """It gets the calls that it is in at any place, also in a list, and no others."""
    x = X.view(Noting)
    ops.mul(X, X)
    for found in (ops.mul(x, X), ops.mul(X, x), ops.mul(x, x)):
        assert type(found) is Noting
        np.testing.assert_array_equal(np.asarray(found), X * X)
    assert type(ops.cat([X, x])) is Noting
    assert type(ops.mul(x, 2)) is Noting
    assert Noting.seen == [("mul", ["Noting"])] * 3 + [
        ("cat", ["Noting"]),
        ("mul", ["Noting"]),
    ]


def test_subclass_comes_before_its_base() -> None:
    """Wherever they stand."""
    base, derived = X.view(Noting), X.view(Derived)
    for args in ((base, derived), (derived, base)):
        assert type(ops.mul(*args)) is Derived
    assert Noting.seen == [("mul", ["Derived", "Noting"])] * 2
    assert type(ops.cat([base, X, derived])) is Derived


def test_class_that_refuses_gives_way() -> None:
    """To the next one."""
    assert type(ops.mul(X.view(Modest), X.view(Noting))) is Noting
    assert Noting.seen == [("mul", ["Modest", "Noting"])]


def test_unrelated_classes_are_asked_from_left_to_right() -> None:
    """The first that does not refuse decides."""
    found = ops.mul(Scaled(X, 2.0), X.view(Noting))
    assert type(found) is Noting
    assert Noting.seen == [("mul", ["Noting"])]  # asked by what Scaled calls


def test_foreign_class() -> None:
    """No library need know it."""
    scaled = Scaled(X, 2.0)
    assert ops.neg(scaled).times == -2.0  # type: ignore[attr-defined]  # its own class
    np.testing.assert_array_equal(ops.mul(scaled, X), 2 * X * X)
    np.testing.assert_array_equal(ops.cat([X, scaled]), np.concatenate([X, 2 * X]))
    np.testing.assert_allclose(ops.softmax(scaled, -1), ops.softmax(2 * X, -1))


def test_classes_see_what_composites_are_made_of() -> None:
    """All of them, whether they belong to a library or not."""
    ops.softmax(X.view(Noting), -1)
    seen: list[str] = []

    class Foreign:
        @classmethod
        def __keyslot_dispatch__(cls, op: Any, *call: Any) -> Any:
            seen.append(op.schema.name)
            return X

    ops.softmax(Foreign(), -1)
    assert [name for name, _ in Noting.seen] == seen == ["_softmax"]


def test_subclass_of_tensors() -> None:
    """Methods and operators of Python go to it as well, and mixed calls."""
    x = NotingTensor(X)
    leaf = Tensor(X, requires_grad=True)
    for found in (x * x, x.mul(x), X * x, x * Tensor(X), ops.mul(Tensor(X), x)):
        assert type(found) is NotingTensor
        np.testing.assert_array_equal(found.numpy(), X * X)
    recorded = ops.mul(leaf, x)
    ops.sum(recorded).backward(Tensor(np.ones(())))
    assert leaf.grad is not None
    np.testing.assert_array_equal(leaf.grad.numpy(), X)


def test_subclass_of_tensors_that_requires_gradients() -> None:
    """A Tensor around it does: nothing is recorded of the inside of it."""
    with pytest.raises(GradientInputError, match="a Tensor around a NotingTensor"):
        NotingTensor(X, requires_grad=True)
    leaf = Tensor(NotingTensor(X), requires_grad=True)
    ops.sum(ops.sin(leaf)).backward()
    assert leaf.grad is not None
    assert type(leaf.grad) is NotingTensor
    np.testing.assert_allclose(leaf.grad.numpy(), np.cos(X))


@pytest.mark.parametrize("kind", [lambda x: x.view(Noting), NotingTensor])
def test_transforms_of_such_arrays(kind: Any) -> None:
    """They get the calls below gradients, batches and the rest."""
    x = kind(X)
    cls = type(x)
    found = {
        "grad": (grad(lambda x: ops.sum(ops.sin(x)))(x), np.cos(X)),
        "vmap": (vmap(lambda x: ops.mul(x, 2))(x), 2 * X),
        "jvp": (jvp(ops.sin, (x,), (x,))[1], X * np.cos(X)),
        "functionalize": (functionalize(ops.sin)(x), np.sin(X)),
        "vmap of grad": (
            vmap(grad(lambda x: ops.sum(ops.sin(x))))(x),
            np.cos(X),
        ),
    }
    for name, (result, expected) in found.items():
        assert type(result) is cls, name
        values = result.numpy() if isinstance(result, Tensor) else np.asarray(result)
        np.testing.assert_allclose(values, expected, err_msg=name)


def test_traced_with_such_arrays() -> None:
    """The tracer is asked first, and what runs decides again."""
    graph = make_fx(lambda x: ops.mul(x, 2))(X.view(Noting))
    assert [node.op.name for node in graph.nodes] == ["keyslot::mul.Scalar"]
    Noting.seen.clear()
    assert type(graph(X.view(Noting))) is Noting
    assert Noting.seen == [("mul", ["Noting"])]


def test_modes_come_before_classes() -> None:
    """They are told of the classes, and see what those call in turn."""
    told: list[Any] = []

    class Telling(DispatchMode):
        def __keyslot_dispatch__(
            self, op: Any, types: Any, args: Any, kwargs: Any
        ) -> Any:
            told.append(types)
            return NotImplemented if types else op(*args, **kwargs)

    with Telling():
        assert type(ops.mul(X.view(Noting), X)) is Noting
    assert told == [(Noting,), ()]


def test_arrays_of_two_libraries_are_mixed_all_the_same() -> None:
    """What a class calls itself is checked as any other call."""

    class Torchlike:
        @classmethod
        def __keyslot_dispatch__(
            cls, op: Any, types: Any, args: Any, kwargs: Any
        ) -> Any:
            torch = pytest.importorskip("torch")
            return op(X, torch.ones(3))

    with pytest.raises(MixedBackendsError):
        ops.mul(Torchlike(), X)
