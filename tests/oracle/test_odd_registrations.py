"""Registrations that PyTorch takes for something else, or half, or does not survive.

The tests of random registrations leave these out; here is why, and what keyslot does.
Two things are not tried at all, for they read memory that is not theirs any more, or
end the process: to call an operator after its definition has gone, and to run the
kernel at a key (``_op_dk``) where there is neither a kernel of the operator nor a
fallback.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import _C
from torch.library import Library, fallthrough_kernel

from keyslot.kernels.torch.registered import (
    computed_table,
    keys_by_name,
    keyset_of,
    registered_fallbacks,
    registered_kernels,
)
from keyslot.runtime.errors import AliasKeyError, UnknownKeyError

from ..key_spaces import torch_space
from .throwaway import NAMESPACE, operator, overload, registered

X = torch.ones(2)


@pytest.fixture
def name() -> Iterator[str]:
    """The name of an operator of PyTorch's."""
    with operator() as made:
        yield made


@pytest.fixture
def own() -> Iterator[Any]:
    """A Library of keyslot's with an operator ``f``, in PyTorch's key space."""
    _, library_class, _ = torch_space()
    with library_class("odd") as library:
        library.define("f(Tensor x) -> Tensor")
        yield library


def test_undefined(name: str, own: Any) -> None:
    """A kernel at Undefined is one at CompositeImplicitAutograd, for PyTorch.

    In keyslot it is what it says: it serves calls that have no keys.
    """
    library = registered(name, "Undefined", print)
    assert {*registered_kernels(name)} == {"CompositeImplicitAutograd"}
    library._destroy()
    with own.impl("f", print, "Undefined"):
        served = [c.source for c in own.ops.f.default.dispatch_table.cells]
        assert set(served[1:]) <= {None, *own.dispatcher.space.keys[1:]}
        assert served[0] == "Undefined"


def test_functionality(name: str, own: Any) -> None:
    """PyTorch takes a functionality for a key. No call reaches a kernel there.

    But it counts as a kernel of every backend, for which CompositeImplicitAutograd
    gives way. keyslot refuses the key, and leaves it out of what it reads from PyTorch.
    """
    libraries = [registered(name, "CompositeImplicitAutograd", print)]
    assert computed_table(name)["AutogradCPU"].rule == "math kernel"
    library = Library(NAMESPACE, "IMPL")
    library.impl(name.partition("::")[2], print, "Dense")
    libraries.append(library)
    assert computed_table(name)["CPU"].rule == "math kernel"
    assert computed_table(name)["AutogradCPU"].rule == "backend fallback"
    assert "Dense: registered at" in _C._dispatch_dump(name)
    assert {*registered_kernels(name)} == {"CompositeImplicitAutograd"}
    for each in libraries:
        each._destroy()
    with pytest.raises(UnknownKeyError):
        own.impl("f", print, "Dense")


def test_fallback_at_an_alias_key(own: Any) -> None:
    """PyTorch registers one at each key of the alias until one of them is taken.

    What it has registered before it raises stays until the Library goes. keyslot
    refuses alias keys for fallbacks.
    """
    alias = "CompositeExplicitAutograd"
    before = registered_fallbacks()
    library = Library("_", "IMPL")
    with pytest.raises(RuntimeError) as caught:
        library.m.fallback(keys_by_name()[alias], print, False)
    assert "multiple backend fallbacks for the same" in str(caught.value)
    assert {"CPU", "CUDA"} <= registered_fallbacks().keys() - before.keys()
    library._destroy()
    assert registered_fallbacks() == before
    with pytest.raises(AliasKeyError):
        own.fallback(print, alias)


def test_fallback_at_undefined(own: Any) -> None:
    """PyTorch has no fallback for calls without keys, and fails an assertion.

    keyslot has one like that of any other key.
    """
    library = Library("_", "IMPL")
    with pytest.raises(RuntimeError) as caught:
        library.m.fallback(keys_by_name()["Undefined"], print, False)
    assert "INTERNAL ASSERT FAILED" in str(caught.value)
    library._destroy()
    with own.fallback(print, "Undefined"):
        cell = own.ops.f.default.dispatch_table.cells[0]
        assert cell == ("fallback", "Undefined")


def test_second_fallback(own: Any) -> None:
    """PyTorch refuses a second fallback at a key, keyslot only without ``override``."""
    first, second = Library("_", "IMPL"), Library("_", "IMPL")
    first.fallback(print, "CUDA")
    before = registered_fallbacks()
    with pytest.raises(RuntimeError) as caught:
        second.fallback(print, "CUDA")
    assert "multiple backend fallbacks for the same" in str(caught.value)
    assert registered_fallbacks() == before
    second._destroy()
    first._destroy()
    with own.fallback(print, "CUDA"), own.fallback(repr, "CUDA", override=True):
        place = own.dispatcher.space.keys.index("CUDA")
        assert own.ops.f.default.dispatch_table.kernel(place).function is repr


REPLACED = """\
from torch.library import Library
from keyslot.kernels.torch.registered import registered_fallbacks

def site():
    found = registered_fallbacks().get("AutogradPrivateUse1")
    return found and found.site.rpartition("/")[2].partition(":")[0]

assert site() == "VariableFallbackKernel.cpp"
first, second = Library("_", "IMPL"), Library("_", "IMPL")
first.fallback(print, "AutogradPrivateUse1")
second.fallback(print, "AutogradPrivateUse1")
assert site() not in ("VariableFallbackKernel.cpp", None)
second._destroy()
assert site() is None
"""


def test_fallback_that_is_replaced() -> None:
    """At AutogradPrivateUse1 PyTorch does not refuse a second fallback.

    When any of them goes, none is left, and the first one is not brought back; so
    this runs in a process of its own.
    """
    subprocess.run([sys.executable, "-c", REPLACED], check=True)


def test_override_while_warnings_are_errors(name: str) -> None:
    """PyTorch warns of a kernel that is overridden, and has registered it by then.

    With warnings as errors the registration raises and is in force. In keyslot one that
    raises has changed nothing: tests/test_registration.py.
    """
    below = registered(name, "CPU", print, "below")
    library = Library(NAMESPACE, "IMPL")
    torch.set_warn_always(True)
    try:
        with pytest.raises(UserWarning) as caught:
            library.m.impl(name.partition("::")[2], "CPU", print, False)
    finally:
        torch.set_warn_always(False)
    assert "Overriding a previously registered kernel" in str(caught.value)
    assert registered_kernels(name)["CPU"].site != "registered at below:1"
    library._destroy()
    assert registered_kernels(name)["CPU"].site == "registered at below:1"
    below._destroy()


def test_redispatch_to_a_fallthrough(name: str) -> None:
    """PyTorch's mask is for calls, not for redispatch, which fails an assertion.

    keyslot passes over the key in both: tests/test_redispatch.py.
    """
    libraries = [
        registered(name, "CPU", lambda x: x),
        registered(name, "AutogradCPU", fallthrough_kernel),
    ]
    assert torch.equal(overload(name)(X), X)
    with pytest.raises(RuntimeError) as caught:
        overload(name).redispatch(keyset_of(("AutogradCPU", "CPU")), X)
    assert "fallthrough_kernel was executed" in str(caught.value)
    for library in libraries:
        library._destroy()
