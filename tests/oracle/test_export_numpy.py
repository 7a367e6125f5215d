"""NumPy's kernels serve tensors in the memory of the CPU, without copying them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from keyslot import Library, errors


@contextmanager
def replaced(
    package: ModuleType, name: str, kernel: Callable[..., Any]
) -> Generator[None]:
    """Put another kernel of NumPy on top of the one of an operator."""
    overload = getattr(package, name).default
    with Library("exported", "IMPL") as library:
        library.impl(overload, kernel, "NumPy", override=True)
        yield


def address(array: np.ndarray[Any, Any]) -> int:
    """Return where the elements of an array begin in memory."""
    return int(array.__array_interface__["data"][0])


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(6.0),
        torch.arange(12.0).reshape(3, 4).t(),
        torch.arange(12.0)[1::3],
        torch.tensor(2.0),
        torch.arange(6.0, requires_grad=True),
        torch.arange(6, dtype=torch.int8),
        torch.arange(6, dtype=torch.float16),
        torch.ones(6, dtype=torch.complex64),
    ],
    ids=[
        "plain",
        "transposed",
        "strided",
        "0-d",
        "gradient",
        "int8",
        "half",
        "complex",
    ],
)
def test_kernel_gets_the_memory_of_the_tensor(
    exported_ops: ModuleType, tensor: torch.Tensor
) -> None:
    """An argument is not copied, and neither is a result that a kernel made."""
    seen: list[np.ndarray[Any, Any]] = []

    def kernel(self: np.ndarray[Any, Any], by: Any) -> Any:
        seen.extend([self, np.full(self.shape, by, self.dtype)])
        return seen[-1]

    with replaced(exported_ops, "scale", kernel):
        result = torch.ops.exported.scale(tensor, 3)
    given, made = seen
    assert address(given) == tensor.data_ptr()
    assert given.shape == tensor.shape
    assert result.data_ptr() == address(made)
    assert result.dtype == tensor.dtype


@pytest.mark.parametrize(
    "kernel",
    [
        lambda self, by: self,
        lambda self, by: self[::-1],
        lambda self, by: np.broadcast_to(self[:1], self.shape),
        lambda self, by: self.astype(self.dtype.newbyteorder()),
        lambda self, by: np.asfortranarray(np.ones((3, 4))),
    ],
    ids=["the argument", "a view", "read-only", "byte order", "Fortran's order"],
)
def test_result_that_pytorch_could_not_have_is_copied(
    exported_ops: ModuleType, kernel: Callable[..., Any]
) -> None:
    """What a kernel returns becomes contiguous memory of its own, in native order."""
    tensor = torch.arange(12.0).reshape(3, 4)
    with replaced(exported_ops, "scale", kernel):
        result = torch.ops.exported.scale(tensor, 3)
    assert result.data_ptr() != tensor.data_ptr()
    assert result.is_contiguous()
    np.testing.assert_array_equal(result.numpy(), kernel(tensor.numpy(), 3))


def test_two_results_share_no_memory(exported_ops: ModuleType) -> None:
    """Of two results in one array the second is copied."""

    def kernel(self: np.ndarray[Any, Any]) -> Any:
        made = self.copy()
        return made, made

    with replaced(exported_ops, "extent", kernel):
        low, high = torch.ops.exported.extent(torch.arange(3.0))
    assert low.data_ptr() != high.data_ptr()
    assert torch.equal(low, high)


def test_results_are_what_the_schema_says(exported_ops: ModuleType) -> None:
    """NumPy's scalars become tensors without dimensions, or numbers of Python."""
    low, high = torch.ops.exported.extent(torch.arange(3.0))
    assert (low.shape, low.item(), high.item()) == ((), 0.0, 2.0)
    assert type(torch.ops.exported.count(torch.ones(2, 3))) is int
    assert [len(half) for half in torch.ops.exported.halves(torch.ones(5))] == [2, 3]


@pytest.mark.parametrize(
    ("result", "what"),
    [
        (np.array(["text"]), "numpy.ndarray of dtype <U4"),
        (np.array(["2026-01-01"], "M8[D]"), "numpy.ndarray of dtype datetime64[D]"),
    ],
    ids=["text", "dates"],
)
def test_result_that_is_no_tensor_is_refused(
    exported_ops: ModuleType, result: Any, what: str
) -> None:
    """A kernel that returns what PyTorch has no dtype for is named."""
    with (
        replaced(exported_ops, "scale", lambda self, by: result),
        pytest.raises(errors.DtypeError) as caught,
    ):
        torch.ops.exported.scale(torch.ones(2))
    assert str(caught.value) == (
        f"exported::scale: its kernel returned {what}, which PyTorch does not have"
    )


def test_write_reaches_the_tensor(exported_ops: ModuleType) -> None:
    """In-place and out= functions write to the given memory, and return that tensor."""
    whole = torch.arange(6.0)
    part = whole[::2]
    assert torch.ops.exported.scale_(part, 10) is part
    assert whole.tolist() == [0.0, 1.0, 20.0, 3.0, 40.0, 5.0]
    out = torch.zeros(3)
    version = out._version
    assert torch.ops.exported.scale.out(part, 2, out=out) is out
    assert out.tolist() == [0.0, 40.0, 80.0]
    assert out._version > version


def test_what_autograd_kept_does_not_change_unseen(exported_ops: ModuleType) -> None:
    """A write to a tensor that a gradient needs is found when it is asked for."""
    x = torch.ones(3, requires_grad=True)
    kept = torch.full((3,), 2.0)
    product = (x * kept).sum()
    torch.ops.exported.scale_(kept, 10)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_conjugate_and_negative_bits_are_resolved(exported_ops: ModuleType) -> None:
    """Tensors that only say that they are conjugated or negated come as they look."""
    z = torch.tensor([1 + 2j, 3 - 4j])
    assert torch.equal(
        torch.ops.exported.scale(z.conj(), 2), z.conj().resolve_conj() * 2
    )
    assert torch.equal(torch.ops.exported.scale(z.conj().imag, 2), -2 * z.imag)
    conjugated = z.clone().conj()
    torch.ops.exported.scale_(conjugated, 2)
    assert torch.equal(conjugated.resolve_conj(), (2 * z).conj().resolve_conj())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn])
def test_dtype_that_numpy_lacks_is_refused(
    exported_ops: ModuleType, dtype: torch.dtype
) -> None:
    """The message names argument, operator and dtype, and says what to do."""
    name = str(dtype).removeprefix("torch.")
    remedy = (
        f"is {name}, which NumPy does not have, and the kernel is NumPy's: convert it,"
        " to float32 say, or name a kernel for CPU under torch: kernels"
    )
    with pytest.raises(errors.DtypeError) as caught:
        torch.ops.exported.scale(torch.ones(2).to(dtype), 2)
    assert str(caught.value) == f"self of exported::scale {remedy}"
    with pytest.raises(errors.DtypeError) as caught:
        torch.ops.exported.cast(torch.ones(2), dtype=dtype)
    assert str(caught.value) == f"dtype of exported::cast {remedy}"


def test_write_to_elements_that_are_one_is_refused(exported_ops: ModuleType) -> None:
    """NumPy would write to such a tensor as if it had separate elements."""
    with pytest.raises(ValueError) as caught:
        torch.ops.exported.scale_(torch.ones(1).expand(3), 2)
    assert str(caught.value) == (
        "exported::scale_: several elements of self are one place of memory, as after"
        " expand(): pass clone() of it"
    )


def test_other_devices_are_not_numpys(exported_ops: ModuleType) -> None:
    """Without a kernel for its device PyTorch says which devices there are."""
    sparse = torch.eye(2).to_sparse()
    with pytest.raises(NotImplementedError, match="CPU"):
        torch.ops.exported.scale(sparse, 2)
