"""What is said about wrong calls of shipped operators names what the caller wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keyslot import ops

VECTOR = np.ones(3)
MATRIX = np.ones((2, 3))
WHOLE = np.array([0, 1])
FLAGS = np.array([True, False, True])
UNREAL = VECTOR + 1j

UNFIT = "bitwise_or takes no arrays of dtype float64"
GROWS = "an array that is changed in place does not grow"

REFUSALS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: ops.add_(VECTOR, MATRIX),
        ValueError,
        f"other has shape (2, 3), which does not broadcast to (3,); {GROWS}",
    ),
    (
        lambda: ops.mul_(VECTOR, MATRIX[:, :2]),
        ValueError,
        f"other has shape (2, 2), which does not broadcast to (3,); {GROWS}",
    ),
    (
        lambda: ops.mul_(WHOLE, 0.5),
        TypeError,
        "self has dtype int64, which cannot hold the result's float64",
    ),
    (lambda: ops.sub(FLAGS, FLAGS), TypeError, "sub takes no arrays of dtype bool"),
    (lambda: ops.sub_(FLAGS, FLAGS), TypeError, "sub takes no arrays of dtype bool"),
    (
        lambda: ops.bitwise_and(VECTOR, VECTOR),
        TypeError,
        "bitwise_and takes no arrays of dtype float64",
    ),
    (lambda: ops.abs(FLAGS), TypeError, "abs takes no arrays of dtype bool"),
    (lambda: ops.round(UNREAL), TypeError, "round takes no arrays of dtype complex128"),
    (
        lambda: ops.lt(UNREAL, UNREAL),
        TypeError,
        "lt takes no arrays of dtype complex128",
    ),
    (
        lambda: ops.view(MATRIX.T, [6]),
        ValueError,
        "no view of this array with shape (3, 2) has size [6], for its elements lie in"
        " another order; clone it first, with memory_format='contiguous_format'",
    ),
    (
        lambda: ops.expand(MATRIX, [4, 3]),
        ValueError,
        "self has shape (2, 3), which does not broadcast to (4, 3)",
    ),
    (
        lambda: ops.addmm(np.ones(5), MATRIX, MATRIX.T),
        ValueError,
        "self has shape (5,), which does not broadcast to (2, 2)",
    ),
    (
        lambda: ops.masked_scatter_(VECTOR, FLAGS[:2], VECTOR),
        ValueError,
        "mask has shape (2,), which does not broadcast to (3,)",
    ),
    (
        lambda: ops.copy_(VECTOR, MATRIX),
        ValueError,
        "src has shape (2, 3), which does not broadcast to (3,)",
    ),
    (
        lambda: ops.index(VECTOR, [VECTOR]),
        IndexError,
        "indices has an array of dtype float64; it can be of int64 or int32, or a mask"
        " of bool or uint8",
    ),
    (
        lambda: ops.index(VECTOR, [WHOLE, WHOLE]),
        IndexError,
        "indices has 2 items, self has 1 dimensions",
    ),
    (
        lambda: ops.mm(MATRIX, MATRIX.T, out=np.zeros((2, 2), "float32")),
        TypeError,
        "out has dtype float32, the result has dtype float64",
    ),
    (
        lambda: ops.clamp(FLAGS, FLAGS, FLAGS),
        TypeError,
        "clamp takes no arrays of dtype bool",
    ),
    (lambda: ops.bitwise_or(WHOLE, 2.5), TypeError, UNFIT),
    (lambda: ops.bitwise_or(VECTOR, 2), TypeError, UNFIT),
    (lambda: ops.bitwise_or.Tensor(WHOLE, 2.5), TypeError, UNFIT),
    (lambda: ops.bitwise_or_(WHOLE, 2.5), TypeError, UNFIT),
    (lambda: ops.bitwise_or(WHOLE, 2.5, out=VECTOR[:2]), TypeError, UNFIT),
    (
        lambda: ops.cat([], out=VECTOR),
        ValueError,
        "tensors is empty: nothing to join",
    ),
    (
        lambda: ops.cat([VECTOR], out=np.zeros(3, int)),
        TypeError,
        "out has dtype int64, which cannot hold the result's float64",
    ),
]


@pytest.mark.parametrize(("make", "kind", "message"), REFUSALS)
def test_refusal(make: Callable[[], Any], kind: type[Exception], message: str) -> None:
    """The message is in the words of the call, whatever NumPy says beneath."""
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value) == message


def test_refused_call_writes_nothing() -> None:
    """An array that was to be changed is what it was."""
    changed = np.ones(3)
    for wrong in (MATRIX, MATRIX[:, :2]):
        with pytest.raises(ValueError, match=GROWS):
            ops.add_(changed, wrong)
    assert changed.tolist() == [1.0, 1.0, 1.0]


def test_other_errors_of_values_pass_through() -> None:
    """Only operands that do not broadcast are said not to."""
    with pytest.raises(ValueError, match=r"alpha is 0\.5"):
        ops.add_(WHOLE, WHOLE, alpha=0.5)
