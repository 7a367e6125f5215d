"""Overload objects: slots, identity, names, signatures, memory."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import rlcompleter
import subprocess
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from keyslot import DispatchKeySet, Library, errors, include_keys
from keyslot.generated.keys import SPACE

from .calling import a, define, help_page, last, ops, reports


def overloads() -> Iterator[Any]:
    """Yield all overloads that keyslot ships."""
    for name in ops:
        packet = getattr(ops, name)
        for overload in packet.overloads():
            yield getattr(packet, overload)


def name_of(op: Any) -> str:
    """Return the identifier of a test."""
    return str(op.__name__)


@pytest.fixture(params=["generated", "defined"])
def op(request: pytest.FixtureRequest, library: Library) -> Any:
    """Return an overload of either kind, with the schema of ``add.Tensor``."""
    if request.param == "generated":
        return ops.add.Tensor
    schema = "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    return define(library, schema, added)


def added(x: Any, y: Any, *, alpha: Any) -> Any:
    """Add, as a kernel of ``add.Tensor``."""
    return x + alpha * y


@pytest.mark.parametrize("shipped", [*overloads()], ids=name_of)
def test_shipped_overloads(shipped: Any) -> None:
    """Every shipped overload has true names, a signature and no room for more."""
    assert shipped.__name__.isidentifier()
    assert shipped.__qualname__ == shipped.qualified_name
    assert [*inspect.signature(shipped).parameters] == [
        argument.name for argument in shipped.schema.arguments
    ]
    assert shipped.__doc__.splitlines()[0] == shipped.schema_text
    assert not hasattr(shipped, "__dict__")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(shipped, protocol)) is shipped


def test_no_room_for_other_attributes(op: Any) -> None:
    """Slots hold handlers; there is no ``__dict__`` for anything else."""
    assert not hasattr(op, "__dict__")
    with pytest.raises(AttributeError):
        op.note = "mine"


def test_identity(op: Any) -> None:
    """Equality and hash are identity; pickles and copies are the very object."""
    assert {op: 1}[op] == 1
    assert op == op  # that is the question
    assert op != ops.mul.Tensor
    assert copy.copy(op) is op
    assert copy.deepcopy({"op": op})["op"] is op
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps([op, op], protocol))[1] is op


def test_weak_reference(op: Any) -> None:
    """An overload can be referred to weakly."""
    assert weakref.ref(op)() is op
    assert weakref.WeakKeyDictionary({op: 1})[op] == 1


def test_names(op: Any) -> None:
    """``__name__`` is an identifier; ``__qualname__`` and ``repr`` have the dot."""
    assert (op.__name__, op.__qualname__) == ("add_Tensor", "add.Tensor")
    assert op.name == f"{op.namespace}::add.Tensor"
    assert repr(op) == f"<OpOverload {op.namespace}::add.Tensor>"
    assert functools.wraps(op)(reports(1)).__name__ == "add_Tensor"


def test_signature(op: Any) -> None:
    """The signature is that of the schema, for `inspect` and for ``help``."""
    assert str(inspect.signature(op)) == "(self, other, *, alpha=1)"
    assert op.__signature__ == inspect.signature(op)
    assert inspect.signature(op).bind(a, other=a).arguments.keys() == {"self", "other"}
    page = help_page(op)
    assert "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor" in page


def test_help_is_that_of_a_function(op: Any) -> None:
    """``help`` shows the signature and the docstring, and no slots or attributes."""
    page = help_page(ops.mul.Tensor)
    first, rest = page.split("\n\n", 1)
    assert first.startswith("Python Library Documentation: ")
    assert rest.startswith(
        "mul_Tensor(self, other)\n    mul.Tensor(Tensor self, Tensor"
    )
    assert rest.rstrip().endswith("[100, 200]])")
    assert "AutogradNumPy" not in page
    assert "AutogradNumPy" not in help_page(op)
    assert inspect.isroutine(op)


def test_overload_binds_as_a_function_does(op: Any) -> None:
    """As an attribute of a class it is a method of the instances, each its own."""

    class Holder:
        plus = op

    first, second = Holder(), Holder()
    assert Holder.plus is op
    assert (first.plus.__func__, first.plus.__self__) == (op, first)
    assert second.plus != first.plus


@pytest.mark.parametrize("protocol", [copy.copy, copy.deepcopy, weakref.proxy])
def test_module_of_an_overload_is_where_it_was_made(protocol: Any) -> None:
    """Copies and proxies have the names of the overload."""
    shipped = ops.mul.Tensor
    assert protocol(shipped).__name__ == "mul_Tensor"
    assert protocol(shipped).__module__ == "keyslot.generated.ops.arithmetic"


def test_completion_offers_operators_and_overloads() -> None:
    """A prompt completes the operators of a namespace, and what an operator has."""
    names: dict[str, Any] = {"ops": ops}
    complete = rlcompleter.Completer(names).complete
    assert str(complete("ops.transpo", 0)).startswith("ops.transpose")
    assert str(complete("ops.mul.Tens", 0)).startswith("ops.mul.Tensor")
    assert str(complete("ops.mul.Tensor.redis", 0)).startswith(
        "ops.mul.Tensor.redispatch"
    )
    assert complete("ops.no_such_op", 0) is None
    assert {"mul", "sum", "zeros_like"} <= {*dir(ops)}
    assert {"Tensor", "Scalar", "out", "overloads", "explain"} <= {*dir(ops.mul)}
    assert {"redispatch", "schema", "NumPy", "AutogradNumPy"} <= {*dir(ops.mul.Tensor)}


def test_signature_with_a_name_that_python_reserves(library: Library) -> None:
    """An argument that cannot be named in Python is passed among the keywords."""
    op = define(library, "cast(Tensor self, *, int from=0) -> Tensor", last)
    assert str(inspect.signature(op)) == "(*args, **kwargs)"
    assert op(a, **{"from": 3}) == 3


def test_slot_is_filled_once(library: Library) -> None:
    """The handler of a key is stored by the first read; later reads are plain."""
    op = define(library, "f(Tensor x) -> Tensor", last)
    slot = type(op).__mro__[1].__dict__["NumPy"]
    with pytest.raises(AttributeError):
        slot.__get__(op)
    assert op.NumPy is last
    assert slot.__get__(op) is last


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "Numpy",
            "has no attribute 'Numpy'. Did you mean NumPy?",
        ),
        (
            "redispach",
            "has no attribute 'redispach'. Did you mean redispatch or PreDispatch?",
        ),
        ("_private", "has no attribute '_private'."),
    ],
)
def test_unknown_attribute(op: Any, name: str, message: str) -> None:
    """A name that is neither a key nor an attribute is refused, with near ones."""
    with pytest.raises(AttributeError) as caught:
        getattr(op, name)
    assert str(caught.value) == f"{op.name} {message}"
    assert (caught.value.name, caught.value.obj) == (name, op)


@pytest.mark.usefixtures("mine")
def test_slot_by_the_name_of_a_backend(library: Library) -> None:
    """A key is an attribute under the name that its backend has been given, too."""
    op: Any = define(library, "f(Tensor x) -> Tensor", last, "Autogradmine")
    assert op.Autogradmine is op.AutogradPrivateUse1 is last


def test_handler_of_a_key_without_a_kernel(op: Any) -> None:
    """It can be loaded, says what it is, and fails when it is called."""
    assert repr(op.Dask) == f"<no kernel of {op.name} at Dask: missing>"
    with pytest.raises(errors.NoKernelError):
        op.Dask(a, a)


@pytest.mark.parametrize("key", SPACE.fallbacks)
def test_handler_of_a_key_with_a_built_in_fallback(op: Any, key: str) -> None:
    """Where nobody is there to be asked, it goes on with the keys below its own."""
    assert getattr(op, key)(a, a, alpha=1).tolist() == op.NumPy(a, a, alpha=1).tolist()
    assert op.at(key, a, a).tolist() == op(a, a).tolist()
    with include_keys(key):
        assert op(a, a).tolist() == op.at("NumPy", a, a).tolist()


def test_schema_is_at_hand(op: Any) -> None:
    """The parsed schema, its text and the keys of a call are attributes."""
    assert str(op.schema) == op.schema_text
    assert op.keys_of((a, a), {}) == DispatchKeySet(
        ["NumPy", "AutogradNumPy", "BackendSelect", "ADInplaceOrView"]
    )


def test_memory_of_an_overload(library: Library) -> None:
    """An overload is one object of half a kilobyte, however many keys there are."""
    op = define(library, "f(Tensor x) -> Tensor")
    op(a)
    assert sys.getsizeof(op) < 512


def test_operator_is_freed_with_its_library() -> None:
    """Nothing holds an operator once its Library is closed."""
    with Library("brief", "DEF") as library:
        op = define(library, "f(Tensor x) -> Tensor")
        op(a)
        library.ops.f(a)
        alive = weakref.ref(op)
        del op
    gc.collect()
    assert alive() is None


def test_importing_resolves_nothing() -> None:
    """Importing an operator imports no kernel and no NumPy, and parses nothing."""
    program = (
        "import sys; from keyslot import ops; ops.mul;"
        "names = 'numpy', 'inspect', 'keyslot.runtime.schema', 'keyslot.kernels.numpy';"
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
