"""Python kernels where PyTorch's own ground is uneven: nested tensors, transforms."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

from keyslot import errors
from keyslot.runtime.kernel import Kernel, Site
from keyslot.torch import disable_python_dispatcher, enable_python_dispatcher

pytestmark = [
    # Of PyTorch itself: nested tensors are a prototype, transforms load decompositions.
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning"),
]

SITE = Site("edges.py", 1, "edges")
Function = Callable[..., Any]


@pytest.fixture
def sin(aten: Any) -> Iterator[list[str]]:
    """Put Python kernels at two keys of sin; yield the keys of the calls they get."""
    seen: list[str] = []

    def kernel_at(key: str) -> Kernel:
        def kernel(self: torch.Tensor) -> Any:
            seen.append(key)
            with disable_python_dispatcher():
                with enable_python_dispatcher():
                    pass
                return aten.sin.default(self)

        return Kernel(kernel, key, SITE)

    keys = ("AutogradCPU", "AutogradNestedTensor")
    undos = [aten.sin.default.register(kernel_at(key), python=True) for key in keys]
    yield seen
    for undo in undos:
        undo()


def test_nested_tensors_after_plain_ones(aten: Any, sin: list[str]) -> None:
    """The handler of the last call is tried on tensors without strides, too."""
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    expected = torch.sin(nested)
    with enable_python_dispatcher():
        for given in (torch.ones(2), nested, torch.ones(2)):
            results = [aten.sin.default(given) for _ in range(20)]
            assert results[-1].is_nested == given.is_nested
        again = aten.sin.default(nested)
        mapped = torch.vmap(aten.sin.default)(nested)
    for result in (again, mapped):
        pairs = zip(result.unbind(), expected.unbind(), strict=True)
        assert all(torch.equal(one, other) for one, other in pairs)
    assert set(sin) == {"AutogradCPU", "AutogradNestedTensor"}


class Counting(TorchFunctionMode):  # type: ignore[misc]  # PyTorch has no types here
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.asked.append(func)
        return func(*args, **(kwargs or {}))


def test_modes_are_asked_of_the_call_alone(aten: Any, sin: list[str]) -> None:
    """What keyslot wants to know of a tensor goes past modes, cached or not."""
    given = torch.ones(2)
    with enable_python_dispatcher():
        for _ in range(20):
            aten.sin.default(given)
            with Counting() as counting:
                aten.sin.default(given)
            assert counting.asked == [torch.ops.aten.sin.default]
    assert len(sin) == 40


def product(x: torch.Tensor) -> torch.Tensor:
    """Return a number that has second derivatives everywhere."""
    return (x * torch.sin(x)).sum()


TRANSFORMS: dict[str, Function] = {
    "grad": torch.func.grad(product),
    "grad of grad": torch.func.grad(lambda x: torch.func.grad(product)(x).sum()),
    "vmap of grad": torch.func.vmap(torch.func.grad(product)),
    "jacobian": torch.func.jacrev(torch.sin),
    "jvp": lambda x: torch.func.jvp(product, (x,), (x,))[1],
    "hessian": torch.func.hessian(product),
    "functionalize": torch.func.functionalize(lambda x: x.sin().mul_(2)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_kernels_that_go_on_without_the_dispatcher(name: str, sin: list[str]) -> None:
    """Inside of transforms PyTorch restores key sets that have the dispatcher's key."""
    transform = TRANSFORMS[name]
    given = torch.linspace(0.1, 1, 3)
    before = torch._C._dispatch_tls_local_include_set()
    expected = transform(given)
    with enable_python_dispatcher():
        result = transform(given)
    assert torch.allclose(result, expected)
    assert "AutogradCPU" in sin
    assert torch._C._dispatch_tls_local_include_set() == before


@pytest.fixture
def other_aten(aten: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """PyTorch's operators once more, as a package of another name."""
    file = Path(str(aten.__file__))
    locations = [str(file.parent)]
    spec = spec_from_file_location(
        "other_aten", file, submodule_search_locations=locations
    )
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "other_aten", module)
    spec.loader.exec_module(module)
    return module


def test_packages_share_their_operators(
    aten: Any, other_aten: Any, sin: list[str]
) -> None:
    """PyTorch has one operator, so a Python kernel is there by way of all packages."""
    assert other_aten.sin is not aten.sin
    given = torch.ones(2)
    with enable_python_dispatcher():
        for call in (aten.sin, other_aten.sin, other_aten.sin.default, torch.sin):
            call(given)
    assert sin == ["AutogradCPU"] * 4
    with pytest.raises(errors.DuplicateKernelError):
        other_aten.sin.default.py_impl("AutogradCPU")(torch.sin)


@pytest.mark.parametrize("inside", ["aten", "torch"])
def test_endless_recursion_is_told_as_a_circle(aten: Any, inside: str) -> None:
    """Also where a kernel calls itself by way of C++."""
    again: Function = torch.sinh if inside == "torch" else aten.sinh.default

    def kernel(self: torch.Tensor) -> Any:
        return again(self)

    undo = aten.sinh.default.register(Kernel(kernel, "CPU", SITE), python=True)
    with enable_python_dispatcher(), pytest.raises(errors.DispatchRecursionError):
        torch.sinh(torch.ones(2))
    undo()


def test_a_backend_kernel_makes_a_composite_give_way_everywhere(aten: Any) -> None:
    """A kernel at another key decides what the first key has, from C++ as well."""
    x = torch.ones(2)
    seen: list[str] = []

    def square(self: torch.Tensor) -> torch.Tensor:
        seen.append("CPU")
        return self.clone()

    op = aten.square.default
    kernel = Kernel(square, "CPU", Site("here", 1, "test"))
    with op.register(kernel, python=True), enable_python_dispatcher(), torch.no_grad():
        for call in (op, aten.square, torch.square, torch.ops.aten.square.default):
            call(x)
            assert seen.pop() == "CPU"
    with enable_python_dispatcher():
        torch.square(x)
    assert seen == []
