"""Registration: Libraries, what can be a kernel, and what is refused."""

from __future__ import annotations

import functools
import gc
import operator as operators
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from keyslot import (
    DispatchKey,
    Library,
    disable_python_dispatcher,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    fallthrough,
    include_keys,
    ops,
    with_keyset,
)
from keyslot.generated.keys import SPACE

from .dispatching import (
    UNARY,
    answer,
    array,
    fresh_library,
    fresh_namespace,
    operator,
    unary,
)

X = array()


@pytest.fixture
def library() -> Iterator[Library]:
    """A Library that defines a namespace with one operator, ``f``."""
    with fresh_library() as made:
        made.define(UNARY)
        yield made


def here() -> str:
    """Return the line after that of the call, as errors show it."""
    line = sys._getframe(1).f_lineno  # pyright: ignore[reportPrivateUsage] # documented
    return f"{__file__}:{line + 1}"


class Instance:
    """An instance that can be called."""

    def __call__(self, x: Any) -> Any:
        return "instance"

    def method(self, x: Any) -> Any:
        """Return a text of its own."""
        return "method"

    @staticmethod
    def static(x: Any) -> Any:
        """Return a text of its own."""
        return "static"

    @classmethod
    def of_class(cls, x: Any) -> Any:
        """Return a text of its own."""
        return "class method"


class Made:
    """A class whose instances are results."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __eq__(self, other: object) -> bool:
        return other == "made"

    __hash__ = None  # type: ignore[assignment] # never hashed


@functools.lru_cache
def cached(_: int) -> str:
    """Return a text of its own."""
    return "cached"


@functools.singledispatch
def generic(_: Any) -> str:
    """Return a text of its own."""
    return "generic"


@functools.wraps(generic)
def wrapped(x: Any) -> str:
    """Return a text of its own."""
    return "wrapped"


def first(one: str, _: Any) -> str:
    """Return the first argument."""
    return one


KERNELS: dict[str, tuple[Any, Any]] = {
    "function": (answer("function"), "function"),
    "lambda": (unary(lambda x: "lambda"), "lambda"),
    "partial": (functools.partial(first, "partial"), "partial"),
    "instance": (Instance(), "instance"),
    "bound method": (Instance().method, "method"),
    "static method": (Instance.static, "static"),
    "class method": (Instance.of_class, "class method"),
    "class": (Made, "made"),
    "builtin": (len, 2),
    "ufunc": (np.size, 2),
    "itemgetter": (operators.itemgetter(0), 0.0),
    "method descriptor": (np.ndarray.max, 0.0),
    "singledispatch": (generic, "generic"),
    "wrapped": (wrapped, "wrapped"),
}


@pytest.mark.parametrize(("kernel", "result"), KERNELS.values(), ids=KERNELS)
def test_whatever_can_be_called_is_a_kernel(
    library: Library, kernel: Any, result: Any
) -> None:
    """By every registration, and with the Python dispatcher off and on."""
    op = library.ops.f.default
    library.impl(op, kernel, "NumPy")
    assert op(X) == result
    with enable_python_dispatcher():
        assert op(X) == result
    library.py_impl(op, kernel, "NumPy")
    with enable_python_dispatcher():
        assert op(X) == result
    assert op.at("NumPy", X) == result
    assert "NumPy" in repr(op.table)


def test_lru_cache_is_a_kernel() -> None:
    """A callable that no signature can be read from."""
    with operator("f(int n) -> Tensor", NumPy=cached) as (_, op):
        assert op(1) == "cached"


def test_two_bound_methods_are_two_kernels(library: Library) -> None:
    """Neither redirects the other, nor does calling one bind the other anew."""

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def run(self, _: Any) -> str:
            return self.name

    op = library.ops.f.default
    library.impl(op, Named("first").run, "NumPy")
    library.impl(op, Named("second").run, "Dask")
    assert (op.at("NumPy", X), op.at("Dask", X)) == ("first", "second")


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (
            3,
            "a kernel for NumPy must be callable (a function, a method, a partial, a"
            " builtin), not int",
        ),
        (
            "multiply",
            "a kernel for NumPy must be callable (a function, a method, a partial, a"
            " builtin), not str",
        ),
        (
            with_keyset(list[int]),
            "list[int] is a type annotation, not a kernel for NumPy; it can be called"
            " but makes no result of an operator",
        ),
        (
            list[int],
            "list[int] is a type annotation, not a kernel for NumPy; it can be called"
            " but makes no result of an operator",
        ),
        (
            Callable[[int], int],
            "collections.abc.Callable[[int], int] is a type annotation, not a kernel"
            " for NumPy; it can be called but makes no result of an operator",
        ),
    ],
    ids=["int", "str", "with key set", "list[int]", "Callable"],
)
def test_what_is_no_kernel_is_refused(
    library: Library, kernel: Any, message: str
) -> None:
    """At once and with the reason, not by the first call."""
    op = library.ops.f.default
    registrations: list[Callable[[], Any]] = [
        lambda: library.impl(op, kernel, "NumPy"),
        lambda: library.py_impl(op, kernel, "NumPy"),
        lambda: library.fallback(kernel, "NumPy"),
        lambda: op.impl("NumPy")(kernel),
        lambda: op.py_impl("NumPy")(kernel),
    ]
    for register in registrations:
        with pytest.raises(errors.NotAKernelError) as caught:
            register()
        assert str(caught.value) == message
    with pytest.raises(errors.NoKernelError):
        op(X)


def test_second_kernel_names_both_sites(library: Library) -> None:
    """A duplicate is an error that says where both are from, and keeps its facts."""
    op = library.ops.f.default
    first = here()
    library.impl(op, answer(1), "NumPy")
    with Library(library.namespace, "IMPL") as other:
        with pytest.raises(errors.DuplicateKernelError) as caught:
            other.impl("f", answer(2), "NumPy")
        second = f"{__file__}:{int(first.rpartition(':')[2]) + 3}"
    assert str(caught.value) == (
        f"{op.name} already has a kernel at NumPy\n"
        f"  registered at {first} ({library})\n"
        f"  refused now at {second} ({other})\n"
        "  what to do: pass override=True to put the new one on top; undoing it brings"
        " the first one back"
    )
    assert (caught.value.op, caught.value.key) == (op.name, "NumPy")
    assert op(X) == 1


def test_duplicate_names_the_kernel_of_that_key(library: Library) -> None:
    """Not the one of another key, and of several the one in force."""
    op = library.ops.f.default
    library.impl(op, answer(1), "Dask")
    library.impl(op, answer(1), "NumPy")
    newest = here()
    library.impl(op, answer(2), "NumPy", override=True)
    with pytest.raises(errors.DuplicateKernelError) as caught:
        library.impl(op, answer(3), "NumPy")
    assert caught.value.first == f"{newest} ({library})"


def test_python_and_ordinary_kernels_are_no_duplicates(library: Library) -> None:
    """Each kind has stacks of its own."""
    op = library.ops.f.default
    library.impl(op, answer(1), "NumPy")
    library.py_impl(op, answer(2), "NumPy")
    with pytest.raises(errors.DuplicateKernelError):
        library.py_impl(op, answer(3), "NumPy")


def test_kernel_of_the_yaml_is_overridden_and_comes_back() -> None:
    """The declared kernel counts: it needs ``override``, and the undo restores it."""
    with Library("keyslot", "IMPL") as library:
        with pytest.raises(errors.DuplicateKernelError) as caught:
            library.impl("neg", answer("mine"), "NumPy")
        assert caught.value.first.startswith("schemas/ops/unary.yaml (")
        assert ops.neg(X).tolist() == [0.0, 0.0]
        for _ in range(2):
            with library.impl("neg", answer("mine"), "NumPy", override=True):
                assert ops.neg(X) == "mine"
            assert ops.neg(X).tolist() == [0.0, 0.0]
        library.impl("neg", answer("left"), "NumPy", override=True)
    assert ops.neg(X).tolist() == [0.0, 0.0]


def test_decorators_register_and_return_the_function(library: Library) -> None:
    """``op.impl`` and ``op.py_impl`` leave the name bound to the function itself."""
    op = library.ops.f.default

    @op.impl("NumPy")  # type: ignore[untyped-decorator] # an operator made at run time
    def kernel(x: Any) -> str:
        return "ordinary"

    @op.py_impl(DispatchKey.NumPy)  # type: ignore[untyped-decorator] # the same
    def python_kernel(x: Any) -> str:
        return "Python"

    assert (kernel(X), python_kernel(X)) == ("ordinary", "Python")
    assert op(X) == "ordinary"
    with enable_python_dispatcher():
        assert op(X) == "Python"


@pytest.mark.parametrize("key", [*SPACE.keys, *SPACE.aliases])
def test_keys_are_members_or_strings(library: Library, key: str) -> None:
    """A kernel registered under one is found there under the other."""
    op = library.ops.f.default
    library.impl(op, answer(1), key)
    with pytest.raises(errors.DuplicateKernelError):
        library.impl(op, answer(2), DispatchKey[key])


@pytest.mark.parametrize(
    ("op", "error", "message"),
    [
        (
            "g",
            errors.UnknownOperatorError,
            "namespace {n!r} has no operator 'g'.",
        ),
        (
            "f.Tensor",
            errors.UnknownOverloadError,
            "{n}::f has no overload 'Tensor'. Name one of f.default.",
        ),
        (
            "keyslot::neg",
            errors.LibraryError,
            "Library({n!r}, 'DEF') cannot register for keyslot::neg,"
            " which is elsewhere",
        ),
        (3, errors.NotAnOverloadError, "an overload or its name is needed, not int"),
        (
            ops.neg,
            errors.NotAnOverloadError,
            "an overload or its name is needed, not function; name one of its"
            " overloads: neg",
        ),
    ],
)
def test_operator_that_is_not_there(
    library: Library, op: Any, error: type[Exception], message: str
) -> None:
    """The message says what is wrong with what was given as operator."""
    with pytest.raises(error) as caught:
        library.impl(op, answer(1), "NumPy")
    assert str(caught.value).startswith(message.format(n=library.namespace))


def test_operator_is_named_in_any_form(library: Library) -> None:
    """By overload, by name, with the default overload's name or the namespace."""
    op = library.ops.f.default
    for name in ("f", "f.default", f"{library.namespace}::f", op):
        with library.impl(name, answer(1), "NumPy"):
            assert op(X) == 1


CLOSED: dict[str, Callable[[Library], Any]] = {
    "define": lambda library: library.define("g(Tensor x) -> Tensor"),
    "impl": lambda library: library.impl("f", answer(1), "NumPy"),
    "py_impl": lambda library: library.py_impl("f", answer(1), "NumPy"),
    "fallback": lambda library: library.fallback(answer(1), "NumPy"),
    "enter": lambda library: library.__enter__(),
}


@pytest.mark.parametrize("use", CLOSED.values(), ids=CLOSED)
def test_closed_library_registers_nothing(
    library: Library, use: Callable[[Library], Any]
) -> None:
    """Use after close is an error that says so; closing again is none."""
    library.close()
    library.close()
    with pytest.raises(errors.ClosedLibraryError) as caught:
        use(library)
    assert str(caught.value) == (
        f"{library} is closed; make a new Library to register more"
    )
    assert repr(library).startswith(f"<closed {library} from {__file__[:5]}")


AFTERWARDS: dict[str, Callable[[Any], Any]] = {
    "call": lambda op: op(X),
    "by name": lambda op: op(x=X),
    "slot": lambda op: op.NumPy(X),
    "at": lambda op: op.at("NumPy", X),
    "redispatch": lambda op: op.redispatch(op.dispatcher.keyset_type("NumPy"), X),
    "kernel_for": lambda op: op.kernel_for(type(X)),
    "table": lambda op: op.table,
    "explain": lambda op: op.explain(X),
    "impl": lambda op: op.impl("Dask")(answer(1)),
    "py_impl": lambda op: op.py_impl("Dask")(answer(1)),
    "decompose": lambda op: op.decompose(X),
}


@pytest.mark.parametrize("use", AFTERWARDS.values(), ids=AFTERWARDS)
@pytest.mark.parametrize("warm", [False, True])
def test_operator_of_a_closed_library_is_gone(
    use: Callable[[Any], Any], warm: bool
) -> None:
    """A handle that outlives it says what happened, also where a call was cached."""
    with operator(NumPy=answer(1)) as (library, op):
        if warm:
            for call in AFTERWARDS.values():
                if call not in (AFTERWARDS["impl"], AFTERWARDS["py_impl"]):
                    call(op)
    for guard in (enable_python_dispatcher, disable_python_dispatcher):
        with guard(), pytest.raises(errors.OperatorRemovedError) as caught:
            use(op)
        assert str(caught.value) == (
            f"{op.name} no longer exists: {library}, which defined it, was closed"
        )


def test_operator_can_be_defined_again_after_close() -> None:
    """A new Library of the same namespace starts from nothing."""
    namespace = fresh_namespace()
    for result in range(3):
        with Library(namespace, "DEF") as library:
            op = library.define(UNARY).op
            with pytest.raises(errors.NoKernelError):
                op(X)
            library.impl(op, answer(result), "NumPy")
            assert library.ops.f(X) == result


def test_kernels_belong_to_the_operator_and_not_to_its_name() -> None:
    """What another Library registered ends with the operator; undoing it is no error.

    The next operator of this name may take other arguments.
    """
    namespace = fresh_namespace()
    with Library(namespace, "IMPL") as other:
        with Library(namespace, "DEF") as library:
            library.define(UNARY)
            undo = other.impl("f", answer("first"), "NumPy")
            other.py_impl("f", answer("Python"), "NumPy")
            assert library.ops.f(X) == "first"
        with Library(namespace, "DEF") as library:
            library.define("f(Tensor x, int n=1) -> Tensor")
            with pytest.raises(errors.NoKernelError), enable_python_dispatcher():
                library.ops.f(X)
            undo()
            other.impl("f", answer("second"), "NumPy")
            assert library.ops.f(X) == "second"
            other.close()
            with pytest.raises(errors.NoKernelError):
                library.ops.f(X)


def test_library_that_nobody_holds_stays(library: Library) -> None:
    """Registrations live until they are closed, not until a name goes out of scope."""

    def register() -> weakref.ref[Library]:
        made = Library(library.namespace, "IMPL")
        made.impl("f", answer("stays"), "NumPy")
        return weakref.ref(made)

    there = register()
    gc.collect()
    assert library.ops.f(X) == "stays"
    made = there()
    assert made is not None
    made.close()
    with pytest.raises(errors.NoKernelError):
        library.ops.f(X)


def test_closed_library_is_let_go() -> None:
    """After close nothing in keyslot holds the Library or its kernels."""

    class Kernel:
        def __call__(self, x: Any) -> Any:
            return x

    with fresh_library() as library:
        op = library.define(UNARY).op
        kernel = Kernel()
        with Library(library.namespace, "IMPL") as other:
            for key in ("NumPy", "CompositeImplicitAutograd"):
                other.impl(op, kernel, key)
                other.py_impl(op, kernel, key)
            other.fallback(kernel, "Dask")
            op(X)
            op.at("NumPy", X)
            with enable_python_dispatcher():
                op(X)
        there = weakref.ref(kernel), weakref.ref(other)
        del kernel, other
        gc.collect()
        assert [ref() for ref in there] == [None, None]


def test_kernels_of_two_libraries_are_closed_in_any_order(library: Library) -> None:
    """Each takes back its own, whichever was on top."""
    op = library.ops.f.default
    for order in (0, 1):
        both = [Library(library.namespace, "IMPL") for _ in range(2)]
        for result, made in enumerate(both):
            made.impl(op, answer(result), "NumPy", override=True)
        both[order].close()
        assert op(X) == 1 - order
        both[1 - order].close()
        with pytest.raises(errors.NoKernelError):
            op(X)


def test_library_left_by_an_exception_is_closed(library: Library) -> None:
    """As a context manager it takes everything back in any case."""

    def fail() -> None:
        with Library(library.namespace, "IMPL") as other:
            other.impl("f", answer(1), "NumPy")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with pytest.raises(errors.NoKernelError):
        library.ops.f(X)


@pytest.mark.parametrize(
    ("namespace", "kind", "message"),
    [
        ("prim", "DEF", "the namespace 'prim' is reserved"),
        ("prim", "IMPL", "the namespace 'prim' is reserved"),
        ("mine", "NEW", "a Library is one of DEF, IMPL, FRAGMENT, not 'NEW'"),
        ("a b", "DEF", "a namespace is an identifier, not 'a b'"),
        (
            "keyslot",
            "DEF",
            "the namespace 'keyslot' is defined already, by keyslot.generated;"
            " make a 'FRAGMENT' Library to add to it",
        ),
    ],
)
def test_impossible_libraries_are_refused(
    namespace: str, kind: str, message: str
) -> None:
    """A Library that cannot be is not made, and reserves nothing."""
    with pytest.raises(errors.LibraryError) as caught:
        Library(namespace, kind)
    assert str(caught.value) == message


def test_namespace_is_defined_once(library: Library) -> None:
    """A second DEF Library is refused with the place of the first, until it closes."""
    with pytest.raises(errors.LibraryError) as caught:
        Library(library.namespace, "DEF")
    assert str(caught.value) == (
        f"the namespace {library.namespace!r} is defined already, by {library.site};"
        " make a 'FRAGMENT' Library to add to it"
    )
    with Library(library.namespace, "FRAGMENT") as fragment:
        fragment.define("g(Tensor x) -> Tensor")
        assert [*library.ops] == ["f", "g"]
    assert [*library.ops] == ["f"]
    library.close()
    Library(library.namespace, "DEF").close()


def test_impl_library_defines_nothing(library: Library) -> None:
    """Whoever only brings kernels cannot add operators by mistake."""
    other = Library(library.namespace, "IMPL")
    with other, pytest.raises(errors.LibraryError) as caught:
        other.define("g(Tensor x) -> Tensor")
    assert str(caught.value) == (
        f"{other} may only register kernels; make a 'FRAGMENT' Library to define"
    )


def test_kernel_can_be_switched_off_for_a_block(library: Library) -> None:
    """Excluding its key, in this thread alone, lets the next kernel take over."""
    op = library.ops.f.default
    library.impl(op, answer("own"), "Functionalize")
    library.impl(op, answer("NumPy"), "NumPy")
    library.impl(op, fallthrough, "AutogradNumPy")
    with include_keys("Functionalize"):
        assert op(X) == "own"
        with exclude_keys("Functionalize"):
            assert op(X) == "NumPy"
        assert op(X) == "own"


def test_site_is_read_from_the_frame_alone(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lazy module that fails to import, anywhere, does not disturb a registration."""

    class Lazy:
        def __getattr__(self, name: str) -> Any:
            raise ImportError(f"this module has no {name}")

    monkeypatch.setitem(sys.modules, "a_lazy_module", Lazy())
    place = here()
    undo = library.impl("f", answer(1), "NumPy")
    cell = undo.op.table["NumPy"]
    assert cell.site == f"{place} ({library})"


def test_importing_a_backend_changes_nothing() -> None:
    """Loading operators and kernels leaves tables and states of others alone."""
    script = (
        "import keyslot\n"
        "from keyslot.generated.keys import DISPATCHER\n"
        "before = DISPATCHER.fallbacks, DISPATCHER.version\n"
        "import keyslot.kernels.numpy, keyslot.kernels.composite\n"
        "from keyslot import ops\n"
        "[getattr(ops, name) for name in ops]\n"
        "assert (DISPATCHER.fallbacks, DISPATCHER.version) == before\n"
        "assert not DISPATCHER.active\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
