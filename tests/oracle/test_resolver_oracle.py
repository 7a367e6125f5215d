"""Dispatch tables of keyslot against those that PyTorch computes.

PyTorch prints what is registered for an operator, and its table freshly computed from
that. What calls read is a stored table; test_stale_tables.py has where the two differ.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

import pytest
import torch
from torch import _C
from torch.library import fallthrough_kernel

from keyslot.kernels.torch.registered import (
    computed_table,
    key_names,
    keys_by_name,
    keyset_of,
    registered_fallbacks,
    registered_kernels,
)
from keyslot.runtime.kernel import Kernel
from keyslot.runtime.space import KeySpace

from .throwaway import NAMESPACE, operator, overload, registered
from .torch_tables import Differences, differences, stand_ins, table_of

#: Modules that register more kernels, or operators, than `import torch` does.
REGISTERING = (
    "torch._meta_registrations",
    "torch._decomp",
    "torch._refs",
    "torch.ao.quantization.fx._decomposed",
)
pytestmark = pytest.mark.filterwarnings("ignore:Warning only once for all operators")


@pytest.fixture(scope="module")
def operators() -> list[str]:
    """The full names of all operators."""
    for module in REGISTERING:
        import_module(module)
    names: list[str] = _C._dispatch_get_all_op_names()
    assert len(names) > 3600
    return names


@pytest.fixture
def fallbacks() -> dict[str, Kernel]:
    """The fallbacks of this process: all that an operator without kernels has."""
    return stand_ins(registered_fallbacks())


def test_every_cell_of_every_operator(
    space: KeySpace,
    operators: list[str],
    fallbacks: dict[str, Kernel],
    record_property: Any,
) -> None:
    """Each cell of each operator has the kernel, rule and mask that it has in PyTorch.

    That PyTorch's own table is computed afresh makes no difference for these: the
    stored one of each of them is the same.
    """
    wrong: dict[str, Differences] = {}
    for name in operators:
        table = table_of(space, name, fallbacks)
        if found := differences(space, table, name):
            wrong[name] = found
    assert wrong == {}
    record_property("cells", len(operators) * len(space.keys))
    _C._dispatch_check_all_invariants()


def test_what_is_registered(space: KeySpace, operators: list[str]) -> None:
    """PyTorch says the same of every key when it is asked for that key alone."""
    keys = [(name, keys_by_name()[name]) for name in (*space.keys, *space.aliases)]
    has_kernel = _C._dispatch_has_kernel_for_dispatch_key
    is_fallthrough = _C._dispatch_kernel_for_dispatch_key_is_fallthrough
    for operator_name in operators:
        ours = registered_kernels(operator_name)
        theirs = {name for name, key in keys if has_kernel(operator_name, key)}
        assert ours.keys() == theirs
        for name, kernel in ours.items():
            passed_over = is_fallthrough(operator_name, keys_by_name()[name])
            assert kernel.is_fallthrough == passed_over


def test_which_cells_are_stored(space: KeySpace, operators: list[str]) -> None:
    """The stored table of each operator has kernels where the printed one has."""
    names = [key for key in space.keys if _C._parse_dispatch_key(key) is not None]
    # PyTorch's own parser does not know the other 42 keys.
    assert len(names) == 95
    is_stored = _C._dispatch_has_computed_kernel_for_dispatch_key
    for operator_name in operators:
        stored = {key for key in names if is_stored(operator_name, key)}
        assert stored == computed_table(operator_name).keys() & {*names}


def test_random_registrations(
    space: KeySpace, fallbacks: dict[str, Kernel], record_property: Any
) -> None:
    """Operators with kernels at random keys and alias keys have PyTorch's tables."""
    drawn = random.Random(20813)
    every = (*space.aliases, *space.keys[1:])
    likely = [*space.aliases, "AutogradCPU", "AutogradOther", "CPU", "SparseCPU"]
    number = 4000
    with ExitStack() as stack:
        # One Library for each key, so that PyTorch's tables tell the kernels apart.
        libraries = {key: stack.enter_context(kernels_of(key)) for key in every}
        define = stack.enter_context(kernels_of("operators")).define
        for index in range(number):
            define(f"drawn{index}(Tensor self) -> Tensor")
            keys = {*drawn.sample(likely, drawn.randint(0, 5))}
            keys.update(drawn.sample(every, drawn.randint(0, 6)))
            for key in sorted(keys):
                function = fallthrough_kernel if drawn.random() < 0.2 else print
                member = keys_by_name()[key]
                libraries[key].impl(f"drawn{index}", member, function, False)
            name = f"{NAMESPACE}::drawn{index}"
            assert registered_kernels(name).keys() == keys
            table = table_of(space, name, fallbacks)
            assert differences(space, table, name) == {}
    record_property("cells", number * len(space.keys))


@contextmanager
def kernels_of(key: str) -> Generator[Any]:
    """Yield a Library of PyTorch's whose kernels are printed with the name of a key."""
    library = _C._dispatch_library("FRAGMENT", NAMESPACE, "", f"kernels at {key}", 0)
    yield library
    library.reset()


def test_masks_by_calls(space: KeySpace, fallbacks: dict[str, Kernel]) -> None:
    """A call reaches the highest of its keys that is not in the operator's mask.

    Every key has a kernel that says its name, so that no fallback runs; some have a
    fallthrough on top. The keys of a call are those of one backend: PyTorch looks its
    mask up by the highest backend of a set, keyslot by the key.
    """
    drawn, x = random.Random(85133), torch.ones(2)
    called = [
        key for key in space.keys[1:] if space.backend_of.get(key) in (None, "CPU")
    ]
    for _ in range(10):
        ran: list[str] = []
        kernels = {key: naming(key, ran) for key in space.keys[1:]}
        kernels["CompositeImplicitAutograd"] = naming("Undefined", ran)
        with operator() as name, ExitStack() as stack:
            for key, kernel in kernels.items():
                stack.callback(registered(name, key, kernel)._destroy)
            for key in drawn.sample(called, drawn.randint(1, 40)):
                stack.callback(registered(name, key, fallthrough_kernel)._destroy)
            mask = table_of(space, name, fallbacks).mask
            for _ in range(100):
                included = keyset_of(tuple(drawn.sample(called, drawn.randint(0, 6))))
                excluded = keyset_of(tuple(drawn.sample(called, drawn.randint(0, 6))))
                keys = (_C._dispatch_keys(x) | included) - excluded
                with _C._ForceDispatchKeyGuard(included, excluded):
                    overload(name)(x)
                bits = space.bits(key_names(keys)) & mask
                assert ran == [space.keys[bits.bit_length()]]
                ran.clear()


def naming(key: str, ran: list[str]) -> Callable[[Any], Any]:
    """Return a kernel that appends a name to a list."""

    def kernel(x: Any) -> Any:
        ran.append(key)
        return x

    return kernel
