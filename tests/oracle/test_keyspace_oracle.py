"""PyTorch's key space as keyslot declares it, against the installed PyTorch."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from torch import _C

from keyslot.kernels.torch.registered import (
    key_names,
    keys_by_name,
    registered_fallbacks,
)
from keyslot.runtime.space import KeySpace


@pytest.fixture(scope="module")
def members(space: KeySpace) -> dict[str, Any]:
    """PyTorch's runtime keys by name."""
    known = keys_by_name()
    return {name: known[name] for name in space.keys}


def test_counts(space: KeySpace) -> None:
    """There are 137 runtime keys, 16 backends, 46 functionalities and 6 alias keys."""
    functionalities = set(space.functionality_of.values()) - {"Undefined"}
    per_backend = {space.functionality_of[key] for key in space.backend_of}
    assert len(space.keys) == 137
    assert len(space.backends) == _C._dispatch_num_backends() == 16
    assert len(functionalities) == 46
    assert len(per_backend) == 6
    assert len(space.aliases) == 6


def test_runtime_keys(space: KeySpace) -> None:
    """Names and order of the runtime keys are PyTorch's."""
    assert space.keys == ("Undefined", *key_names(_C._dispatch_keyset_full()))


def test_functionalities(space: KeySpace) -> None:
    """Functionalities are PyTorch's, where its enum has a name for them."""
    ours = set(space.functionality_of.values())
    last = _C.DispatchKey.PythonDispatcher.value
    theirs = {n for n, k in _C.DispatchKey.__members__.items() if k.value <= last}
    assert theirs <= ours


def test_priority(space: KeySpace, members: dict[str, Any]) -> None:
    """Of any two keys, the same comes first.

    Not for keys of two backends: PyTorch's sets are products of backends and
    functionalities, and then have more keys than were put in.
    """
    wrong = []
    for low, high in combinations(space.keys[1:], 2):
        backends = {space.backend_of.get(low), space.backend_of.get(high), None}
        if len(backends) <= 2:
            both = _C.DispatchKeySet(members[low]) | _C.DispatchKeySet(members[high])
            if both.highestPriorityTypeId() != members[high]:
                wrong.append((low, high))
    assert wrong == []


def test_alias_names(space: KeySpace) -> None:
    """The alias keys are those that PyTorch calls alias keys."""
    theirs = {
        n for n in _C.DispatchKey.__members__ if _C._dispatch_is_alias_key(key(n))
    }
    assert set(space.aliases) == theirs


def test_alias_expansions(space: KeySpace, members: dict[str, Any]) -> None:
    """Each alias key expands to the runtime keys that PyTorch includes in it."""
    wrong = [
        (name, alias)
        for alias in space.aliases
        for name, member in members.items()
        if _C._dispatch_is_included_in_alias(member, key(alias))
        != (name in space.aliases[alias])
    ]
    assert wrong == []


def test_autograd_map(space: KeySpace, members: dict[str, Any]) -> None:
    """Each autograd key stands for PyTorch's backend keys, some of them for none."""
    stand_for = _C._dispatch_get_backend_keyset_from_autograd
    theirs = {name: key_names(stand_for(member)) for name, member in members.items()}
    assert dict(space.autograd_backends) == {n: b for n, b in theirs.items() if b}
    for gap in ("AutogradHIP", "AutogradVE", "AutogradMTIA"):
        assert gap in space.keys
        assert gap not in space.autograd_backends


def test_autograd_other(space: KeySpace) -> None:
    """The same keys are behind AutogradOther."""
    assert space.autograd_other == "AutogradOther"
    theirs = key_names(_C._dispatch_autogradother_backends)
    assert space.behind_autograd_other == theirs


def test_default_state(space: KeySpace) -> None:
    """The same keys are included and excluded where no guard is on."""
    assert space.included == key_names(_C._dispatch_tls_local_include_set())
    assert space.excluded == key_names(_C._dispatch_tls_local_exclude_set())


def test_fallthrough(space: KeySpace) -> None:
    """The same keys let a call through that has no kernel there."""
    fallbacks = registered_fallbacks()
    theirs = [key for key, fallback in fallbacks.items() if fallback.is_fallthrough]
    assert space.fallthrough == tuple(theirs)


def key(name: str) -> Any:
    """Return PyTorch's enum member of a name."""
    return _C.DispatchKey.__members__[name]
