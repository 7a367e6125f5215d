"""PyTorch's Python dispatcher against its tables: where ``resolve_key`` differs.

``torch._ops.resolve_key`` works out in Python which kernel a key leads to, from the
kernels in C++ and those of ``py_impl`` together. keyslot follows the table: with no
kernels of ``py_impl`` the Python dispatcher must change nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from typing import Any

import pytest
import torch
from torch import _C
from torch._dispatch.python import enable_python_dispatcher
from torch._ops import resolve_key
from torch.library import fallthrough_kernel

from keyslot.kernels.torch.registered import (
    computed_table,
    keys_by_name,
    registered_fallbacks,
    registered_kernels,
)
from keyslot.runtime.resolver import EXPLICIT, IMPLICIT, resolve_table
from keyslot.runtime.space import KeySpace

from .throwaway import operator, overload, registered

NESTED = "CompositeImplicitAutogradNestedTensor"
X = torch.ones(2)
#: A key with the source of its kernel by keyslot's table, and by `resolve_key`.
Difference = tuple[str, str, str]


@pytest.fixture(scope="module", autouse=True)
def _python_kernels() -> None:
    """Have PyTorch register its kernels for the Python dispatcher."""
    for module in ("torch._decomp", "torch._refs", "torch._meta_registrations"):
        import_module(module)


@pytest.fixture(scope="module")
def fallbacks() -> Collection[str]:
    """The keys that have a backend fallback."""
    return registered_fallbacks().keys()


@cache
def names() -> Mapping[Any, str]:
    """Return the names of PyTorch's keys."""
    return {member: name for name, member in keys_by_name().items()}


def names_of(members: Collection[Any]) -> set[str]:
    """Return the names of some of PyTorch's keys; modes have none and are left out."""
    return {names()[member] for member in members if member in names()}


def resolved(op: Any, key: str) -> str:
    """Return the source of the kernel that ``resolve_key`` says, or why there is none.

    Raises KeyError where there is none for another reason.
    """
    try:
        return names()[resolve_key(op, keys_by_name()[key])]
    except NotImplementedError:
        return "missing"
    except RuntimeError as error:
        return {"ambiguous autogradother kernel": "ambiguous"}[str(error)]


def compared(
    space: KeySpace, op: Any, there: Collection[str], fallbacks: Collection[str]
) -> Iterator[Difference]:
    """Yield the keys where ``resolve_key`` differs from keyslot's table."""
    table = resolve_table(space, there, fallbacks)
    for key, cell in zip(space.keys, table, strict=True):
        ours, theirs = cell.source or cell.kind, resolved(op, key)
        if ours != theirs:
            yield key, ours, theirs


def expected(
    space: KeySpace, there: Collection[str], fallbacks: Collection[str]
) -> list[Difference]:
    """Return all differences that there are, for an operator with these kernels.

    A CompositeImplicitAutogradNestedTensor kernel gives way in ``resolve_key`` where a
    CompositeExplicitAutograd kernel, or one of the backends, is there, and in the table
    it does not. Where it gives way, the kernels come that would if it were not there.
    """
    if NESTED not in there:
        return []
    without = resolve_table(space, {*there} - {NESTED}, fallbacks)
    table = resolve_table(space, there, fallbacks)
    found: list[Difference] = []
    for key, cell, other in zip(space.keys, table, without, strict=True):
        behind = {*space.autograd_backends.get(key, ()), EXPLICIT}
        if cell.source == NESTED and not behind.isdisjoint(there):
            found.append((key, NESTED, other.source or other.kind))
    return found


def test_every_operator(space: KeySpace, fallbacks: Collection[str]) -> None:
    """Of all cells of all operators, 51 differ: those of three operators.

    ``resolve_key`` asks for nothing but where there are kernels, so of the operators
    that have them at the same keys one is asked. That they have them is asked too.
    """
    members = [(name, keys_by_name()[name]) for name in (*space.keys, *space.aliases)]
    differing: list[str] = []
    asked: dict[frozenset[str], list[Difference]] = {}
    for name in _C._dispatch_get_all_op_names():
        op = overload(name)
        there = frozenset(registered_kernels(name).keys() | names_of(op.py_kernels))
        if there not in asked:
            has_kernel: Callable[[Any], bool] = op.has_kernel_for_dispatch_key
            assert there == {key for key, member in members if has_kernel(member)}
            asked[there] = [*compared(space, op, there, fallbacks)]
            assert asked[there] == expected(space, there, fallbacks)
        differing += [name] * len(asked[there])
    assert {*differing} == {
        "aten::randn_like",
        "aten::randn_like.generator",
        "aten::zeros_like",
    }
    assert len(differing) == 51


def test_random_registrations(space: KeySpace, fallbacks: Collection[str]) -> None:
    """Kernels in C++ and of ``py_impl`` at random keys: no other difference."""
    drawn = random.Random(84826)
    every = (*space.aliases, *space.keys[1:])
    likely = [*space.aliases, *space.aliases, "CPU", "SparseCPU", "NestedTensorCPU"]
    found = 0
    for _ in range(200):
        there = {*drawn.sample(likely, 4), *drawn.sample(every, drawn.randint(0, 4))}
        python = {*drawn.sample(likely, 1), *drawn.sample(every, drawn.randint(0, 2))}
        with operator() as name, ExitStack() as stack:
            for key in there:
                stack.callback(registered(name, key, print)._destroy)
            op = overload(name)
            for key in python - {"Python"}:
                op.py_impl(keys_by_name()[key])(print)
            together = there | (python - {"Python"})
            differing = [*compared(space, op, together, fallbacks)]
            assert differing == expected(space, together, fallbacks)
            found += len(differing)
    assert found > 500


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors() -> None:
    """The one difference, as users meet it: a function of PyTorch fails.

    keyslot has the kernel that calls have without the Python dispatcher.
    """
    with operator() as name, ExitStack() as stack:
        for key in (NESTED, EXPLICIT):
            stack.callback(registered(name, key, print)._destroy)
        cells, op = computed_table(name), overload(name)
        assert cells["NestedTensorCPU"].rule == "nested kernel"
        assert cells["AutogradNestedTensor"].rule == "nested kernel"
        assert resolved(op, "NestedTensorCPU") == "missing"
        assert resolved(op, "AutogradNestedTensor") == "missing"
    nested = torch.nested.nested_tensor([X, X])
    assert torch.randn_like(nested).is_nested
    with enable_python_dispatcher(), pytest.raises(NotImplementedError) as caught:
        torch.randn_like(nested)
    assert str(caught.value) == (
        "could not find kernel for aten.randn_like.default at dispatch key"
        " DispatchKey.NestedTensorCPU"
    )


def test_key_that_is_stale_in_the_table() -> None:
    """``resolve_key`` reads what is registered, where ordinary calls may not.

    So a call runs another kernel with the Python dispatcher on than off, though nothing
    is registered for it. keyslot runs the same in both: what is registered.
    """
    key = keys_by_name()["AutogradCPU"]
    with operator() as name, ExitStack() as stack:
        for source, result in ((IMPLICIT, X + 1), (EXPLICIT, X + 2)):
            kernel = answering(result)
            stack.callback(registered(name, source, kernel)._destroy)
        op = overload(name)
        assert resolve_key(op, key) == key
        assert computed_table(name)["AutogradCPU"].rule == "backend fallback"
        assert torch.equal(op(X), X + 1)
        with enable_python_dispatcher():
            assert torch.equal(op(X), X + 2)


def answering(result: Any) -> Callable[[Any], Any]:
    """Return a kernel with a fixed result."""

    def kernel(x: Any) -> Any:
        return result

    return kernel


def test_key_that_is_ambiguous() -> None:
    """``resolve_key`` raises where the table has an error for the one who calls."""
    with operator() as name, ExitStack() as stack:
        for key in ("SparseCPU", IMPLICIT):
            stack.callback(registered(name, key, print)._destroy)
        assert computed_table(name)["AutogradOther"].rule == "ambiguous autogradother"
        assert resolved(overload(name), "AutogradOther") == "ambiguous"


def test_fallthrough_is_a_kernel_like_others() -> None:
    """``resolve_key`` does not know fallthroughs; the mask keeps calls from them."""
    with operator() as name:
        library = registered(name, "Conjugate", fallthrough_kernel)
        assert computed_table(name)["Conjugate"].is_fallthrough
        assert resolved(overload(name), "Conjugate") == "Conjugate"
        library._destroy()


def test_alias_keys() -> None:
    """``resolve_key`` takes alias keys too, for which tables have no cells."""
    with operator() as name:
        library = registered(name, "Autograd", print)
        assert resolved(overload(name), "Autograd") == "Autograd"
        assert "Autograd" not in computed_table(name)
        library._destroy()


def test_handlers_go_stale() -> None:
    """What ``resolve_key`` has said is kept, also when a registration makes it wrong.

    keyslot forgets exactly what a registration changes: tests/test_invalidation.py.
    """
    keys = keys_by_name()
    with operator() as name, ExitStack() as stack:
        op = overload(name)
        stack.callback(registered(name, IMPLICIT, print)._destroy)
        assert op._get_dispatch(keys["CPU"]) == keys[IMPLICIT]
        stack.callback(registered(name, "CPU", print)._destroy)
        assert resolve_key(op, keys["CPU"]) == keys["CPU"]
        assert op._dispatch_cache[keys["CPU"]] == keys[IMPLICIT]
