"""`Tensor` in Python and with other libraries: conversions, operators, backends."""

# Programs are lambdas here, and pyright knows nothing of what they are called with.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownMemberType=none
# Whether there is a gradient is what is tested.
# pyright: reportOptionalMemberAccess=none

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from keyslot import Library, Tensor, errors, ops, register_array_type
from keyslot.transforms import grad, no_grad, vmap

from .test_autograd import grad_of, leaf

# --- conversions ----------------------------------------------------------------------


def test_arrays_of_numpy_share_memory_where_they_can() -> None:
    """Arrays of NumPy share memory where they can."""
    array = np.ones((2, 2))
    tensor = Tensor(array)
    for made in (np.asarray(tensor), tensor.numpy(), np.from_dlpack(tensor)):
        assert np.shares_memory(made, array)
    copied = np.array(tensor)
    assert not np.shares_memory(copied, array)
    assert np.asarray(tensor, dtype="float32").dtype == np.float32
    assert np.concatenate([tensor, array]).shape == (4, 2)


@pytest.mark.parametrize(
    "convert",
    [np.asarray, lambda x: x.numpy(), np.from_dlpack, lambda x: x.__array__()],
)
def test_conversions_lose_no_gradients(convert: Any) -> None:
    """Conversions lose `no_grad`ients."""
    for tensor in (leaf(1.0), leaf(1.0) * 2):
        with pytest.raises(errors.TransformedValueError, match="detach"):
            convert(tensor)
        assert convert(tensor.detach()).shape == (1,)
    with pytest.raises(errors.TransformedValueError):
        grad(lambda x: convert(x).sum())(np.ones(1))
    with pytest.raises((errors.TransformedValueError, BufferError)):
        vmap(convert)(np.ones((2, 1)))


def test_numbers_of_python() -> None:
    """Numbers of Python."""
    tensor = Tensor(np.array(2.5))
    assert (float(tensor), int(tensor), complex(tensor), bool(tensor)) == (
        2.5,
        2,
        2.5,
        True,
    )
    assert (tensor.item(), tensor.tolist()) == (2.5, 2.5)
    assert Tensor(np.array([[1, 2]])).tolist() == [[1, 2]]
    assert [10, 20, 30][Tensor(np.array(1))] == 20
    for attempt in (
        lambda: [10][Tensor(np.array(0.0))],
        lambda: float(Tensor(np.ones(2))),
        lambda: bool(Tensor(np.ones(2))),
        lambda: len(tensor),
        lambda: [*tensor],
    ):
        with pytest.raises((TypeError, ValueError)):
            attempt()


def test_tensors_are_sequences() -> None:
    """Tensors are sequences."""
    tensor = Tensor(np.arange(6).reshape(2, 3))
    assert len(tensor) == 2
    assert [row.tolist() for row in tensor] == [[0, 1, 2], [3, 4, 5]]
    assert [row.tolist() for row in reversed(tensor)] == [[3, 4, 5], [0, 1, 2]]
    assert 4 in tensor
    assert 6 not in tensor
    assert tensor.T.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert (tensor.dim(), tensor.size(), tensor.size(-1), tensor.numel()) == (
        2,
        (2, 3),
        3,
        6,
    )
    with pytest.raises(AttributeError):
        tensor.note = "one"  # type: ignore[attr-defined]  # there is none


def test_repr_shows_elements_and_what_is_recorded() -> None:
    """Repr shows elements and what is recorded."""
    assert repr(Tensor(np.array([1, 2]))) == "Tensor(array([1, 2]))"
    assert repr(leaf(1.0)) == "Tensor(array([1.]), requires_grad=True)"
    assert repr(leaf(1.0) * 2).endswith("grad_fn=<Node keyslot::mul.Scalar>)")
    assert (
        repr(Tensor(np.eye(2))).splitlines()[1].startswith(" " * len("Tensor(array(["))
    )


# --- operators ------------------------------------------------------------------------

NUMBERS = [2, 0.5, np.float64(2.0), np.float32(0.5), np.int64(3)]
OPERATORS = ["add", "sub", "mul", "truediv", "pow", "eq", "lt", "ge"]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("other", [*NUMBERS, np.array([2.0, 3.0])])
def test_operators_take_what_numpy_has_on_either_side(name: str, other: Any) -> None:
    """Operators take what NumPy has on either side."""
    function = getattr(operator, name)
    array = np.array([1.5, 2.5])
    for left, right in ((array, other), (other, array)):
        expected = function(left, right)
        wrapped = [Tensor(one) if one is array else one for one in (left, right)]
        found = function(*wrapped)
        assert isinstance(found, Tensor)
        np.testing.assert_allclose(found.value, expected)


def test_functions_of_numpy_refuse_rather_than_lose_gradients() -> None:
    """Functions of NumPy refuse rather than lose gradients."""
    x = leaf(1.0, 2.0)
    for attempt in (
        lambda: np.add(x, 1),
        lambda: np.exp(x),
        lambda: np.concatenate([x, x]),
    ):
        with pytest.raises(TypeError):
            attempt()
    array = np.ones(2)
    with pytest.raises(TypeError):
        array += x
    assert (np.ones((2, 2)) @ x).requires_grad


def test_results_without_dimensions_can_be_written_to() -> None:
    """NumPy returns numbers for them, which cannot be."""
    total = Tensor(np.ones(2)).sum()
    view = total.view([1])
    total += 1
    view.mul_(2)
    total[()] += 1
    assert (total.item(), view.tolist()) == (7.0, [7.0])


# --- another backend ------------------------------------------------------------------


class Own:
    """An array of a backend that knows three operators."""

    def __init__(self, data: Any) -> None:
        self.data = np.asarray(data)
        self.shape = self.data.shape
        self.ndim = self.data.ndim
        self.dtype = self.data.dtype


def data_of(value: Any) -> Any:
    """Return what is in an array, or a number as it is."""
    return value.data if isinstance(value, Own) else value


def own_kernels() -> dict[str, Any]:
    """Return the kernels of the backend, by overload."""
    return {
        "mul.Tensor": lambda x, y: Own(data_of(x) * data_of(y)),
        "mul.Scalar": lambda x, y: Own(x.data * y),
        "add.Tensor": lambda x, y, *, alpha: Own(data_of(x) + alpha * data_of(y)),
        "sum": lambda x, *, dtype: Own(x.data.sum(dtype=dtype)),
        "sum.dim_IntList": lambda x, dim, keepdim, *, dtype: Own(
            x.data.sum(tuple(dim), keepdims=keepdim)
        ),
    }


def expanded(data: Any, size: Any) -> Any:
    """Return what ``expand`` does: -1 keeps the size of a dimension."""
    known = (1,) * (len(size) - data.ndim) + data.shape
    sizes = [old if new == -1 else new for new, old in zip(size, known, strict=True)]
    return np.broadcast_to(data, sizes)


def more_kernels() -> dict[str, Any]:
    """Return what gradients need besides."""
    return {
        "full_like": lambda x, value, **_: Own(np.full_like(x.data, value)),
        "expand": lambda x, size, *, implicit: Own(expanded(x.data, size)),
        "clone": lambda x, *, memory_format: Own(x.data.copy()),
        "unsqueeze": lambda x, dim: Own(np.expand_dims(x.data, dim)),
    }


def registered(kernels: dict[str, Any]) -> Library:
    """Return a Library that has registered kernels of the backend."""
    library = Library("keyslot", "IMPL")
    for name, kernel in kernels.items():
        library.impl(name, kernel, "PrivateUse1")
    return library


@pytest.fixture
def own() -> Iterator[None]:
    """Register the array class and its kernels while the test runs."""
    with register_array_type(Own, "PrivateUse1"), registered(own_kernels()):
        yield


@pytest.mark.usefixtures("own")
def test_tensor_over_arrays_of_another_backend() -> None:
    """Tensor over arrays of another backend."""
    x = Tensor(Own([1.0, 2.0]))
    made = (x * x + x * 3).sum()
    assert (type(made.value), made.value.data) == (Own, 14.0)
    assert "PrivateUse1" in repr(x)
    assert made.keys == x.keys
    with pytest.raises(errors.TransformedValueError, match="Own"):
        x.numpy()


@pytest.mark.usefixtures("own")
def test_vmap_over_arrays_of_another_backend() -> None:
    """Vmap over arrays of another backend."""
    rows = vmap(lambda x: (x * x).sum())(Own([[1.0, 2.0], [3.0, 4.0]]))
    assert rows.data.tolist() == [5.0, 25.0]


@pytest.mark.usefixtures("own")
def test_missing_kernel_of_a_gradient_is_named() -> None:
    """Missing kernel of a gradient is named."""
    with pytest.raises(errors.NoKernelError, match=r"full_like.*PrivateUse1"):
        grad(lambda x: (x * x).sum())(Own([1.0, 2.0]))


@pytest.mark.usefixtures("own")
def test_gradients_over_arrays_of_another_backend() -> None:
    """Gradients over arrays of another backend."""
    with registered(more_kernels()):
        assert grad(lambda x: (x * x).sum())(Own([1.0, 2.0])).data.tolist() == [
            2.0,
            4.0,
        ]
        x = Tensor(Own([1.0, 2.0]), requires_grad=True)
        (x * x * 3).sum().backward()
        assert x.grad is not None
        assert x.grad.value.data.tolist() == [6.0, 12.0]
        twice = grad(lambda x: (grad(lambda x: (x * x * x).sum())(x)).sum())
        assert twice(Own([1.0, 2.0])).data.tolist() == [6.0, 12.0]
        rows = vmap(grad(lambda x: (x * x).sum()))(Own([[1.0, 2.0]]))
        assert rows.data.tolist() == [[2.0, 4.0]]


@pytest.mark.usefixtures("own")
def test_arrays_of_two_backends_are_not_mixed() -> None:
    """Arrays of two backends are not mixed."""
    for x in (Own([1.0]), Tensor(Own([1.0]))):
        for y in (np.ones(1), Tensor(np.ones(1))):
            with pytest.raises(errors.MixedBackendsError):
                ops.mul(x, y)


def test_what_is_of_no_backend_is_refused() -> None:
    """What is of no backend is refused."""
    for value in ([1.0], 1.0, "text", None, Own([1.0])):
        with pytest.raises(errors.NotAnArrayError):
            Tensor(value)
    with no_grad():
        assert grad_of(leaf(1.0)) is None
