"""Calls: any argument by name, kernels of every kind, errors that pass through."""

from __future__ import annotations

import functools
import operator
import traceback
from collections.abc import Callable
from typing import Any, List  # noqa: UP035 # an annotation to be refused
from unittest.mock import Mock

import numpy as np
import pytest

from keyslot import (
    Library,
    dispatch_trace,
    enable_python_dispatcher,
    errors,
    include_keys,
    with_keyset,
)

from .calling import Mine, a, define, last, ops, reports, seen

b = np.array([3.0, 4.0])


def evaluate(call: str) -> Any:
    """Return what a call gives."""
    return eval(call, {"ops": ops, "a": a, "b": b, "np": np})


@pytest.mark.parametrize(
    "call",
    [
        "ops.add(a, b, alpha=2)",
        "ops.add(a, other=b, alpha=2)",
        "ops.add(self=a, other=b, alpha=2)",
        "ops.add(alpha=2, other=b, self=a)",
        "ops.add(alpha=2, other=b, self=a, out=None)",
        "ops.add.Tensor(a, b, alpha=2)",
        "ops.add.Tensor(other=b, alpha=2, self=a)",
        "ops.add(a, b, alpha=2, out=np.empty(2))",
        "ops.add.out(out=np.empty(2), alpha=2, other=b, self=a)",
        'ops.add.Tensor.at("NumPy", self=a, other=b, alpha=2)',
    ],
)
def test_generated_calls_by_position_and_name(call: str) -> None:
    """A generated operator gives the same for every way of passing the arguments."""
    np.testing.assert_array_equal(evaluate(call), [7.0, 10.0])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("ops.add(a, 1)", [2.0, 3.0]),
        ("ops.add(a, 1, 2)", [3.0, 4.0]),
        ("ops.add(a, 1, alpha=2)", [3.0, 4.0]),
        ("ops.sum(a, 0)", 3.0),
        ("ops.sum(a, dim=0)", 3.0),
        ("ops.sum(a, [0], True)", [3.0]),
        ("ops.sum(a, None, keepdim=True)", [3.0]),
        ("ops.sum(a)", 3.0),
        ('ops.sum(a, dtype="float32")', 3.0),
        ("ops.max(a)", 2.0),
        ("ops.max(a, 0)[1]", 1),
        ("ops.max(a, b)", [3.0, 4.0]),
        ("ops.max(a, other=b)", [3.0, 4.0]),
        ("ops.max(a, dim=0, keepdim=True)[0]", [2.0]),
        ("ops.clamp(a, 1.5)", [1.5, 2.0]),
        ("ops.clamp(a, max=1.5)", [1.0, 1.5]),
        ("ops.clamp(a, max=np.array([0.0, 3.0]))", [0.0, 2.0]),
        ("ops.cat([a, b])", [1.0, 2.0, 3.0, 4.0]),
        ("ops.cat(tensors=(a, b), dim=0)", [1.0, 2.0, 3.0, 4.0]),
        ("ops.index(self=a, indices=[np.array([1])])", [2.0]),
        ("ops.index(indices=[np.array([1])], self=a)", [2.0]),
        ("ops.zeros([2])", [0.0, 0.0]),
        ("ops.zeros(size=(2,), device=None)", [0.0, 0.0]),
        ("ops.where(a > 1, a, 0)", [0.0, 2.0]),
        ("ops.div(a, 2)", [0.5, 1.0]),
        ('ops.div(a, 2, rounding_mode="floor")', [0.0, 1.0]),
        ("ops.div(a, b, rounding_mode=None)", [1 / 3, 0.5]),
        ("ops.arange(3)", [0, 1, 2]),
        ("ops.arange(1, 3)", [1, 2]),
        ("ops.arange(1, end=3)", [1, 2]),
        ("ops.arange(end=3)", [0, 1, 2]),
        ("ops.arange(start=1, end=3)", [1, 2]),
    ],
)
def test_generated_overloads(call: str, expected: Any) -> None:
    """The arguments of a call say which overload of a generated operator is meant."""
    np.testing.assert_allclose(evaluate(call), expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("ops.mul(a)", "mul() missing 1 required positional argument: 'other'"),
        (
            "ops.mul(a, b, b)",
            "mul() takes 2 positional arguments but 3 were given",
        ),
        ("ops.mul(a, b, c=b)", "mul() got an unexpected keyword argument 'c'"),
        ("ops.mul(a, self=b)", "mul() got multiple values for argument 'self'"),
        (
            "ops.mul.Tensor(a)",
            "mul.Tensor() missing 1 required positional argument: 'other'",
        ),
        (
            "ops.mul.Tensor(a, b, c=b)",
            "mul.Tensor() got an unexpected keyword argument 'c'",
        ),
    ],
)
def test_wrong_calls_of_generated_functions(call: str, message: str) -> None:
    """What Python says of a wrong call names the operator, as for any function."""
    with pytest.raises(TypeError) as caught:
        evaluate(call)
    assert str(caught.value) == message


NAMES = ["self", "op", "key", "keyset", "type", "t", "kernel", "args", "kwargs", "cls"]


@pytest.mark.parametrize("name", [*NAMES, "from", "lambda", "function", "handler"])
def test_any_name_of_an_argument(library: Library, name: str) -> None:
    """No name that a schema may use clashes with one that keyslot uses itself."""
    op = define(library, f"f(Tensor {name}, Tensor[] list, *, int? n=None) -> Tensor")
    named: dict[str, Any] = {name: a, "list": [a]}
    expected = seen(a, [a], n=None)
    for call in (library.ops.f, op, functools.partial(op.at, "NumPy"), op.NumPy):
        if call is op.NumPy:
            assert call(a, [a], n=None) == expected
            continue
        assert call(a, [a]) == expected
        assert call(**named) == expected
        assert call(list=[a], n=None, **{name: a}) == expected
    assert op.explain(**named).chosen.key == "NumPy"
    assert library.ops.f.explain(**named).chosen.key == "NumPy"
    assert op.decompose(**named) is NotImplemented
    with enable_python_dispatcher():
        assert op(**named) == expected
    with dispatch_trace(len):
        assert op(**named) == expected


@pytest.mark.parametrize("name", [*NAMES, "from", "items", "_0", "_kind", "make"])
def test_any_name_of_an_argument_after_a_list(library: Library, name: str) -> None:
    """Code that is compiled to look at the items of a list has names of its own."""
    op = define(library, f"f(Tensor[] list, *, int {name}=1) -> Tensor")
    for given in ([a, a], (a,), [a, np.float64(1)]):
        for _ in range(2):
            assert op(given, **{name: 2}) == seen(given, **{name: 2})
            assert library.ops.f(given) == seen(given, **{name: 1})


@pytest.mark.parametrize(
    "name", ["from", "None", "class", "ops", "NumPy", "_f", "call"]
)
def test_any_name_of_an_operator(library: Library, name: str) -> None:
    """An operator may have any name, and is an attribute of its namespace."""
    define(library, f"{name}(Tensor x) -> Tensor")
    assert getattr(library.ops, name)(a) == seen(a)


def test_without_arguments(library: Library) -> None:
    """An operator without arguments goes to the default backend."""
    define(library, "now() -> Tensor", reports("now"))
    assert library.ops.now() == library.ops.now.default() == "now"


def test_thirty_arguments(library: Library) -> None:
    """Thirty arguments reach the kernel in order, however they are passed."""
    declared = ", ".join(f"int a{n}={n}" for n in range(29))
    define(library, f"many(Tensor x, {declared}) -> Tensor")
    many = library.ops.many
    assert many(a) == seen(a, *range(29))
    assert many(a, *range(100, 129)) == seen(a, *range(100, 129))
    assert many(**{f"a{n}": -n for n in reversed(range(29))}, x=a) == seen(
        a, *(-n for n in range(29))
    )


class Kernels:
    """Kernels that belong to a class."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def method(self, x: Any) -> str:
        """Return the answer."""
        return self.answer

    @classmethod
    def of_class(cls, x: Any) -> str:
        """Return the name of the class."""
        return cls.__name__

    @staticmethod
    def static(x: Any) -> str:
        """Return a constant."""
        return "static"

    def __call__(self, x: Any) -> str:
        """Return the answer, as a callable object."""
        return self.answer


class Ambiguous(Kernels):
    """A callable object without a truth value."""

    def __bool__(self) -> bool:
        raise ValueError("no truth value")

    def __eq__(self, other: object) -> bool:
        raise ValueError("cannot be compared")

    __hash__ = None  # type: ignore[assignment] # follows from __eq__


@functools.wraps(last)
def wrapped(x: Any) -> str:
    """Return a constant, under another function's name."""
    return "wrapped"


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        pytest.param(functools.partial(reports("partial"), 1), "partial", id="partial"),
        pytest.param(Kernels("bound").method, "bound", id="bound method"),
        pytest.param(Kernels.of_class, "Kernels", id="class method"),
        pytest.param(Kernels.static, "static", id="static method"),
        pytest.param(Kernels("object"), "object", id="callable object"),
        pytest.param(Ambiguous("odd"), "odd", id="object without truth value"),
        pytest.param(len, 2, id="builtin"),
        pytest.param(operator.itemgetter(1), 2.0, id="C callable"),
        pytest.param(np.ndarray.sum, 3.0, id="method descriptor"),
        pytest.param(np.add.reduce, 3.0, id="ufunc method"),
        pytest.param(list, [1.0, 2.0], id="class"),
        pytest.param(functools.lru_cache(reports("cached")), None, id="lru_cache"),
        pytest.param(functools.singledispatch(reports("one")), "one", id="dispatched"),
        pytest.param(wrapped, "wrapped", id="wrapped"),
        pytest.param(Mock(return_value="mock"), "mock", id="has every attribute"),
        pytest.param(ops.sum, 3.0, id="operator"),
        pytest.param(ops.sum.default, 3.0, id="overload"),
        pytest.param(eval("lambda x: 'no module'", {}), "no module", id="no module"),
    ],
)
def test_any_callable_is_a_kernel(library: Library, kernel: Any, expected: Any) -> None:
    """Whatever can be called can be a kernel, and is called as it is."""
    op = define(library, "f(Tensor x) -> Tensor", kernel)
    assert op.NumPy is kernel
    assert str(op.explain(a)).startswith(op.name)
    if expected is None:  # lru_cache: arrays cannot be hashed, and that is its affair
        with pytest.raises(TypeError, match="unhashable"):
            library.ops.f(a)
    else:
        assert library.ops.f(a) == expected


def test_bound_methods_stay_apart(library: Library) -> None:
    """Two methods of one class are two kernels, each with its own object."""
    one, two = Kernels("one"), Kernels("two")
    define(library, "f(Tensor x) -> Tensor", one.method)
    define(library, "g(Tensor x) -> Tensor", two.method)
    assert [library.ops.f(a), library.ops.g(a)] == ["one", "two"]


@pytest.mark.parametrize(
    "annotation",
    [
        list[int],
        dict[str, int],
        List[int],  # noqa: UP006 # the old form
        Callable[[int], int],
        int | None,
    ],
)
def test_type_annotation_is_no_kernel(library: Library, annotation: Any) -> None:
    """Annotations are refused when they are registered, not when they are called."""
    library.define("f(Tensor x) -> Tensor")
    with pytest.raises(errors.NotAKernelError):
        library.impl("f", annotation, "NumPy")
    define(library, "g(Tensor x) -> Tensor")
    assert library.ops.g(a) == seen(a)


class Odd(Exception):
    """An error of the user's own."""


@pytest.mark.parametrize(
    "error",
    [
        KeyError("mine"),
        TypeError("mine"),
        AttributeError("mine"),
        RecursionError("mine"),
        NotImplementedError("mine"),
        StopIteration("mine"),
        KeyboardInterrupt("mine"),
        errors.NotAKernelError("mine"),
        Odd("mine"),
    ],
)
@pytest.mark.parametrize("state", ["default", "other", "python", "trace"])
def test_errors_of_kernels_pass_through(
    library: Library, error: BaseException, state: str
) -> None:
    """What a kernel raises reaches the caller: the very object, without context."""

    def kernel(*args: Any, **kwargs: Any) -> None:
        raise error

    define(library, "f(Tensor x, Tensor[] ys=[], *, int n=1) -> Tensor", kernel)
    guard = {
        "default": include_keys(),
        "other": include_keys("AutogradOther"),
        "python": enable_python_dispatcher(),
        "trace": dispatch_trace(len),
    }[state]
    f = library.ops.f
    calls: list[Callable[[], Any]] = [
        lambda: f(a),
        lambda: f(a, [a]),
        lambda: f.default(a, [a], n=2),
        lambda: f.default.at("NumPy", a),
    ]
    for call in calls:
        error.__traceback__ = error.__context__ = None
        with guard, pytest.raises(type(error)) as caught:
            call()
        assert caught.value is error
        assert error.__context__ is None
        assert error.__cause__ is None


@pytest.mark.parametrize(
    ("call", "frames"),
    [
        ("ops.isnan(np.array(['text']))", ["isnan"]),
        ("ops.isnan.default(np.array(['text']))", ["__call__"]),
    ],
)
def test_traceback_of_a_generated_call(call: str, frames: list[str]) -> None:
    """Between the user's line and the kernel there is one frame, of readable code."""
    with pytest.raises(TypeError) as caught:
        evaluate(call)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1:] == frames
    assert len(names) == 4  # this test, evaluate, the call, keyslot


def test_traceback_of_a_call_defined_at_run_time(library: Library) -> None:
    """There are at most four frames of keyslot between the caller and the kernel."""

    def kernel(x: Any, n: int) -> None:
        raise Odd

    define(library, "f(Tensor x, int n=1) -> Tensor", kernel)
    with pytest.raises(Odd) as caught:
        library.ops.f(a)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert len(names[1:-1]) <= 4
    assert names[-1] == "kernel"


def test_not_implemented_is_a_result(library: Library) -> None:
    """Ordinary dispatch gives back what a kernel returns, NotImplemented too."""
    define(library, "f(Tensor x) -> Tensor", reports(NotImplemented))
    assert library.ops.f(a) is NotImplemented


def test_result_is_what_the_kernel_returns(library: Library) -> None:
    """A result is handed on untouched: a tuple of one stays one, a list a list."""
    for number, result in enumerate([(1,), [1], None, (1, 2), np.zeros(2)]):
        define(library, f"f{number}(Tensor x) -> Tensor", reports(result))
        assert getattr(library.ops, f"f{number}")(a) is result


@pytest.mark.usefixtures("mine")
def test_arrays_are_never_compared(library: Library) -> None:
    """Arguments without truth value, equality and hash are handed on as they are."""
    schema = "f(Tensor x, Tensor[] ys, *, Tensor? z=None) -> Tensor"
    define(library, schema, last, "PrivateUse1")
    x = Mine()
    for state in (include_keys(), enable_python_dispatcher(), dispatch_trace(len)):
        with state:
            assert library.ops.f(x, [x], z=x) is x
            assert library.ops.f(ys=(x, x), z=x, x=x) is x
            assert library.ops.f.default.at("mine", x, [x], z=x) is x
    assert library.ops.f.explain(x, [x]).chosen.key == "PrivateUse1"


def test_metaclass_of_an_argument(library: Library) -> None:
    """A class with a metaclass of its own is a type like any other."""

    class Meta(type):
        def __instancecheck__(cls, instance: object) -> bool:
            raise AssertionError("not asked")

        def __subclasscheck__(cls, subclass: type) -> bool:
            raise AssertionError("not asked")

        def __bool__(cls) -> bool:
            raise AssertionError("not asked")

        def __len__(cls) -> int:
            raise AssertionError("not asked")

    class Array(np.ndarray[Any, Any], metaclass=Meta):
        pass

    class Stranger(metaclass=Meta):
        pass

    define(library, "f(Tensor x) -> Tensor", last)
    array = np.zeros(2).view(Array)
    assert library.ops.f(array) is array
    with pytest.raises(errors.OverloadError):
        library.ops.f(Stranger())


def test_key_set_comes_first(library: Library) -> None:
    """A kernel that asks for the key set of the call gets it before the arguments."""

    @with_keyset
    def kernel(keyset: Any, x: Any, *, keyset_name: str) -> Any:
        return keyset.highest().name, keyset_name

    define(library, 'f(Tensor x, *, str keyset_name="k") -> Tensor', kernel, "Autograd")
    assert library.ops.f(a) == ("AutogradNumPy", "k")
    assert library.ops.f.default.AutogradNumPy(a, keyset_name="n") == (
        "AutogradNumPy",
        "n",
    )


def test_failed_calls_leave_nothing_behind(library: Library) -> None:
    """Any number of refused calls, of any form, costs no memory."""
    op = define(library, "f(Tensor x) -> Tensor")
    library.ops.f(a)
    before = len(op.caches)
    for number in range(50):
        with pytest.raises(errors.OverloadError):
            library.ops.f(a, *range(number + 1))
        with pytest.raises(errors.OverloadError):
            op(a, **{f"name{number}": 1})
    assert len(op.caches) <= before + 1
