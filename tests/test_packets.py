"""Packets: an operator is a plain function that carries its overloads."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import types
import weakref
from typing import Any

import pytest

from keyslot import Library, OpOverload, errors
from keyslot.runtime.packet import packet_of

from .calling import a, define, help_page, last, ops, reports, seen


@pytest.fixture
def shipped() -> Library:
    """Return a Library that adds to the shipped operators."""
    return Library("keyslot", "FRAGMENT")


def test_operator_is_a_function() -> None:
    """Tools see a function with a name, a module, a signature and a docstring."""
    assert isinstance(ops.mul, types.FunctionType)
    assert (ops.mul.__name__, ops.mul.__qualname__) == ("mul", "mul")
    assert ops.mul.__module__ == "keyslot.generated.ops.arithmetic"
    assert [*inspect.signature(ops.mul).parameters] == ["self", "other", "out"]
    page = help_page(ops.mul)
    assert "mul(self: object, other: object, *, out: object = None) -> Any" in page
    assert "Multiply `self` by `other`, element by element." in page
    assert "mul.Scalar(Tensor self, Scalar other) -> Tensor" in page


def test_overloads_are_attributes() -> None:
    """Overloads are found by their names, the one without a name as ``default``."""
    assert ops.mul.overloads() == ["Tensor", "Scalar", "out", "Scalar_out"]
    assert ops.sum.overloads()[0] == "default"
    for operator in (ops.mul, ops.sum):
        for name in operator.overloads():
            assert isinstance(getattr(operator, name), OpOverload)
    assert (
        repr(ops.mul.packet)
        == "<OpOverloadPacket keyslot::mul: Tensor, Scalar, out, Scalar_out>"
    )


@pytest.mark.parametrize("defined", [False, True])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_operators_pickle_and_copy(
    library: Library, defined: bool, protocol: int
) -> None:
    """A pickle or copy of an operator, or of what is behind it, is the same object."""
    define(library, "f(Tensor x) -> Tensor")
    f: Any = library.ops.f if defined else ops.mul
    for thing in (f, f.packet):
        assert pickle.loads(pickle.dumps(thing, protocol)) is thing
        assert copy.copy(thing) is copy.deepcopy([thing])[0] is thing


def test_operator_and_packet_are_keys_and_weakly_referred_to() -> None:
    """Operators and packets hash by identity, and can be referred to weakly."""
    for thing in (ops.mul, ops.mul.packet):
        assert {thing: 1}[thing] == 1
        assert hash(thing) == hash(copy.copy(thing))
        assert thing != ops.add
        assert thing != ops.add.packet
        assert weakref.ref(thing)() is thing


def test_pickle_names_the_operator(library: Library) -> None:
    """A pickle holds a name: it is small, and knows nothing once the name is gone."""
    define(library, "f(Tensor x) -> Tensor")
    pickled = pickle.dumps([library.ops.f, library.ops.f.default])
    assert len(pickled) < 200
    library.close()
    with pytest.raises((AttributeError, errors.UnknownOperatorError)):
        pickle.loads(pickled)


def test_operator_is_no_method() -> None:
    """What is no operator is told apart, by an error that a caller expects."""
    with pytest.raises(TypeError) as caught:
        packet_of(len)
    assert str(caught.value) == "<built-in function len> is not an operator"


def test_overload_defined_later_is_seen(library: Library) -> None:
    """A function that was fetched and called before takes a new overload."""
    define(library, "f.one(Tensor x) -> Tensor", reports("one"))
    f = library.ops.f
    assert f(a) == "one"
    two = library.define("f.two(Tensor x, str y) -> Tensor")
    library.impl("f.two", reports("two"), "NumPy")
    assert library.ops.f is f
    assert (f(a), f(a, "y"), f.overloads()) == ("one", "two", ["one", "two"])
    two()
    with pytest.raises(errors.OverloadError):
        f(a, "y")
    assert f(a) == "one"
    assert not hasattr(f, "two")


@pytest.mark.parametrize(
    ("schema", "args", "kwargs"),
    [
        ("mul.Str(Tensor self, str other) -> Tensor", (a, "x"), {}),
        ("mul.Three(Tensor self, Tensor other, Tensor third) -> Tensor", (a, a, a), {}),
        ("mul.Named(Tensor self, *, bool fast) -> Tensor", (a,), {"fast": True}),
        ("mul.Renamed(Tensor input, Tensor weight) -> Tensor", (), "input weight"),
        ("mul.Nothing() -> Tensor", (), {}),
        ("exp.Two(Tensor self, int n) -> Tensor", (a, 2), {}),
        ("arange.Named(Scalar end, *, str unit) -> Tensor", (3,), {"unit": "s"}),
    ],
)
def test_overload_is_added_to_a_generated_operator(
    shipped: Library, schema: str, args: tuple[Any, ...], kwargs: Any
) -> None:
    """A generated function takes an added overload, and is as before afterwards."""
    if isinstance(kwargs, str):
        kwargs = dict.fromkeys(kwargs.split(), a)
    name, _, overload = schema.partition("(")[0].partition(".")
    function = getattr(ops, name)
    signature = inspect.signature(function)
    before = function.overloads()
    library = shipped
    with library:
        define(library, schema)
        assert function(*args, **kwargs) == seen(*args, *kwargs.values()) or (
            function(*args, **kwargs) == seen(*args, **kwargs)
        )
        assert function.overloads() == [*before, overload]
        assert "__packet__" not in inspect.signature(function).parameters
        assert ops.mul(a, a).tolist() == ops.mul(a, other=a).tolist() == [1.0, 4.0]
        assert ops.exp(a).shape == ops.exp(self=a).shape == (2,)
        overload_object = getattr(function, overload)
        assert pickle.loads(pickle.dumps(overload_object)) is overload_object
        assert pickle.loads(pickle.dumps(function)) is function
    assert getattr(ops, name) is function
    assert function.overloads() == before
    assert inspect.signature(function) == signature
    assert ops.mul(a, a, out=None).tolist() == [1.0, 4.0]
    with pytest.raises(TypeError):
        function(*args, **kwargs)


def test_operator_is_added_to_a_generated_namespace(shipped: Library) -> None:
    """An operator defined at run time is found where the generated ones are."""
    with shipped as library:
        define(library, "added_later(Tensor x) -> Tensor", last)
        assert ops.added_later(a) is a
        assert "added_later" in ops
        assert "added_later" in dir(ops)
        assert "added_later" in [*ops]
    assert "added_later" not in ops
    assert not hasattr(ops, "added_later")


def test_namespace_lists_its_operators(library: Library) -> None:
    """``dir``, iteration, ``len`` and ``in`` know all operators, loaded or not."""
    for name in ("zeta", "alpha"):
        library.define(f"{name}(Tensor x) -> Tensor")
    namespace = library.ops
    assert [*namespace] == dir(namespace) == ["alpha", "zeta"]
    assert (len(namespace), "zeta" in namespace, "beta" in namespace) == (
        2,
        True,
        False,
    )
    assert repr(namespace) == f"<operators of {library.namespace}: alpha, zeta>"
    with pytest.raises(AttributeError) as caught:
        _ = namespace.alhpa
    assert str(caught.value) == (
        f"namespace {library.namespace!r} has no operator 'alhpa'. Did you mean alpha?"
    )
    assert [*copy.deepcopy(namespace)] == [*namespace]
    assert [*pickle.loads(pickle.dumps(namespace))] == [*namespace]


def test_shipped_namespace_lists_its_operators() -> None:
    """The generated package lists its operators as attributes and as items."""
    assert {"add", "mul", "zeros"} <= {*ops}
    assert dir(ops) == [*ops]
    assert len(ops) == len([*ops])
    assert "mul" in ops
    assert "mull" not in ops


def test_every_attribute_that_dir_lists_is_an_operator() -> None:
    """What the generated package has for itself is not shown, whatever was imported."""
    importlib.import_module("keyslot.generated.ops.unary")
    importlib.import_module("keyslot.generated.tables")
    assert all(packet_of(getattr(ops, name)) for name in dir(ops))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mull", " Did you mean mul or mul_ or full?"),
        ("tnah", " Did you mean tanh?"),
        ("sun", " Did you mean sum or sub or sin?"),
        ("Add", " Did you mean add?"),
        ("log_softmx", " Did you mean log_softmax or _log_softmax?"),
        ("outer_product", ""),
        ("nope", ""),
        ("multiply", ""),
    ],
)
def test_an_operator_that_there_is_not_is_refused(name: str, hint: str) -> None:
    """Names are suggested only where a mistake or two in typing tells them apart."""
    with pytest.raises(AttributeError) as caught:
        getattr(ops, name)
    assert str(caught.value) == f"no operator named {name!r} in keyslot.ops.{hint}"
