"""``check_kernels``: a kernel that breaks its schema is found, and named."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from contextlib import nullcontext
from traceback import extract_stack
from typing import Any

import numpy as np
import pytest

from keyslot import check_kernels, enable_python_dispatcher, errors, include_keys

from .calling import Mine
from .dispatching import answer, binary, operator, unary

Kernel = Callable[..., Any]


def vector() -> Any:
    """Return three numbers with memory of their own."""
    return np.array([1.0, 2.0, 3.0])


def writes(x: Any, *others: Any, **named: Any) -> Any:
    """Add one to the first argument, which is returned as another array."""
    del others, named
    x += 1
    return x.copy()


def writes_items(xs: Any) -> Any:
    """Write to the items of a list, to the arrays in lists in it too."""
    for x in xs:
        (writes if isinstance(x, np.ndarray) else writes_items)(x)
    return vector()


def reshapes(x: Any) -> Any:
    """Give the caller's array one more dimension."""
    x.shape = (*x.shape, 1)
    return x.copy()


def returns_inner(xs: Any) -> Any:
    """Return a view of the first array in a list of lists."""
    return xs[0][0][1:]


def writes_by_name(x: Any, *, out: Any) -> Any:
    """Write to both arguments, of which one is marked."""
    x += 1
    out[...] = x
    return out


BROKEN: list[tuple[str, Kernel, tuple[Any, ...], str]] = [
    (
        "f(Tensor x) -> Tensor",
        writes,
        (vector(),),
        "wrote to argument 'x', which the schema does not mark as written",
    ),
    (
        "f(Tensor x) -> Tensor",
        reshapes,
        (vector(),),
        "wrote to argument 'x', which the schema does not mark as written",
    ),
    (
        "f(Tensor? x) -> Tensor",
        writes,
        (vector(),),
        "wrote to argument 'x', which the schema does not mark as written",
    ),
    (
        "f(Tensor(a) x) -> Tensor(a)",
        writes,
        (vector(),),
        "wrote to argument 'x', which the schema does not mark as written",
    ),
    (
        "f(Tensor[] xs) -> Tensor",
        writes_items,
        ([vector(), vector()],),
        "wrote to argument 'xs', which the schema does not mark as written",
    ),
    (
        "f(Tensor[][] xs) -> Tensor",
        writes_items,
        ([[vector()], []],),
        "wrote to argument 'xs', which the schema does not mark as written",
    ),
    (
        "f(Tensor x, Tensor(a!) y) -> Tensor",
        writes,
        (vector(), vector()),
        "wrote to argument 'x', which the schema does not mark as written",
    ),
    (
        "f(Tensor x) -> Tensor",
        unary(lambda x: x),
        (vector(),),
        "returned memory of argument 'x' as its result, and the schema does not say"
        " that they share it",
    ),
    (
        "f(Tensor x) -> Tensor",
        unary(lambda x: x[1:]),
        (vector(),),
        "returned memory of argument 'x' as its result, and the schema does not say"
        " that they share it",
    ),
    (
        "f(Tensor[][] xs) -> Tensor",
        returns_inner,
        ([[vector()]],),
        "returned memory of argument 'xs' as its result, and the schema does not say"
        " that they share it",
    ),
    (
        "f(Tensor(a) x, Tensor(b) y) -> Tensor(a)",
        binary(lambda x, y: y),
        (vector(), vector()),
        "returned memory of argument 'y' as its result, and the schema does not say"
        " that they share it",
    ),
    (
        "f(Tensor x) -> (Tensor first, Tensor second)",
        unary(lambda x: (x.copy(), x)),
        (vector(),),
        "returned memory of argument 'x' as result 'second', and the schema does not"
        " say that they share it",
    ),
    (
        "f(Tensor x) -> (Tensor, Tensor)",
        unary(lambda x: (x + 1,) * 2),
        (vector(),),
        "returned the same memory as result 1 and as result 2",
    ),
    (
        "f_(Tensor(a!) self) -> Tensor(a!)",
        writes,
        (vector(),),
        "returned something else than argument 'self', which the schema declares as"
        " its result",
    ),
    (
        "f(Tensor x) -> (Tensor, Tensor)",
        unary(lambda x: (x + 1,)),
        (vector(),),
        "returned 1 values in a tuple, and the schema declares (Tensor, Tensor)",
    ),
    (
        "f(Tensor x) -> (Tensor, Tensor)",
        unary(lambda x: x + 1),
        (vector(),),
        "returned a value, and the schema declares (Tensor, Tensor)",
    ),
    (
        "f(Tensor x) -> Tensor",
        unary(lambda x: (x + 1,)),
        (vector(),),
        "returned 1 values in a tuple, and the schema declares (Tensor)",
    ),
    (
        "f(Tensor x) -> Tensor",
        answer(None),
        (vector(),),
        "returned None, and the schema declares (Tensor)",
    ),
    (
        "f(Tensor x) -> Tensor[]",
        unary(lambda x: x + 1),
        (vector(),),
        "returned a value, and the schema declares (Tensor[])",
    ),
    (
        "f(Tensor x) -> ()",
        unary(lambda x: x + 1),
        (vector(),),
        "returned a value, and the schema declares ()",
    ),
]


@pytest.mark.parametrize(("schema", "kernel", "given", "problem"), BROKEN)
def test_broken_promise_is_named(
    schema: str, kernel: Kernel, given: tuple[Any, ...], problem: str
) -> None:
    """Operator, schema, what was done to which argument or result, by which kernel."""
    with operator(schema, NumPy=kernel) as (library, op):
        with check_kernels(), pytest.raises(errors.KernelCheckError) as caught:
            op(*given)
        with check_kernels(), pytest.raises(errors.KernelCheckError):
            op(*given)
        lines = str(caught.value).splitlines()
        assert lines[0] == f"{op.name}: the kernel at NumPy {problem}"
        assert lines[1] == f"  schema: {schema}"
        where = rf"  kernel: .*{re.escape(kernel.__qualname__)} from .*dispatching\.py:"
        assert re.match(where, lines[2])
        assert str(library) in lines[2]
        assert lines[3].startswith("  what to do: let the kernel ")
        assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize(
    ("schema", "kernel", "given"),
    [
        ("f(Tensor x) -> Tensor", unary(lambda x: x + 1), (vector(),)),
        ("f(Tensor x) -> Tensor", unary(lambda x: x.sum()), (vector(),)),
        ("f(Tensor x) -> Tensor?", answer(None), (vector(),)),
        ("f(Tensor x) -> ()", answer(None), (vector(),)),
        ("f(Tensor x) -> int", len, (vector(),)),
        ("f(Tensor x) -> Tensor[]", unary(lambda x: []), (vector(),)),
        ("f(Tensor x) -> (Tensor, int)", unary(lambda x: [x + 1, 3]), (vector(),)),
        ("f(Tensor(a) x) -> Tensor(a)", unary(lambda x: x[1:]), (vector(),)),
        ("f(Tensor(a) x) -> Tensor(a)", unary(lambda x: x.copy()), (vector(),)),
        (
            "f(Tensor(a -> *) x) -> Tensor(a)[]",
            unary(lambda x: [x, x[1:]]),
            (vector(),),
        ),
        ("f(Tensor(*) x) -> Tensor(*)", unary(lambda x: x), (vector(),)),
        ("f(Tensor(a!) x) -> ()", unary(lambda x: x.sort()), (vector(),)),
        ("f(Tensor x) -> Tensor", unary(lambda x: x + np.nan), (vector() * np.nan,)),
    ],
)
def test_kept_promise_is_left_alone(
    schema: str, kernel: Kernel, given: tuple[Any, ...]
) -> None:
    """What the schema allows is allowed; the result is the kernel's own."""
    with operator(schema, NumPy=kernel) as (_, op), check_kernels():
        op(*given)


@pytest.mark.parametrize(
    ("declared", "marked"),
    [
        ("Tensor x", "Tensor(a!) x"),
        ("Tensor? x", "Tensor(a!)? x"),
        ("Tensor[] x", "Tensor(a!)[] x"),
    ],
)
def test_schema_that_is_proposed_is_the_right_one(declared: str, marked: str) -> None:
    """The marks of the hint are where the schema language has them."""
    given = [vector()] if "[]" in declared else vector()
    kernel = writes_items if "[]" in declared else writes
    with (
        operator(f"f({declared}) -> Tensor", NumPy=kernel) as (_, op),
        check_kernels(),
        pytest.raises(errors.KernelCheckError) as caught,
    ):
        op(given)
    assert caught.value.hint.endswith(f"or mark the argument, {marked}")
    with operator(f"f({marked}) -> Tensor", NumPy=kernel) as (_, op), check_kernels():
        op(given)


def test_memory_that_is_shared_before_the_call() -> None:
    """One array as two arguments: what the schema says of either one counts."""
    x = vector()
    schema = "f_(Tensor(a!) self, Tensor other) -> Tensor(a!)"
    with operator(schema, NumPy=np.ndarray.__iadd__) as (_, op), check_kernels():
        assert op(x, x) is x
        assert op(x[:2], x[1:]).base is x
        assert x.tolist() == [6.0, 10.0, 6.0]


@pytest.mark.parametrize("place", [0, 1])
def test_neighbours_in_memory_are_no_shared_memory(place: int) -> None:
    """Elements of two views may lie between each other and still be apart."""
    x = np.zeros(4)
    given = [x[::2], x[1::2]]
    schema = "f(Tensor x, Tensor(a) y) -> Tensor(a)"
    with operator(schema, NumPy=answer(given[place])) as (_, op), check_kernels():
        if place:
            assert op(*given) is given[1]
            return
        with pytest.raises(errors.KernelCheckError):
            op(*given)


def test_keyword_only_arguments_are_compared() -> None:
    """They are marked and unmarked as all others."""
    with operator(
        "f(Tensor x, *, Tensor(a!) out) -> Tensor(a!)", NumPy=writes_by_name
    ) as (_, op):
        with check_kernels(), pytest.raises(errors.KernelCheckError) as caught:
            op(vector(), out=vector())
        assert "wrote to argument 'x'" in str(caught.value)


def every_way(op: Any, x: Any) -> list[Callable[[], Any]]:
    """Return calls that reach the kernel at NumPy, each in another way."""
    return [
        lambda: op(x),
        lambda: op(x=x),
        lambda: op.at("NumPy", x),
        lambda: op.redispatch(op.keys_of((x,), {}), x),
    ]


@pytest.mark.parametrize("way", range(4))
@pytest.mark.parametrize("python", [False, True])
def test_every_way_to_a_kernel_is_checked(way: int, python: bool) -> None:
    """Calls by position and name, at one key, along a redispatch."""
    x = vector()
    with operator(NumPy=writes) as (_, op):
        call = every_way(op, x)[way]
        call()
        guard = enable_python_dispatcher if python else nullcontext
        with guard(), check_kernels(), pytest.raises(errors.KernelCheckError):
            call()


@pytest.mark.parametrize(
    ("kernel", "key", "with_keyset"),
    [
        (binary(lambda keys, x: writes(x)), "NumPy", True),
        (writes, "CompositeExplicitAutograd", False),
        (writes, "CompositeImplicitAutograd", False),
        (writes, "Autograd", False),
    ],
)
@pytest.mark.parametrize("python", [False, True])
def test_kernels_of_every_kind_are_checked(
    kernel: Kernel, key: str, with_keyset: bool, python: bool
) -> None:
    """One that takes the key set, composites, one for the Python dispatcher alone."""
    with operator() as (library, op):
        register = library.py_impl if python else library.impl
        register(op, kernel, key, with_keyset=with_keyset)
        guard = enable_python_dispatcher if python else nullcontext
        with guard():
            op(vector())
        with guard(), check_kernels(), pytest.raises(errors.KernelCheckError):
            op(vector())


@pytest.mark.usefixtures("few_operators")
def test_fallbacks_are_checked() -> None:
    """Under the schema of the operator that they serve."""
    with operator() as (library, op):
        library.fallback(binary(lambda op, x: writes(x)), "NumPy")
        op(vector())
        with check_kernels(), pytest.raises(errors.KernelCheckError) as caught:
            op(vector())
        assert caught.value.op == op.name


def test_inner_call_is_named() -> None:
    """A composite that calls a broken operator is not blamed for it."""
    with operator(NumPy=writes) as (library, op):
        outer = library.define("outer(Tensor x) -> Tensor").op
        library.impl(outer, unary(lambda x: op(x.copy())), "CompositeImplicitAutograd")
        with check_kernels(), pytest.raises(errors.KernelCheckError) as caught:
            outer(vector())
        assert caught.value.op == op.name


def test_errors_of_kernels_pass_through() -> None:
    """A kernel that fails has said what is wrong; it is not checked further."""

    def fails(x: Any) -> Any:
        x += 1
        raise ZeroDivisionError

    with operator(NumPy=fails) as (_, op):
        with check_kernels(), pytest.raises(ZeroDivisionError):
            op(vector())
        with check_kernels(), include_keys("CuPy"), pytest.raises(errors.NoKernelError):
            op(vector())


@pytest.mark.usefixtures("mine")
def test_arrays_of_other_libraries_are_counted_only() -> None:
    """Nothing is known of their memory; the number of results still counts."""
    given = Mine()
    with operator(PrivateUse1=answer(given)) as (library, op), check_kernels():
        assert op(given) is given
        library.impl(op, answer(None), "PrivateUse1", override=True)
        with pytest.raises(errors.KernelCheckError):
            op(given)


def test_calls_without_the_guard_are_not_touched() -> None:
    """No frame of the check is on their way to the kernel, before it and after it."""

    def frames(x: Any) -> Any:
        del x
        return [frame.filename for frame in extract_stack()]

    with operator("f(Tensor x) -> str[]", NumPy=frames) as (_, op):
        without = op(vector())
        with check_kernels():
            assert len(op(vector())) > len(without)
        assert op(vector()) == without


def test_kernels_that_were_handed_out_are_not_checked() -> None:
    """`kernel_for` gives the function itself, and calls of it pass no guard."""
    with operator(NumPy=writes) as (_, op), check_kernels():
        with pytest.raises(errors.KernelCheckError):
            op(vector())
        assert op.kernel_for(np.ndarray) is writes
        writes(vector())


def test_error_pickles() -> None:
    """As all errors do: with its facts and its message."""
    with operator(NumPy=writes) as (_, op):
        with check_kernels(), pytest.raises(errors.KernelCheckError) as caught:
            op(vector())
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), vars(again)) == (str(caught.value), vars(caught.value))
