"""Python kernels interposed over PyTorch's dispatch, met directly and from within C++.

A kernel of `py_impl` is met by every call of its operator while the Python dispatcher
is on, whoever makes it, and by none while it is off.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import torch
from torch import _C
from torch.fx.experimental.proxy_tensor import make_fx

from keyslot.runtime.errors import DispatchRecursionError
from keyslot.runtime.kernel import with_keyset
from keyslot.tools.__main__ import main
from keyslot.torch import (
    DispatchKey,
    DispatchKeySet,
    Library,
    enable_python_dispatcher,
)

pytestmark = pytest.mark.filterwarnings("ignore")

Function = Callable[..., Any]


@pytest.fixture
def library(aten: Any) -> Iterator[Library]:
    """Keep registrations until a test ends."""
    with Library("aten", "IMPL") as made:
        yield made


class Spy:
    """A kernel that counts its calls, and goes on to PyTorch's kernel at a key."""

    def __init__(self, op: Any, key: str) -> None:
        self.calls = 0
        self._run: Function = lambda *args: op.run_native(DispatchKey[key], *args)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return self._run(*args, **kwargs)


class Case(NamedTuple):
    """An operator, where its kernel is interposed, and code that calls it in C++."""

    op: str
    #: Where the kernel is registered, and at which key a call comes to it.
    key: str
    runtime_key: str
    #: What calls the operator from within C++.
    inner: Function
    #: What calls the operator itself, given it.
    direct: Function


def vector() -> Any:
    """Return a tensor of three elements."""
    return torch.tensor([1.0, 2.0, 3.0])


def inferred(function: Function, *tensors: Any) -> Any:
    """Call a function where tensors bring no autograd keys."""
    with torch.inference_mode():
        return function(*(tensor.clone() for tensor in tensors))


def differentiated(function: Function) -> Any:
    """Return the gradient of a function at a vector."""
    point = vector().requires_grad_()
    return torch.autograd.grad(function(point).sum(), point)[0]


def batched(function: Function) -> Any:
    """Map a function over the rows of a matrix."""
    return torch.func.vmap(function)(torch.ones(2, 3))


def functionalized(function: Function) -> Any:
    """Call a function with its writes taken out."""
    return torch.func.functionalize(function)(vector())


def traced(function: Function) -> Any:
    """Call what make_fx makes of a function with symbolic shapes."""
    return make_fx(function, tracing_mode="symbolic")(vector())(vector())


def power(op: Function) -> Function:
    """Return a function that squares by an operator."""
    return lambda x: op(x, 2)


def losses(function: Function) -> Any:
    """Call a loss function."""
    return function(torch.ones(2, 3), torch.tensor([0, 1]))


CASES = {
    "composite": Case(
        *("nll_loss_nd.default", "CompositeImplicitAutograd", "AutogradCPU"),
        lambda: losses(torch.nn.functional.cross_entropy),
        losses,
    ),
    "Autograd": Case(
        *("pow.Tensor_Scalar", "Autograd", "AutogradCPU"),
        lambda: torch.square(vector()),
        lambda op: op(vector(), 2),
    ),
    "AutogradCPU": Case(
        *("pow.Tensor_Scalar", "AutogradCPU", "AutogradCPU"),
        lambda: torch.square(vector()),
        lambda op: op(vector(), 2),
    ),
    "CPU": Case(
        *("pow.Tensor_Scalar", "CPU", "CPU"),
        lambda: inferred(torch.square, vector()),
        lambda op: inferred(power(op), vector()),
    ),
    "Meta": Case(
        *("pow.Tensor_Scalar", "Meta", "Meta"),
        lambda: inferred(torch.square, vector().to("meta")),
        lambda op: inferred(power(op), vector().to("meta")),
    ),
    "FuncTorchBatched": Case(
        *("pow.Tensor_Scalar", "FuncTorchBatched", "FuncTorchBatched"),
        lambda: batched(torch.square),
        lambda op: batched(power(op)),
    ),
    "Functionalize": Case(
        *("view.default", "Functionalize", "Functionalize"),
        lambda: functionalized(lambda x: x.reshape(3, 1)),
        lambda op: functionalized(lambda x: op(x, (3, 1))),
    ),
    "backward": Case(
        *("tanh_backward.default", "AutogradCPU", "AutogradCPU"),
        lambda: differentiated(torch.tanh),
        lambda op: op(vector(), vector()),
    ),
    "make_fx": Case(
        *("pow.Tensor_Scalar", "AutogradCPU", "AutogradCPU"),
        lambda: traced(torch.square),
        lambda op: traced(power(op)),
    ),
}
INTERPOSED = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def overload(aten: Any, name: str) -> Any:
    """Return our overload of a name."""
    packet, _, member = name.partition(".")
    return getattr(getattr(aten, packet), member)


@INTERPOSED
def test_kernel_is_met_directly_and_from_within(
    case: Case, aten: Any, library: Library
) -> None:
    """It is met with the Python dispatcher on, and results stay what they are."""
    op = overload(aten, case.op)
    inner, direct = case.inner(), case.direct(op)
    spy = Spy(op, case.runtime_key)
    library.py_impl(op, spy, case.key)
    with enable_python_dispatcher():
        torch.testing.assert_close(case.inner(), inner, equal_nan=True)
        met_inside = spy.calls
        torch.testing.assert_close(case.direct(op), direct, equal_nan=True)
    assert 0 < met_inside < spy.calls


@INTERPOSED
def test_kernel_is_not_met_with_the_dispatcher_off(
    case: Case, aten: Any, library: Library
) -> None:
    """Nothing is interposed, but where PyTorch traces and turns it on by itself."""
    op = overload(aten, case.op)
    spy = Spy(op, case.runtime_key)
    library.py_impl(op, spy, case.key)
    case.direct(op)
    case.inner()
    is_traced = case is CASES["make_fx"]
    assert (spy.calls > 0) is is_traced


@INTERPOSED
def test_undo_restores(case: Case, aten: Any, library: Library) -> None:
    """After the undo of a kernel that was met, neither way meets it again."""
    op = overload(aten, case.op)
    spy = Spy(op, case.runtime_key)
    undo = library.py_impl(op, spy, case.key)
    with enable_python_dispatcher():
        case.inner()
        case.direct(op)
        met = spy.calls
        undo()
        case.inner()
        case.direct(op)
    assert 0 < met == spy.calls


def answer(*args: Any, **kwargs: Any) -> Any:
    """Return what no kernel of PyTorch's would: a kernel that is easy to see."""
    return torch.full((3,), 42.0)


def seen(function: Function) -> bool:
    """Whether a call comes to `answer`."""
    return bool((function() == 42).all())


class Ways(NamedTuple):
    """The ways to call ``pow.Tensor_Scalar``: directly, and from within C++."""

    direct: Function
    inner: Function

    def see(self) -> tuple[bool, bool]:
        """Return whether each way comes to `answer`."""
        return seen(self.direct), seen(self.inner)


@pytest.fixture
def ways(aten: Any) -> Ways:
    """Call both ways once with the dispatcher on, so that handlers are cached."""
    ways = Ways(
        lambda: aten.pow.Tensor_Scalar(vector(), 2), lambda: torch.square(vector())
    )
    with enable_python_dispatcher():
        assert ways.see() == (False, False)
    return ways


@pytest.mark.parametrize("enabled", [False, True])
def test_library_kernels_registered_later_are_seen(ways: Ways, enabled: bool) -> None:
    """`torch.library` registers after handlers were cached: the next call sees it."""
    with enable_python_dispatcher() if enabled else torch.enable_grad():
        torch_library = torch.library.Library("aten", "IMPL")
        torch_library.impl("pow.Tensor_Scalar", answer, "AutogradCPU")
        assert ways.see() == (True, True)
        torch_library._destroy()
        assert ways.see() == (False, False)


def test_collected_libraries_are_noticed(ways: Ways) -> None:
    """Kernels go with the Library that held them, also from the caches."""
    with enable_python_dispatcher():
        torch_library = torch.library.Library("aten", "IMPL")
        torch_library.impl("pow.Tensor_Scalar", answer, "AutogradCPU")
        assert ways.see() == (True, True)
        del torch_library
        gc.collect()
        assert ways.see() == (False, False)


def test_handlers_that_only_cpp_has_cached(aten: Any, library: Library) -> None:
    """Those of an operator that was never called directly are never stale either."""
    op = aten.exp2.default
    op(vector())
    inner = lambda: torch.exp2(vector())  # noqa: E731
    with (
        enable_python_dispatcher(),
        torch.library._scoped_library("aten", "IMPL") as made,
    ):
        assert not seen(inner)
        made.impl("exp2", answer, "AutogradCPU")
        assert seen(inner)
    with enable_python_dispatcher():
        assert not seen(inner)
        undo = library.py_impl(op, answer, "AutogradCPU")
        assert seen(inner)
        undo()
        assert not seen(inner)


def test_library_overrides_are_seen(ways: Ways) -> None:
    """A kernel that replaces another, and its removal, are seen by the next call."""
    scoped = torch.library._scoped_library
    with (
        enable_python_dispatcher(),
        torch.inference_mode(),
        scoped("aten", "IMPL") as first,
    ):
        first.impl("pow.Tensor_Scalar", lambda x, y: x * 0, "CPU")
        assert ways.see() == (False, False)
        with scoped("aten", "IMPL") as second:
            second.impl("pow.Tensor_Scalar", answer, "CPU", allow_override=True)
            assert ways.see() == (True, True)
        assert ways.see() == (False, False)


def test_library_fallthroughs_are_seen(ways: Ways) -> None:
    """A key that becomes a fallthrough is passed over by the next call."""
    from torch.library import _scoped_library, fallthrough_kernel

    with enable_python_dispatcher(), _scoped_library("aten", "IMPL") as made:
        made.impl("pow.Tensor_Scalar", answer, "CPU", allow_override=True)
        assert ways.see() == (True, True)
        made.impl("pow.Tensor_Scalar", fallthrough_kernel, "AutogradCPU")
        grown = vector().requires_grad_()
        assert torch.ops.aten.pow.Tensor_Scalar(grown, 2).grad_fn is None
        assert ways.see() == (True, True)


def test_library_fallbacks_are_seen(aten: Any) -> None:
    """A backend fallback is called at its key by the next call."""
    op, met = aten.bincount.default, []

    def fallback(operator: Any, *args: Any, **kwargs: Any) -> Any:
        met.append(operator)
        return vector()

    key = "PrivateUse1"
    with enable_python_dispatcher():
        with pytest.raises(Exception, match=key):
            op.at(key, vector())
        with torch.library._scoped_library("_", "IMPL") as made:
            made.fallback(fallback, key)
            op.at(key, vector())
        assert met == [torch.ops.aten.bincount.default]
        with pytest.raises(Exception, match=key):
            op.at(key, vector())


def test_py_impl_of_pytorch_is_seen(ways: Ways) -> None:
    """PyTorch's own Python kernels, registered late, are met, and ours come first."""
    op = torch.ops.aten.pow.Tensor_Scalar
    op.py_impl(_C.DispatchKey.AutogradCPU)(answer)
    try:
        with enable_python_dispatcher():
            assert ways.see() == (True, True)
        assert ways.see() == (False, False)
    finally:
        del op.py_kernels[_C.DispatchKey.AutogradCPU]
        op._dispatch_cache.clear()
    with enable_python_dispatcher():
        assert ways.see() == (False, False)


def test_our_kernels_come_before_those_of_pytorch(ways: Ways, library: Library) -> None:
    """Both are registered at one key: ours is met."""
    op = torch.ops.aten.pow.Tensor_Scalar
    op.py_impl(_C.DispatchKey.AutogradCPU)(lambda x, y: x)
    try:
        undo = library.py_impl("pow.Tensor_Scalar", answer, "AutogradCPU")
        with enable_python_dispatcher():
            assert ways.see() == (True, True)
            undo()
            assert ways.see() == (False, False)
    finally:
        del op.py_kernels[_C.DispatchKey.AutogradCPU]
        op._dispatch_cache.clear()


def test_kernels_with_the_key_set(aten: Any, library: Library) -> None:
    """They get the keys of the call from their own down, however they are reached."""
    found: list[Any] = []
    op = aten.pow.Tensor_Scalar

    def kernel(keyset: Any, *args: Any) -> Any:
        found.append(keyset)
        return op.redispatch(keyset.below("AutogradCPU"), *args)

    library.py_impl(op, with_keyset(kernel), "AutogradCPU")
    with enable_python_dispatcher():
        direct = op(vector(), 2)
        inner = torch.square(vector())
    assert torch.equal(direct, inner)
    assert found[0].highest() is DispatchKey.AutogradCPU
    assert found[0] == found[1]
    assert DispatchKey.CPU in found[0]


def test_redispatch_below_a_key_meets_kernels_there(
    aten: Any, library: Library
) -> None:
    """Redispatch of a Python kernel stays under the Python dispatcher."""
    op, met = aten.pow.Tensor_Scalar, []

    def kernel(keyset: Any, *args: Any) -> Any:
        met.append("AutogradCPU")
        return op.redispatch(keyset.below("AutogradCPU"), *args)

    def below(*args: Any) -> Any:
        met.append("CPU")
        return op.run_native(DispatchKey.CPU, *args)

    library.py_impl(op, with_keyset(kernel), "AutogradCPU")
    library.py_impl(op, below, "CPU")
    calls: tuple[Function, ...] = (
        lambda: op(vector(), 2),
        lambda: torch.square(vector()),
    )
    for call in calls:
        with enable_python_dispatcher():
            found = call()
        assert torch.equal(found, vector() ** 2)
        assert met == ["AutogradCPU", "CPU"]
        met.clear()


def test_redispatch_skips_fallthrough_keys(aten: Any) -> None:
    """PyTorch fails at them; here they are passed over, with the dispatcher off too."""
    op = aten.mul.Tensor
    keys = DispatchKeySet(["CPU", "AutogradCPU", "ADInplaceOrView"])
    assert torch.equal(op.redispatch(keys, vector(), vector()), vector() ** 2)
    with enable_python_dispatcher():
        assert torch.equal(op.redispatch(keys, vector(), vector()), vector() ** 2)


@pytest.mark.parametrize("enabled", [False, True])
def test_backend_fallback_is_called_at_a_key(aten: Any, enabled: bool) -> None:
    """`at` a key without a kernel of the operator calls PyTorch's fallback there."""
    number = torch.tensor([1 + 2j]).conj()
    with enable_python_dispatcher() if enabled else torch.enable_grad():
        assert not torch._C._dispatch_has_kernel_for_dispatch_key(
            "aten::sin", "Conjugate"
        )
        found = aten.sin.default.at("Conjugate", number)
        assert torch.equal(found, number.resolve_conj().sin())


@pytest.mark.parametrize("function", ["direct", "inner"])
def test_recursion_is_told_as_a_chain(
    ways: Ways, library: Library, function: str
) -> None:
    """A kernel that comes back to itself is named, with its key."""
    library.py_impl("pow.Tensor_Scalar", lambda x, y: torch.square(x), "AutogradCPU")
    with (
        enable_python_dispatcher(),
        pytest.raises(
            DispatchRecursionError, match=r"pow\.Tensor_Scalar at AutogradCPU"
        ),
    ):
        getattr(ways, function)()


def test_compiled_code_has_what_was_interposed(aten: Any, library: Library) -> None:
    """`torch.compile` traces under the Python dispatcher: kernels get into graphs."""

    def double(x: Any) -> Any:
        return torch.ops.aten.add.Tensor(x, x)

    library.py_impl("square.default", double, "CompositeImplicitAutograd")
    torch._dynamo.reset()
    compiled = torch.compile(torch.square, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(vector()), vector() * 2)
    assert torch.equal(torch.square(vector()), vector() ** 2)
    torch._dynamo.reset()


def test_guards_are_of_the_thread(ways: Ways, library: Library) -> None:
    """A thread that did not turn the dispatcher on does not meet its kernels."""
    library.py_impl("pow.Tensor_Scalar", answer, "AutogradCPU")
    found: list[tuple[bool, bool]] = []
    with enable_python_dispatcher():
        thread = threading.Thread(target=lambda: found.append(ways.see()))
        thread.start()
        thread.join()
        assert ways.see() == (True, True)
    assert found == [(False, False)]


def test_kernels_get_numbers_as_numbers(aten: Any, library: Library) -> None:
    """A number in the place of a tensor comes as it is, through C++ too."""
    given: list[Any] = []

    def kernel(self: Any, other: Any) -> Any:
        given.append(other)
        return self.clone()

    library.py_impl("mul.Tensor", kernel, "AutogradCPU")
    with enable_python_dispatcher():
        aten.mul.Tensor(vector(), 2)
        torch.mul(vector(), 2)
    assert given == [2, 2]


def test_kernels_get_an_int_as_a_list(aten: Any, library: Library) -> None:
    """One int stands for a list of a size, whoever makes the call."""
    given: list[Any] = []

    def kernel(self: Any, kernel_size: Any, *others: Any) -> Any:
        given.append(kernel_size)
        return self.clone()

    library.py_impl("avg_pool2d.default", kernel, "AutogradCPU")
    with enable_python_dispatcher():
        aten.avg_pool2d.default(torch.ones(1, 2, 2), 2)
        torch.nn.functional.avg_pool2d(torch.ones(1, 2, 2), 2)
    assert given == [[2, 2], [2, 2]]


def test_several_results_are_a_tuple(aten: Any, library: Library) -> None:
    """Whatever sequence a kernel returns, callers get what C++ makes of it."""
    pair = [vector(), vector()]
    library.py_impl("aminmax.default", lambda *args, **kwargs: pair, "AutogradCPU")
    library.py_impl("unbind.int", lambda *args: tuple(pair), "AutogradCPU")
    with enable_python_dispatcher():
        assert type(aten.aminmax.default(vector())) is tuple
        assert type(aten.unbind.int(vector())) is list


def test_types_do_not_tell_where_a_call_goes(
    aten: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says so, and what tells instead."""
    call = ["explain", "--package", aten.__name__, "mul.Tensor", "torch:Tensor"]
    assert main(call) == 2
    assert capsys.readouterr().err == (
        "where a call of aten::mul.Tensor goes is told by its arrays, not by their"
        " types: call aten::mul.Tensor.explain(...) in a program\n"
    )


def test_native_kernels_have_names_for_people(aten: Any) -> None:
    """A kernel of PyTorch's is called what it is, in tables, explanations, commands."""
    cell = aten.mul.Tensor.table["AutogradCPU"]
    assert cell.kernel == "native kernel of Autograd"
    assert aten.mul.Tensor.explain(vector(), vector()).chosen == cell
