"""Calls through `keyslot.torch.aten` in all states that PyTorch has for a thread.

Each scene is run with PyTorch's operators and with ours, the Python dispatcher off and
on, and all that can be seen is compared.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.testing._internal.logging_tensor import LoggingTensor
from torch.testing._internal.two_tensor import TwoTensor
from torch.utils._python_dispatch import TorchDispatchMode

from keyslot.torch import enable_python_dispatcher

from .outcomes import Outcome, differences, refusal, seen

Scene = Callable[[Any], Any]

pytestmark = pytest.mark.filterwarnings("ignore")


def vector(*, grad: bool = False) -> Any:
    """Return a tensor of three elements."""
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=grad)


class Log(TorchDispatchMode):  # type: ignore[misc] # unknown without torch
    """Notes the operators that come to it, and goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.met: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Note an operator, and call it."""
        self.met.append(str(func))
        return func(*args, **(kwargs or {}))


class FunctionLog(TorchFunctionMode):  # type: ignore[misc] # unknown without torch
    """Notes how many functions come to it, and goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.met = 0

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Note a function, and call it."""
        self.met += 1
        return func(*args, **(kwargs or {}))


class Refusing(torch.Tensor):  # type: ignore[misc] # unknown without torch
    """A tensor whose class takes no operator."""

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Refuse every operator."""
        return NotImplemented


def dispatch_modes(aten: Any) -> Any:
    """Two modes, one in the other, and a composite between."""
    with Log() as outer, Log() as inner:
        found = aten.matmul.default(torch.ones(2, 3), vector()), aten.mul(vector(), 2)
    return found, outer.met, inner.met


def function_mode(aten: Any) -> Any:
    """A mode over functions sees what it sees of PyTorch's operators."""
    with FunctionLog() as log:
        found = aten.mul.Tensor(vector(), vector())
        found = aten.relu(found)
    return found, log.met > 0


def logging_tensor(aten: Any) -> Any:
    """A subclass that unwraps."""
    return aten.add.Tensor(LoggingTensor(vector()), 1).elem


def two_tensors(aten: Any) -> Any:
    """A subclass of two tensors, differentiated."""
    both = TwoTensor(vector(), vector() * 2).requires_grad_()
    found = aten.mul.Tensor(both, both)
    (gradient,) = torch.autograd.grad(found.sum(), both)
    return found.a, found.b, gradient.a, gradient.b


def refusing_tensor(aten: Any) -> Any:
    """A subclass that refuses."""
    return aten.mul.Tensor(vector().as_subclass(Refusing), 2)


def nested_transforms(aten: Any) -> Any:
    """Layers of functorch in each other."""

    def cube(x: Any) -> Any:
        return aten.mul.Tensor(x, aten.mul.Tensor(x, x)).sum()

    grad, vmap = torch.func.grad, torch.func.vmap
    return (
        vmap(grad(cube))(torch.ones(2, 3)),
        grad(lambda x: grad(cube)(x).sum())(vector()),
        vmap(vmap(lambda x: aten.add.Tensor(x, 1)))(torch.ones(2, 3)),
        torch.func.jvp(cube, (vector(),), (vector(),)),
        torch.func.hessian(cube)(vector()),
        torch.func.functionalize(lambda x: aten.add_.Tensor(x.clone(), 1))(vector()),
    )


def inference_mode(aten: Any) -> Any:
    """Tensors of inference, inside and after."""
    with torch.inference_mode():
        found = aten.mul.Tensor(vector(), 2)
        written = aten.add_.Tensor(vector(), 1)
    return found, written, aten.mul.Tensor(found, vector())


def writes_to_inference_tensors(aten: Any) -> Any:
    """What PyTorch refuses."""
    with torch.inference_mode():
        found = vector()
    return aten.add_.Tensor(found, 1)


def autocast(aten: Any) -> Any:
    """Another dtype by the state of the thread."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return aten.mm.default(torch.ones(2, 2), torch.ones(2, 2)), aten.softmax.int(
            torch.ones(2, 2), 0
        )


def no_grad(aten: Any) -> Any:
    """Nothing is recorded, and then it is again."""
    with torch.no_grad():
        found = aten.mul.Tensor(vector(grad=True), 2)
        with torch.enable_grad():
            return found, aten.mul.Tensor(vector(grad=True), 2)


def writes_to_leaves(aten: Any) -> Any:
    """What autograd refuses."""
    return aten.add_.Tensor(vector(grad=True), 1)


def hooks(aten: Any) -> Any:
    """Saved tensors go through the hooks of the thread."""
    packed: list[Any] = []

    def pack(tensor: Any) -> Any:
        packed.append(tensor.clone())
        return tensor

    leaf = vector(grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        found = aten.mul.Tensor(leaf, leaf)
    return packed, torch.autograd.grad(found.sum(), leaf)


def sparse(aten: Any) -> Any:
    """Sparse tensors of two layouts, and one with what no kernel takes."""
    coo = torch.eye(3).to_sparse()
    csr = torch.eye(3).to_sparse_csr()
    return (
        aten.mul.Tensor(coo, coo).to_dense(),
        aten.mm.default(csr, torch.ones(3, 3)),
        aten.add.Tensor(coo, torch.ones(3, 3).to_sparse()).to_dense(),
    )


def refused_sparse(aten: Any) -> Any:
    """An operator without a kernel for sparse tensors."""
    return aten.cumsum.default(torch.eye(3).to_sparse(), 0)


def quantized(aten: Any) -> Any:
    """Quantized tensors."""
    given = torch.quantize_per_tensor(vector(), 0.1, 0, torch.quint8)
    return aten.relu.default(given), aten.dequantize.self(given)


def nested(aten: Any) -> Any:
    """Nested tensors of both layouts."""
    parts = [torch.ones(2), torch.ones(3)]
    strided = torch.nested.nested_tensor(parts)
    jagged = torch.nested.nested_tensor(parts, layout=torch.jagged)
    return (
        aten.mul.Tensor(strided, strided).unbind(),
        aten.mul.Tensor(jagged, jagged).unbind(),
    )


def meta(aten: Any) -> Any:
    """Tensors without elements, and factories on their device."""
    return (
        aten.mul.Tensor(vector().to("meta"), vector().to("meta")),
        aten.empty.memory_format((2, 3), device="meta"),
        aten.ones.default((2, 3), dtype=torch.int64),
    )


def views(aten: Any) -> Any:
    """Conjugate and negated views, and writes through a view."""
    number = torch.tensor([1 + 2j, 3 - 1j])
    base = torch.zeros(2, 3)
    row = aten.select.int(base, 0, 1)
    aten.add_.Tensor(row, 1)
    return (
        base,
        row._base is base,
        aten.mul.Tensor(number.conj(), number),
        aten.add.Tensor(number.conj().imag, 1),
    )


def lists(aten: Any) -> Any:
    """Lists of tensors, with None in them, empty, and of two dtypes."""
    return (
        aten.cat.default([vector(), vector().long()]),
        aten.index.Tensor(torch.eye(3), [None, torch.tensor([0, 2])]),
        aten.split.Tensor(vector(), 2),
        aten._foreach_add.Scalar([vector(), vector()], 1),
    )


def empty_list(aten: Any) -> Any:
    """What cannot be concatenated."""
    return aten.cat.default([])


def threads(aten: Any) -> Any:
    """A thread of its own state, while this one has another."""
    found: list[Any] = []

    def run() -> None:
        found.append(aten.mul.Tensor(vector(grad=True), 2).requires_grad)
        with Log() as log:
            aten.square.default(vector())
        found.append(log.met)

    with torch.no_grad(), Log():
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    return found


SCENES: dict[str, Scene] = {
    scene.__name__: scene
    for scene in (
        *(dispatch_modes, function_mode, logging_tensor, two_tensors, refusing_tensor),
        *(nested_transforms, inference_mode, writes_to_inference_tensors, autocast),
        *(no_grad, writes_to_leaves, hooks, sparse, refused_sparse, quantized, nested),
        *(meta, views, lists, empty_list, threads),
    )
}


@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_scenes(scene: Scene, enabled: bool, aten: Any) -> None:
    """What is seen is what is seen without keyslot."""
    theirs = run(scene, torch.ops.aten)
    if not enabled:
        assert not [*differences(run(scene, aten), theirs)]
        return
    with enable_python_dispatcher():
        ours = run(scene, aten)
        interposed = run(scene, torch.ops.aten)
    # What kernels of PyTorch's own Python dispatcher change is no fault.
    assert ours in (theirs, interposed), [*differences(ours, interposed)]


@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((vector(),), {}), (("text", 1), {}), ((), {"a": 1})],
)
def test_wrong_calls_are_refused(
    args: Any, kwargs: Any, enabled: bool, aten: Any
) -> None:
    """PyTorch raises RuntimeError; a signature in Python may raise TypeError first."""
    with pytest.raises(RuntimeError):
        torch.ops.aten.mul.Tensor(*args, **kwargs)
    with (
        enable_python_dispatcher() if enabled else nullcontext(),
        pytest.raises((RuntimeError, TypeError)),
    ):
        aten.mul.Tensor(*args, **kwargs)


def run(scene: Scene, operators: Any) -> Outcome:
    """Return all that can be seen of what a scene gives, or of its error."""
    try:
        return seen(scene(operators), [])
    except Exception as error:
        return refusal("scene", error)
