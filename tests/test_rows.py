"""Calls with arguments by position that the operator's function takes by name only."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest

from keyslot import (
    Library,
    dispatch_trace,
    enable_python_dispatcher,
    errors,
    explain,
    include_keys,
    ops,
)

A = np.array([3.0, 1.0, 2.0])
P = np.array([0])
# Any, as type checkers see which calls are refused.
ADD: Any = ops.add
ARANGE: Any = ops.arange
MAX: Any = ops.max
STATES: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "default": lambda: include_keys(),
    "other": lambda: include_keys("AutogradOther"),
    "python": enable_python_dispatcher,
    "trace": lambda: dispatch_trace(len),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("operator", "args", "kwargs", "overload", "expected"),
    [
        (ops.arange, (3,), {}, "default", [[0, 1, 2]]),
        (ops.arange, (3.0,), {}, "default", [[0.0, 1.0, 2.0]]),
        (ops.arange, (np.int64(2),), {}, "default", [[0, 1]]),
        (ops.arange, (1, 3), {}, "start", [[1, 2]]),
        (ops.arange, (1, 6, 2), {}, "start_step", [[1, 3, 5]]),
        (ops.arange, (2,), {"dtype": "int8"}, "default", [[0, 1]]),
        (ops.arange, (1,), {"end": 3}, "start", [[1, 2]]),
        (ops.arange, (1, 3), {"out": np.empty(2)}, "start_out", [[1.0, 2.0]]),
        (ops.max, (A, 0), {"keepdim": True}, "dim", [[3.0], [0]]),
        (ops.max, (A, 0), {}, "dim", [3.0, 0]),
        (ops.max, (A, A + 1), {}, "other", [[4.0, 2.0, 3.0]]),
        (ops.add, (A, 1.0, 2), {}, "Scalar", [[5.0, 3.0, 4.0]]),
        (ops.add, (A, 1.0, 2), {"out": np.empty(3)}, "Scalar_out", [[5.0, 3.0, 4.0]]),
        (ops.scatter, (A, 0, P, 9.0), {}, "value", [[9.0, 1.0, 2.0]]),
        (ops.scatter, (A, 0, P, A), {}, "src", [[3.0, 1.0, 2.0]]),
    ],
)
def test_call_reaches_the_overload_that_explain_names(
    state: str,
    operator: Any,
    args: Any,
    kwargs: Any,
    overload: str,
    expected: list[Any],
) -> None:
    """In every state, the first time and again."""
    with STATES[state]():
        assert explain(operator, *args, **kwargs).op.rpartition("::")[2] == (
            operator.__name__ + ("" if overload == "default" else f".{overload}")
        )
        for _ in range(2):
            result = operator(*args, **kwargs)
            results: list[Any] = [*result] if overload == "dim" else [result]
            for got, wanted in zip(results, expected, strict=True):
                np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ADD(A, 1.0, 2, alpha=3), "'alpha' twice"),
        (lambda: ARANGE(1, 2, 3, 4), "at most 3 positional arguments"),
        (lambda: MAX(A, 0, keepdim=True, other=A), "has no argument"),
        (lambda: ARANGE("3"), "argument 1: str"),
    ],
)
def test_refusals_name_what_does_not_fit(call: Callable[[], Any], said: str) -> None:
    """The same as those of calls in other forms, and they leave nothing behind."""
    before = [len(op.caches) for op in (ops.add.Scalar, ops.arange.default)]
    for _ in range(3):
        with pytest.raises(errors.OverloadError, match=said):
            call()
    assert before == [len(op.caches) for op in (ops.add.Scalar, ops.arange.default)]


@pytest.mark.parametrize("kwargs", [{}, {"dtype": "int64"}])
@pytest.mark.parametrize("state", STATES)
def test_errors_of_kernels_have_no_context(state: str, kwargs: Any) -> None:
    """Neither in the first call of its types, which is looked up in vain, nor later."""
    calls: list[Callable[[], Any]] = [lambda: ARANGE(1, True, 0, **kwargs)] * 2
    for call in calls:
        with STATES[state](), pytest.raises(errors.ArgumentValueError) as caught:
            call()
        assert caught.value.__context__ is None


def test_registrations_reach_calls_that_were_made_before() -> None:
    """A kernel that comes and goes is called as long as it is there."""

    def nothing(*args: object, **kwargs: object) -> str:
        return "nothing"

    def results() -> list[Any]:
        return [ops.arange(1), ops.arange(1, dtype="int8"), ops.add(A, 1, 1)[0]]

    assert results() == [0, 0, 4]
    with Library("keyslot", "IMPL") as library:
        library.impl("arange", nothing, "NumPy", override=True)
        library.impl("add.Scalar", nothing, "NumPy", override=True)
        assert results() == ["nothing", "nothing", "n"]
    assert results() == [0, 0, 4]


def test_default_given_by_name_counts_as_not_given() -> None:
    """The function cannot tell it from none; another one is there twice."""
    np.testing.assert_array_equal(ADD(A, 1.0, 2, alpha=1), [5.0, 3.0, 4.0])


def test_arrays_given_by_name_are_never_compared() -> None:
    """Whether an argument is the default is asked by identity."""
    out = np.zeros(2, "int64")
    assert ops.arange(1, 3, out=out) is out
    assert ops.max(A, 0, max=np.zeros(()), max_values=np.zeros((), "int64"))[0] == 3
