"""Rules that YAML declares, and the kernels that the key space makes of them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from keyslot import errors
from keyslot.codegen.keyspace import load_keyspace
from keyslot.codegen.problems import Problems

from .calling import seen
from .codegen_cases import generate

PROJECT = {
    "pyproject.toml": """
[tool.keyslot]
namespace = "ruled"
schemas = ["ops.yaml"]
keys = "keys.yaml"
output = "ruled_ops"
[tool.keyslot.rules]
shape = "ruled_shapes"
""",
    "keys.yaml": """
name: ruled
backends: [CPU, Meta]
functionalities: [{Dense: "{backend}"}, {Autograd: "Autograd{backend}"}, Batched, Spy]
aliases: {CompositeExplicitAutograd: [Dense], Autograd: [Autograd]}
autograd: {Autograd: [Dense]}
fallthrough: [Autograd]
fallbacks: {Batched: "ruled_kernels:fallback", Spy: "ruled_kernels:gone"}
rules:
  shape: {key: Meta, kernel: "ruled_kernels:make"}
  derivatives: {key: Autograd, kernel: "ruled_kernels:make_keyed"}
  batching: {key: Batched, kernel: "ruled_kernels:make_nothing"}
array_types: {CPU: numpy:ndarray}
array_functionalities: [Dense, Autograd]
""",
    "ops.yaml": """
- func: add(Tensor self, Tensor other) -> Tensor
  dispatch: {CPU: "ruled_kernels:compute"}
  shape: pair
  derivatives: {self: grad, other: grad}
- func: add_(Tensor(a!) self, Tensor other) -> Tensor(a!)
  dispatch: {CPU: "ruled_kernels:compute"}
- func: add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  dispatch: {CPU: "ruled_kernels:compute", Meta: "ruled_kernels:compute"}
  shape: own.out
- func: plain(Tensor self) -> Tensor
  autogen: plain.out
  dispatch: {CPU: "ruled_kernels:compute"}
- func: batched(Tensor self) -> Tensor
  dispatch: {CPU: "ruled_kernels:compute"}
  batching: "mine:reduce(self)"
""",
    "ruled_kernels.py": """
from keyslot import with_keyset
made = []
def compute(*args, **kwargs):
    return "computed"
def make(op):
    made.append(op)
    return lambda *args, **kwargs: (op, op.shape_rule)
def make_keyed(op):
    return with_keyset(lambda keys, *args, **kwargs: (op, keys, dict(op.derivatives)))
def make_nothing(op):
    return None
def fallback(op, *args, **kwargs):
    return op, args
""",
}


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Generate a package of operators with rules, over a key space of its own."""
    folder: Path = tmp_path_factory.mktemp("ruled")
    done = generate(folder, PROJECT)
    assert done.code == 0, done.said
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("ruled_ops")
    finally:
        sys.path.remove(str(folder))


X = np.ones(2)


def test_rule_makes_one_kernel_at_its_key(ruled: Any) -> None:
    """The maker gets the operator, once, and what it returns is the kernel."""
    op = ruled.add.default
    assert op.at("Meta", X, X) == (op, "ruled_shapes:pair")
    assert op.at("Meta", X, X) == (op, "ruled_shapes:pair")
    assert sys.modules["ruled_kernels"].made.count(op) == 1


def test_made_kernel_may_take_the_key_set(ruled: Any) -> None:
    """A kernel that the maker marks gets the keys of the call, as any other does."""
    op, keys, formulas = ruled.add.default.at("AutogradCPU", X, X)
    assert op is ruled.add.default
    assert str(keys) == "DispatchKeySet(CPU, AutogradCPU)"
    assert formulas == {"self": "grad", "other": "grad"}


def test_companions_have_the_rules_that_they_do_not_name(ruled: Any) -> None:
    """In-place and out= overloads follow the functional one, rule by rule."""
    inplace, out = ruled.add_.default, ruled.add.out
    assert inplace.shape_rule == "ruled_shapes:pair"
    assert out.shape_rule == "ruled_shapes:own.out"
    assert inplace.derivatives == out.derivatives == {"self": "grad", "other": "grad"}
    assert inplace.at("Meta", X, X) == (inplace, "ruled_shapes:pair")


def test_declared_kernel_wins(ruled: Any) -> None:
    """A kernel that dispatch names at the key of a rule is the kernel there."""
    assert ruled.add.out.at("Meta", X, X, out=X) == "computed"


def test_overload_without_rules_has_none(ruled: Any) -> None:
    """What is left unsaid is None or empty; what autogen derives has no rules."""
    for op in (ruled.plain.default, ruled.plain.out):
        assert op.shape_rule is op.batching_rule is op.derivative_functions is None
        assert op.batching_parameters == op.output_differentiability == ()
        assert op.derivatives == {}
    assert ruled.batched.default.batching_rule == "mine:reduce"
    assert ruled.batched.default.batching_parameters == ("self",)


def test_maker_must_make_a_kernel(ruled: Any) -> None:
    """What a maker returns is held to be called, and named if it cannot be."""
    said = (
        "a kernel must be callable; what ruled_kernels:make_nothing makes is NoneType"
    )
    with pytest.raises(errors.NotAKernelError, match=said):
        ruled.batched.default.at("Batched", X)


def test_key_space_brings_fallbacks(ruled: Any) -> None:
    """A fallback that the key space names steps in where an operator has no kernel."""
    op = ruled.plain.default
    called, args = op.at("Batched", X)
    assert called is op
    assert args[0] is X
    assert "Batched: ruled_kernels:fallback" in str(op.table)
    with pytest.raises(errors.KernelImportError, match="has no attribute 'gone'"):
        op.at("Spy", X)


def test_registered_fallback_comes_before(ruled: Any) -> None:
    """A Library's fallback replaces the built-in one until it is closed."""
    keys: Any = importlib.import_module("ruled_ops.keys")
    op = ruled.plain.default
    with keys.Library("ruled", "IMPL") as library:
        library.fallback(seen, "Batched")
        assert op.at("Batched", X) == seen(op, X)
    assert op.at("Batched", X)[0] is op


def test_space_tells_of_rules_and_fallbacks(ruled: Any, tmp_path: Path) -> None:
    """The generated key space is the one that the YAML declares."""
    (tmp_path / "keys.yaml").write_text(PROJECT["keys.yaml"])
    problems = Problems()
    declared = load_keyspace(tmp_path / "keys.yaml", "keys.yaml", problems)
    assert declared is not None
    space = ruled.plain.default.dispatcher.space
    assert space.rules == declared.rules
    assert space.rules["shape"] == ("Meta", "ruled_kernels:make")
    assert space.fallbacks == declared.fallbacks
    assert space.fallback_keys == ("AutogradCPU", "AutogradMeta", "Batched", "Spy")
