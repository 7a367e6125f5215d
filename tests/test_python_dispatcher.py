"""The Python dispatcher: the key before all others, and the kernels only it sees."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Any

import pytest

from keyslot import (
    DispatchKey,
    DispatchKeySet,
    Library,
    disable_python_dispatcher,
    dispatch_trace,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    fallthrough,
    include_keys,
    rename_backend,
    with_keyset,
)
from keyslot.generated.keys import SPACE, Overload
from keyslot.runtime.cache import HandlerCache

from .dispatching import (
    UNARY,
    answer,
    array,
    fresh_library,
    names,
    unary,
    with_keys,
)

X = array()


@pytest.fixture
def library() -> Iterator[Library]:
    """A Library with an operator ``f`` that has a NumPy kernel."""
    with fresh_library() as made:
        made.impl(made.define(UNARY).op, answer("NumPy"), "NumPy")
        yield made


@pytest.fixture
def op(library: Library) -> Any:
    """The operator of the Library."""
    return library.ops.f.default


CALLS: dict[str, Callable[[Any], Any]] = {
    "call": lambda op: op(X),
    "by name": lambda op: op(x=X),
    "redispatch": lambda op: op.redispatch(DispatchKeySet("NumPy"), X),
    "at": lambda op: op.at("NumPy", X),
    "kernel_for": lambda op: op.kernel_for(type(X))(X),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_python_kernels_are_seen_only_under_the_dispatcher(
    op: Any, library: Library, call: Callable[[Any], Any]
) -> None:
    """Off, a Python kernel changes nothing; on, it comes before the ordinary one."""
    assert call(op) == "NumPy"
    undo = library.py_impl(op, answer("Python"), "NumPy")
    for _ in range(2):
        assert call(op) == "NumPy"
        with enable_python_dispatcher():
            assert call(op) == "Python"
            with disable_python_dispatcher():
                assert call(op) == "NumPy"
    undo()
    with enable_python_dispatcher():
        assert call(op) == "NumPy"


def test_every_call_goes_through_the_dispatcher(op: Any) -> None:
    """Its key is the highest of every call, and no kernel ever finds it in its set."""
    with enable_python_dispatcher():
        keyset = op.keys_of((X,), {})
        assert keyset.highest() is DispatchKey.PythonDispatcher
        op.impl("NumPy", override=True)(with_keys(lambda keyset, x: keyset))
        assert op(X) == keyset.below("PythonDispatcher")


def test_nothing_registered_at_the_dispatcher_key_is_called(library: Library) -> None:
    """What the key does is no kernel: a fallthrough there makes no endless loop."""
    op = library.ops.f.default
    for kernel in (fallthrough, answer("never")):
        with library.impl(op, kernel, "PythonDispatcher"), enable_python_dispatcher():
            assert op(X) == "NumPy"
            keys = DispatchKeySet(["PythonDispatcher", "NumPy"])
            assert op.redispatch(keys, X) == "NumPy"


def test_redispatch_from_a_kernel_stays_under_the_dispatcher(
    op: Any, library: Library
) -> None:
    """Also where the kernel makes up a key set of its own."""
    for rebuilt in (False, True):

        def kernel(keyset: Any, x: Any, rebuilt: bool = rebuilt) -> Any:
            below = keyset.below("Functionalize")
            return op.redispatch(DispatchKeySet("NumPy") if rebuilt else below, x)

        with (
            library.impl(op, kernel, "Functionalize", with_keyset=True),
            library.py_impl(op, answer("Python"), "NumPy"),
            include_keys("Functionalize"),
        ):
            assert op(X) == "NumPy"
            with enable_python_dispatcher():
                assert op(X) == "Python"


def test_key_that_is_left_is_never_added_back(op: Any, library: Library) -> None:
    """A kernel that redispatches below itself is entered once a call."""
    entered: list[str] = []

    def kernel(keyset: Any, x: Any) -> Any:
        entered.append(names(keyset)[0])
        return op.redispatch(keyset.below("Functionalize"), x)

    library.py_impl(op, with_keyset(kernel), "Functionalize")
    guards = enable_python_dispatcher(), include_keys("Functionalize")
    with guards[0], guards[1]:
        assert op(X) == "NumPy"
    assert entered == ["AutogradNumPy"]


def test_dispatcher_can_be_off_inside_a_kernel(op: Any, library: Library) -> None:
    """A Python kernel may call the operator's ordinary kernels."""

    def kernel(x: Any) -> Any:
        with disable_python_dispatcher():
            return "Python and", op(x)

    library.py_impl(op, kernel, "NumPy")
    with enable_python_dispatcher():
        assert op(X) == ("Python and", "NumPy")
        assert op(X) == ("Python and", "NumPy")


def test_handler_is_loaded_once_and_kept(op: Any, library: Library) -> None:
    """``getattr(op, key)`` fills the slot; from then on it is a plain attribute."""
    slot = type(op).__mro__[1].__dict__["NumPy"]
    with pytest.raises(AttributeError):
        slot.__get__(op)
    loaded = getattr(op, "NumPy")  # noqa: B009 # the way it is documented
    assert slot.__get__(op) is loaded
    assert loaded(X) == "NumPy"
    library.py_impl(op, answer("Python"), "NumPy")
    with pytest.raises(AttributeError):
        slot.__get__(op)
    assert op.NumPy(X) == "Python"


@pytest.mark.parametrize("key", DispatchKey.__members__)
def test_every_runtime_key_can_be_loaded(op: Any, key: str) -> None:
    """A string loads the handler of any runtime key; an alias key has none."""
    if key in SPACE.aliases:
        with pytest.raises(AttributeError):
            getattr(op, key)
    else:
        assert callable(getattr(op, key))


def test_unknown_key_is_an_attribute_error(op: Any) -> None:
    """Loading a misspelt key reads like a misspelt attribute, with near names."""
    with pytest.raises(AttributeError) as caught:
        op.Numpy  # noqa: B018 # loads
    assert str(caught.value).startswith(
        f"{op.name} has no attribute 'Numpy'. Did you mean NumPy"
    )
    assert not hasattr(op, "Numpy")
    assert not hasattr(op, "_repr_svg_")


def test_slot_of_a_renamed_backend_is_that_of_the_backend(op: Any) -> None:
    """A handler is loaded by the user's name for its key too."""
    with rename_backend("NumPy", "mylib"):
        assert op.mylib is op.NumPy
        assert op.Autogradmylib is op.AutogradNumPy
    with pytest.raises(AttributeError):
        op.mylib  # noqa: B018 # loads


def test_empty_cell_loads_a_handler_that_explains(op: Any) -> None:
    """Loading where nothing is registered is no error; calling is."""
    with pytest.raises(errors.NoKernelError) as caught:
        op.Functionalize(X)
    assert caught.value.facts.key == "Functionalize"
    with pytest.raises(errors.FallthroughError):
        op.AutogradNumPy(X)


class Native(Overload):
    """An operator with a native side, which says what it was asked to run."""

    __slots__ = ("ran",)
    namespace = "native"
    schema_text = "f(Tensor x, int n=2) -> Tensor"
    origin = "tests"
    kernels = MappingProxyType[str, str]({})
    cache = HandlerCache(("x", "n"), ())

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[Any] = []

    def run_native(self, key: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Note the key and the arguments."""
        self.ran.append((key, args, kwargs))
        return key


@pytest.fixture
def native() -> Iterator[Native]:
    """A fresh operator with a native side."""
    Native.cache = HandlerCache(("x", "n"), ())
    made = Native()
    yield made
    made.remove("the test")


def test_handler_may_be_a_key(native: Native) -> None:
    """A dispatch key as a kernel means: run the native kernel of that key."""
    lib = Library("native", "IMPL")
    lib.impl(native, DispatchKey.NumPy, "NumPy")
    lib.py_impl(native, DispatchKey.Meta, "Dask")
    assert native.NumPy is DispatchKey.NumPy
    assert native.Dask is DispatchKey.Meta
    assert native(X) is DispatchKey.NumPy
    assert native.at("NumPy", X, n=3) is DispatchKey.NumPy
    assert native.redispatch(DispatchKeySet("NumPy"), X) is DispatchKey.NumPy
    with enable_python_dispatcher():
        assert native(X) is DispatchKey.NumPy
        assert native.at("Dask", X) is DispatchKey.Meta
        assert native.redispatch(DispatchKeySet("Dask"), X) is DispatchKey.Meta
    assert [(args[1:], named) for _, args, named in native.ran] == [
        *[((2,), {}), ((3,), {}), ((2,), {})],
        *[((2,), {})] * 3,
    ]
    lib.close()
    with pytest.raises(errors.NoKernelError):
        native(X)


def test_python_kernel_comes_before_a_native_one(native: Native) -> None:
    """The handler of a key is the function while there is one, then the key again."""
    with Library("native", "IMPL") as lib:
        lib.impl(native, DispatchKey.NumPy, "NumPy")
        with lib.py_impl(native, answer("Python"), "NumPy"):
            assert native(X) is DispatchKey.NumPy
            with enable_python_dispatcher():
                assert native(X) == "Python"
        with enable_python_dispatcher():
            assert native(X) is DispatchKey.NumPy


def test_native_side_decomposes_too(native: Native) -> None:
    """A composite on the native side is run there."""
    with Library("native", "IMPL") as lib:
        key = DispatchKey.CompositeImplicitAutograd
        lib.impl(native, key, key)
        assert native.decompose(X) is key


def test_plain_operator_has_no_native_side(op: Any, library: Library) -> None:
    """The error says so, and of which operator."""
    library.impl(op, DispatchKey.Dask, "Dask")
    with pytest.raises(NotImplementedError) as caught:
        op.at("Dask", X)
    assert str(caught.value) == (
        f"{op.name} has no native side to run DispatchKey.Dask on"
    )


def test_recursion_is_told_as_a_chain(library: Library) -> None:
    """Operators that decompose into each other are named with their keys."""
    there = library.define("there(Tensor x) -> Tensor").op
    back = library.define("back(Tensor x) -> Tensor").op
    library.impl(there, unary(lambda x: back(x)), "CompositeImplicitAutograd")
    library.impl(back, unary(lambda x: there(x)), "CompositeImplicitAutograd")
    with enable_python_dispatcher():
        for _ in range(2):
            with pytest.raises(errors.DispatchRecursionError) as caught:
                there(X)
            chain = caught.value.chain
            assert chain[0] == chain[2]
            assert {*chain} == {
                f"{there.name} at AutogradNumPy",
                f"{back.name} at AutogradNumPy",
            }
            assert "dispatch goes in a circle:" in str(caught.value)
            assert isinstance(caught.value, RecursionError)


def test_operator_that_calls_itself_is_told(op: Any, library: Library) -> None:
    """The shortest circle: the same operator at the same key."""
    library.py_impl(op, unary(lambda x: op(x)), "NumPy")
    with enable_python_dispatcher(), pytest.raises(errors.KeyslotError) as caught:
        op(X)
    step = f"{op.name} at NumPy"
    assert str(caught.value) == (
        f"dispatch goes in a circle:\n  -> {step}\n  -> {step}\n"
        "  what to do: let one of these kernels redispatch below its own key, or"
        " register a kernel that does not call the others"
    )


def test_recursion_of_a_kernel_by_itself_is_its_own_affair(
    op: Any, library: Library
) -> None:
    """Only circles through dispatch are told; other errors pass through."""

    def deep(_: Any) -> Any:
        return deep(_)

    library.py_impl(op, deep, "NumPy")
    with enable_python_dispatcher(), pytest.raises(RecursionError) as caught:
        op(X)
    assert type(caught.value) is RecursionError


def test_kernel_may_recurse_on_smaller_problems(library: Library) -> None:
    """Calling oneself is no circle while it ends."""
    op = library.define("down(Tensor x, int n) -> Tensor").op

    def kernel(x: Any, n: int) -> Any:
        return op(x, n - 1) if n else 0

    library.py_impl(op, kernel, "NumPy")
    with enable_python_dispatcher():
        assert op(X, 50) == 0


def fail(_: Any) -> None:
    """Raise what only a kernel would."""
    raise ZeroDivisionError("the kernel's own")


@pytest.mark.parametrize(
    "kernel",
    [fail, partial(fail), with_keys(lambda _, x: fail(x)), type("K", (), {})],
    ids=["function", "partial", "with key set", "class"],
)
def test_errors_of_kernels_pass_through(op: Any, library: Library, kernel: Any) -> None:
    """A kernel's own exception is not wrapped, chained or changed."""
    library.py_impl(op, kernel, "NumPy")
    with enable_python_dispatcher():
        for _ in range(2):
            with pytest.raises((ZeroDivisionError, TypeError)) as caught:
                op(X)
            assert not isinstance(caught.value, errors.KeyslotError)
            assert caught.value.__context__ is None
            assert caught.value.__cause__ is None


@pytest.mark.parametrize("alias", SPACE.aliases)
def test_alias_keys_serve_python_kernels(library: Library, alias: str) -> None:
    """A Python kernel at an alias key is found at what the alias expands to."""
    op = library.define("g(Tensor x) -> Tensor").op
    library.py_impl(op, answer(alias), alias)
    key = SPACE.aliases[alias][0]
    with pytest.raises(errors.KeyslotError):
        op.redispatch(DispatchKeySet(key), X)
    with enable_python_dispatcher():
        assert op.redispatch(DispatchKeySet(key), X) == alias
        assert op.at(key, X) == alias


def test_python_composite_gives_way_to_an_ordinary_backend_kernel(
    op: Any, library: Library
) -> None:
    """Python kernels and ordinary ones are resolved together, by the one order."""
    library.py_impl(op, answer("composite"), "CompositeImplicitAutograd")
    with enable_python_dispatcher():
        assert op(X) == "NumPy"
        assert op.at("Dask", X) == "composite"
        assert op.at("AutogradDask", X) == "composite"


def test_decompose_takes_the_composite(op: Any, library: Library) -> None:
    """The Python composite comes first, whatever the state; without one, a hint."""
    assert op.decompose(X) is NotImplemented
    ordinary = library.impl(op, answer("ordinary"), "CompositeImplicitAutograd")
    assert op.decompose(X) == "ordinary"
    python = library.py_impl(op, answer("Python"), "CompositeImplicitAutograd")
    assert op.decompose(x=X) == "Python"
    ordinary()
    assert op.decompose(X) == "Python"
    python()
    assert op.decompose(X) is NotImplemented
    with library.impl(op, fallthrough, "CompositeImplicitAutograd"):
        assert op.decompose(X) is NotImplemented


def test_decompose_fills_in_defaults_and_key_set(library: Library) -> None:
    """The composite kernel gets what it would get from a call."""
    op = library.define("h(Tensor x, int n=3, *, bool b=True) -> Tensor").op

    def kernel(*args: Any, **named: Any) -> Any:
        return args, named

    with library.impl(op, kernel, "CompositeImplicitAutograd"):
        assert op.decompose(X) == ((X, 3), {"b": True})
    with library.impl(op, with_keyset(kernel), "CompositeImplicitAutograd"):
        assert op.decompose(X) == ((op.keys_of((X,), {}), X, 3), {"b": True})


def test_trace_says_what_python_chose(op: Any, library: Library) -> None:
    """The line of a call under the dispatcher names its handler and its source."""
    library.py_impl(op, answer("Python"), "NumPy")
    lines: list[str] = []
    with enable_python_dispatcher(), dispatch_trace(lines.append):
        op(X)
    (line,) = lines
    assert line.startswith(f"{op.name}(numpy.ndarray) [PythonDispatcher, ")
    assert "-> NumPy: Python kernel at NumPy: " in line


def test_dispatcher_counts_as_a_state(op: Any, library: Library) -> None:
    """Other guards work under it as they do without."""
    library.py_impl(op, answer("Python"), "Functionalize")
    with enable_python_dispatcher(), include_keys("Functionalize"):
        assert op(X) == "Python"
        with exclude_keys("Functionalize"):
            assert op(X) == "NumPy"


def test_recursion_limit_is_met_wherever_it_is(op: Any, library: Library) -> None:
    """Near the limit a first call fails whole or works; a later one always works."""
    library.py_impl(op, answer("Python"), "NumPy")

    def at_depth(left: int, call: Callable[[], Any]) -> Any:
        return at_depth(left - 1, call) if left else call()

    depth = 0
    frame = sys._getframe()  # pyright: ignore[reportPrivateUsage] # documented
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    room = sys.getrecursionlimit() - depth
    with enable_python_dispatcher():
        for left in range(room - 60, room):
            try:
                assert at_depth(left, lambda: op(X)) == "Python"
            except RecursionError as error:
                assert type(error) is RecursionError  # noqa: PT017 # either will do
        assert op(X) == "Python"
    assert op(X) == "NumPy"
