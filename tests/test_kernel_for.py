"""``kernel_for``: the kernel that a call with given types reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from keyslot import (
    Library,
    enable_python_dispatcher,
    errors,
    include_keys,
    register_array_type,
    with_keyset,
)

from .calling import Mine, a, define, last, ops, reports

ARRAY = np.ndarray


class Other(Mine):
    """An array of a second library."""


@pytest.mark.parametrize(
    ("op", "types", "kernel"),
    [
        ("logical_or.default", [ARRAY, ARRAY], np.logical_or),
        ("logical_or.default", [ARRAY, float], np.logical_or),
        ("mul.Scalar", [ARRAY, int], np.multiply),
        ("logical_or.default", [np.float64, np.float32], np.logical_or),
        ("logical_not.default", [ARRAY], np.logical_not),
    ],
)
def test_very_kernel(op: str, types: list[type], kernel: Any) -> None:
    """It is the kernel itself, without anything around it."""
    name, _, overload = op.partition(".")
    assert getattr(getattr(ops, name), overload).kernel_for(*types) is kernel


def test_defaults_may_be_left_away(library: Library) -> None:
    """Types of arguments that are left away are those of their defaults."""
    op = define(library, "f(Tensor x, int n=1, *, Tensor? y=None) -> Tensor", last)
    assert op.kernel_for(ARRAY) is last
    assert op.kernel_for(ARRAY, int) is last
    assert op.kernel_for(ARRAY, int, type(None)) is last
    assert op.kernel_for(ARRAY, int, ARRAY) is last


def test_state_counts(library: Library) -> None:
    """It is the kernel of a call in the state of the caller."""
    op = define(library, "f(Tensor x) -> Tensor", np.exp)
    library.impl(op, np.log, "Python")
    library.py_impl(op, np.sin, "NumPy")
    assert op.kernel_for(ARRAY) is np.exp
    with include_keys("Python"):
        assert op.kernel_for(ARRAY) is np.log
    with enable_python_dispatcher():
        assert op.kernel_for(ARRAY) is np.sin
    library.impl(op, np.cos, "NumPy", override=True)
    assert op.kernel_for(ARRAY) is np.cos


def test_kernel_that_takes_the_key_set(library: Library) -> None:
    """A kernel that asks for the key set gets that of a call with these types."""

    @with_keyset
    def kernel(keyset: Any, x: Any) -> Any:
        return keyset.highest().name, x

    op = define(library, "f(Tensor x) -> Tensor", kernel, "AutogradNumPy")
    name, x = op.kernel_for(ARRAY)(a)
    assert name == "AutogradNumPy"
    assert x is a


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ("f(Tensor x, int[2] n) -> Tensor", [ARRAY, int]),
        ("f(Tensor x, float n) -> Tensor", [ARRAY, int]),
        ("f(Tensor x, Scalar n) -> Tensor", [ARRAY, np.float64]),
        ("f(Tensor[] xs) -> Tensor", [list]),
        ("f(int[] size, *, Device? device=None) -> Tensor", [tuple]),
        ("f(*, Device device) -> Tensor", [str]),
        ("f(Tensor x, int[] n=[]) -> Tensor", [ARRAY]),
    ],
)
def test_no_one_kernel(library: Library, schema: str, types: list[type]) -> None:
    """Where arguments are converted or looked at, there is no kernel to hand out."""
    op = define(library, schema)
    with pytest.raises(errors.KernelForError) as caught:
        op.kernel_for(*types)
    assert caught.value.schema == schema


def test_what_a_call_refuses(library: Library) -> None:
    """Types that a call refuses are refused with the call's error."""
    schema = "f(Tensor x, Tensor y) -> Tensor"
    op = define(library, schema, reports("numpy"), tags="pointwise")
    library.impl(op, reports("one"), "PrivateUse1")
    with (
        register_array_type(Mine, "PrivateUse1"),
        register_array_type(Other, "PrivateUse2"),
    ):
        with pytest.raises(errors.MixedBackendsError):
            op.kernel_for(Mine, Other)
        with pytest.raises(errors.NoKernelError):
            op.kernel_for(Other, Other)
    with pytest.raises(errors.NoArrayError):
        op.kernel_for(int, float)
    for types in ([ARRAY], [ARRAY, str], [ARRAY, ARRAY, ARRAY]):
        with pytest.raises(errors.OverloadError):
            op.kernel_for(*types)
