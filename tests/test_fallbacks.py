"""Backend fallbacks: one kernel for every operator that has none at a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from keyslot import (
    DispatchKey,
    Library,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    fallthrough,
    include_keys,
    register_array_type,
    with_keyset,
)
from keyslot.runtime.kernel import caller_site

from .dispatching import Foreign, answer, array, fresh_library, operator

X = array()


def told(op: Any, *args: Any, **named: Any) -> tuple[Any, ...]:
    """Return what a fallback was called with."""
    return (op.name, args, named)


@pytest.fixture
def library() -> Iterator[Library]:
    """A Library with an operator that has a NumPy kernel and one that has none."""
    with fresh_library() as made:
        made.impl(made.define("have(Tensor x) -> Tensor").op, answer("own"), "NumPy")
        made.define("lack(Tensor x, int n=3, *, bool flag=True) -> Tensor")
        yield made


def test_fallback_serves_operators_without_a_kernel(library: Library) -> None:
    """It gets the operator and every argument of the schema, defaults filled in."""
    have, lack = library.ops.have.default, library.ops.lack.default
    with library.fallback(told, "NumPy"):
        assert have(X) == "own"
        assert lack(X) == (lack.name, (X, 3), {"flag": True})
        assert lack(X, n=4, flag=False) == (lack.name, (X, 4), {"flag": False})
    with pytest.raises(errors.NoKernelError):
        lack(X)


def test_fallback_serves_operators_defined_later(library: Library) -> None:
    """It is in force for the key, not for a list of operators."""
    library.fallback(told, "NumPy")
    op = library.define("later(Tensor x) -> Tensor").op
    assert op(X) == (op.name, (X,), {})


def test_kernel_comes_before_the_fallback_and_undo_after_it(library: Library) -> None:
    """A kernel registered meanwhile, or taken away, decides from the next call on."""
    op = library.ops.lack.default
    library.fallback(told, "NumPy")
    assert op(X)[0] == op.name
    with library.impl(op, answer("own"), "NumPy"):
        assert op(X) == "own"
    assert op(X)[0] == op.name
    with library.impl(op, answer("composite"), "CompositeImplicitAutograd"):
        assert op(X) == "composite"


def test_fallback_is_reached_by_every_way(library: Library) -> None:
    """Slots, ``at`` and the Python dispatcher know the fallback of a key."""
    op = library.ops.have.default
    library.fallback(told, "Functionalize")
    expected: Any = (op.name, (X,), {})
    assert op.Functionalize(X) == expected
    assert op.at("Functionalize", X) == expected
    assert op.at(DispatchKey.Functionalize, X) == expected
    with include_keys("Functionalize"):
        assert op(X) == expected
        with enable_python_dispatcher():
            assert op(X) == expected
            assert op.at("Functionalize", X) == expected


def test_fallback_may_ask_for_the_key_set(library: Library) -> None:
    """With ``with_keyset`` it can go on below its own key."""

    def below(keyset: Any, op: Any, *args: Any) -> tuple[Any, ...]:
        here = "Functionalize" in keyset
        return here, op.redispatch(keyset.below("Functionalize"), *args)

    op = library.ops.have.default
    for undo in (
        library.fallback(with_keyset(below), "Functionalize"),
        library.fallback(below, "Functionalize", with_keyset=True, override=True),
    ):
        with undo, include_keys("Functionalize"):
            assert op(X) == (True, "own")
            with enable_python_dispatcher():
                assert op(X) == (True, "own")
    library.fallback(below, "Functionalize", with_keyset=True)
    with include_keys("Functionalize"):
        assert op.at("Functionalize", X) == (True, "own")


def test_built_in_fallthrough_is_replaced_and_comes_back(library: Library) -> None:
    """A space's own fallbacks need no ``override`` and return when it is undone."""
    op = library.ops.have.default
    mask = op.dispatch_table.mask
    assert op(X) == "own"
    with library.fallback(told, "AutogradNumPy"):
        assert op(X) == (op.name, (X,), {})
        with exclude_keys("AutogradNumPy"):
            assert op(X) == "own"
    assert op(X) == "own"
    assert op.dispatch_table.mask == mask


def test_fallthrough_can_be_a_fallback(library: Library) -> None:
    """A key that fails for want of a kernel is passed over instead."""
    op = library.ops.have.default
    with include_keys("Functionalize"):
        with pytest.raises(errors.NoKernelError):
            op(X)
        with library.fallback(fallthrough, "Functionalize"):
            assert op(X) == "own"
        with pytest.raises(errors.NoKernelError):
            op(X)


def test_second_fallback_names_both_sites(library: Library) -> None:
    """Two fallbacks at one key are a mistake, unless one is meant to override."""
    library.fallback(told, "Dask")
    first = caller_site(str(library))
    with pytest.raises(errors.DuplicateKernelError) as caught:
        library.fallback(answer(2), "Dask")
    line = first.line - 1
    assert str(caught.value) == (
        "the table of backend fallbacks already has a kernel at Dask\n"
        f"  registered at {first.file}:{line} ({library})\n"
        f"  refused now at {first.file}:{line + 3} ({library})\n"
        "  what to do: pass override=True to put the new one on top; undoing it brings"
        " the first one back"
    )


def test_fallbacks_stack_and_are_undone_in_any_order(library: Library) -> None:
    """The newest is in force; taking one away uncovers what is below."""
    op = library.ops.lack.default
    first = library.fallback(answer(1), "NumPy")
    second = library.fallback(answer(2), "NumPy", override=True)
    third = library.fallback(answer(3), "NumPy", override=True)
    assert op(X) == 3
    second()
    assert op(X) == 3
    third()
    assert op(X) == 1
    first()
    first()
    with pytest.raises(errors.NoKernelError):
        op(X)


@pytest.mark.parametrize(
    ("key", "error"),
    [
        ("Autograd", errors.AliasKeyError),
        ("Nope", errors.UnknownKeyError),
        (3, TypeError),
    ],
)
def test_fallback_needs_a_runtime_key(
    library: Library, key: Any, error: type[Exception]
) -> None:
    """A refused fallback changes nothing for any operator."""
    op = library.ops.lack.default
    table = op.dispatch_table
    with pytest.raises(error):
        library.fallback(told, key)
    assert op.dispatch_table is table


def test_fallback_has_to_be_callable(library: Library) -> None:
    """Nor can something that is no kernel hide behind ``with_keyset``."""
    for extra in ({}, {"with_keyset": True}):
        with pytest.raises(errors.NotAKernelError):
            library.fallback("print", "NumPy", **extra)


def test_closing_the_library_takes_its_fallbacks_away() -> None:
    """A fallback lives no longer than its Library."""
    with operator() as (_, op):
        with fresh_library() as other:
            other.fallback(answer(1), "NumPy")
            assert op(X) == 1
        with pytest.raises(errors.NoKernelError):
            op(X)


def test_fallback_does_not_take_arrays_of_two_libraries_unasked() -> None:
    """``mixed=True`` says that a fallback does."""
    with (
        operator("f(Tensor x, Tensor y) -> Tensor") as (library, op),
        register_array_type(Foreign, "Dask"),
    ):
        with (
            library.fallback(answer("mixed"), "Dask"),
            pytest.raises(errors.MixedBackendsError),
        ):
            op(X, Foreign())
        library.fallback(answer("mixed"), "Dask", mixed=True)
        assert op(X, Foreign()) == "mixed"
