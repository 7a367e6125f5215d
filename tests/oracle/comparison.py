"""One call made through keyslot and through PyTorch, and all that can be seen compared.

What can be seen: whether it is refused; results, their shapes and dtypes; what was
written to arguments; which results are arguments, or views of them, and of what part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from ..schema_calls import shipped
from .memory import is_strided_alike, own_memory, same_memory, steps
from .op_arguments import Call

#: What both may refuse a call with; anything else is a fault in one of them.
REFUSALS = (ArithmeticError, IndexError, NotImplementedError, TypeError, ValueError)
#: The arguments that PyTorch takes as objects of its own, and keyslot also by name.
NAMED_BY_TYPE = ("ScalarType", "Layout", "MemoryFormat")
#: How far results may be apart, relatively and absolutely; other dtypes are exact.
TOLERANCES = {
    "float16": 1e-3,
    "float32": 1e-5,
    "float64": 1e-13,
    "complex64": 1e-5,
    "complex128": 1e-13,
}
#: Overloads with results whose elements nothing determines: the place of these among
#: the results. Their shapes, dtypes and strides are compared none the less.
UNDETERMINED: dict[str, int] = {
    # What was in the memory before.
    **dict.fromkeys(("empty.memory_format", "empty.out"), 0),
    **dict.fromkeys(("empty_strided", "empty_strided.out"), 0),
    **dict.fromkeys(("empty_like", "empty_like.out"), 0),
    **dict.fromkeys(("new_empty", "new_empty.out"), 0),
    # Random numbers.
    **dict.fromkeys(("rand", "rand.out", "randn", "randn.out"), 0),
    **dict.fromkeys(("randperm", "randperm.out"), 0),
    # Indices of elements, of which equal ones can stand for each other.
    **dict.fromkeys(("topk", "topk.values"), 1),
}


class Outcome(NamedTuple):
    """What a call came to: its result or the error, and the arrays it was given."""

    result: Any
    given: list[Any]
    error: Exception | None = None


SHIPPED = shipped()


def differences(name: str, given: Call) -> list[str]:
    """Make a call both ways, and return what differs, a sentence each."""
    theirs = outcome(torch_call, name, given)
    ours = outcome(keyslot_call, name, given)
    if theirs.error and "INTERNAL ASSERT FAILED" in str(theirs.error):
        return []  # a fault of PyTorch, which says nothing of what is right
    if ours.error or theirs.error:
        return [*_differing_refusals(ours.error, theirs.error)]
    return [*differing_results(ours, theirs, UNDETERMINED.get(name))]


def outcome(
    make: Callable[[str, Call], tuple[Any, list[Any]]], name: str, given: Call
) -> Outcome:
    """Make a call on a copy of its arrays."""
    try:
        return Outcome(*make(name, own_memory(given)))
    except Exception as error:  # whatever it is, it is compared with the other's
        return Outcome(None, [], error)


def torch_call(name: str, given: Call) -> tuple[Any, list[Any]]:
    """Call PyTorch's overload; return its result and the tensors it was given."""
    args, kwargs = with_tensors(name, given)
    made = torch_overload(name)(*args, **kwargs)
    return made, flat([*args, *kwargs.values()], torch.Tensor)


def torch_overload(name: str) -> Any:
    """Return PyTorch's overload."""
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def with_tensors(name: str, given: Call) -> Call:
    """Return a call as PyTorch takes it, with tensors in the memory of the arrays."""
    return same_memory(Call(*with_objects(name, given)))


def keyslot_call(name: str, given: Call) -> tuple[Any, list[Any]]:
    """Call our overload; return its result and the arrays it was given."""
    with np.errstate(all="ignore"):
        made = SHIPPED[name](*given.args, **given.kwargs)
    return made, flat([*given.args, *given.kwargs.values()], np.ndarray)


def with_objects(name: str, given: Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments with PyTorch's dtypes and the like in place of names."""
    types = {
        argument.name: argument.type.base.name
        for argument in SHIPPED[name].schema.arguments
    }

    def made(key: str, value: Any) -> Any:
        named = types[key] in NAMED_BY_TYPE and isinstance(value, str)
        return getattr(torch, value) if named else value

    args = tuple(map(made, types, given.args))
    return args, {key: made(key, value) for key, value in given.kwargs.items()}


def flat(value: Any, kind: type) -> list[Any]:
    """Return the arrays in nested lists and tuples, in order."""
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flat(part, kind)]
    return [value] if isinstance(value, kind) else []


def _differing_refusals(
    ours: Exception | None, theirs: Exception | None
) -> Iterator[str]:
    if ours is None:
        yield f"PyTorch refuses: {_summary(theirs)}"
    elif theirs is None:
        yield f"keyslot refuses: {_summary(ours)}"
    elif not isinstance(ours, REFUSALS):
        yield f"keyslot fails: {_summary(ours)}"


def _summary(error: Exception | None) -> str:
    """Return the first line of a message; what follows is for other readers."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def differing_results(
    ours: Outcome, theirs: Outcome, undetermined: int | None = None
) -> Iterator[str]:
    """Yield how what two calls returned and wrote differs.

    ``undetermined`` is the place of a result whose elements are not compared.
    """
    our_results, their_results = as_list(ours.result), as_list(theirs.result)
    if type(ours.result) is not type(theirs.result) and not isinstance(
        theirs.result, torch.Tensor
    ):
        yield f"type {type(ours.result)}, for PyTorch {type(theirs.result)}"
    if len(our_results) != len(their_results):
        yield f"{len(our_results)} results, for PyTorch {len(their_results)}"
    pairs = [*zip(our_results, their_results, strict=False)]
    given = [*zip(ours.given, theirs.given, strict=True)]
    # What is computed in float32 is no more exact for being written to float64.
    tolerance = max((_tolerance(array) for array in ours.given), default=0.0)
    for place, (our, their) in enumerate(pairs):
        if place != undetermined:
            yield from differing_values("result", our, their, tolerance)
        else:
            yield from _differing_layout(our, their)
    chance = our_results[undetermined] if undetermined is not None else None
    for our, their in given:
        if our is not chance:
            yield from differing_values("argument", our, their, tolerance)
    for result in pairs:
        their = result[1]
        if isinstance(their, torch.Tensor) and _can_be_seen(their):
            for argument in given:
                yield from _differing_memory(result, argument)


def as_list(result: Any) -> list[Any]:
    """Return the results of a call, of which there may be one that is no list."""
    return [*result] if isinstance(result, (list, tuple)) else [result]


def differing_values(
    what: str, ours: Any, theirs: Any, tolerance: float = 0.0
) -> Iterator[str]:
    """Yield how an array differs from a tensor in shape, dtype and elements.

    Floating-point elements may be further apart than usual by ``tolerance``.
    """
    if not isinstance(theirs, torch.Tensor):
        if ours != theirs and not (ours != ours and theirs != theirs):
            yield f"{what} {ours!r}, for PyTorch {theirs!r}"
        return
    if theirs.dtype is torch.complex32:
        yield f"{what} is {ours.dtype}, for PyTorch complex32"
        return
    expected = theirs.resolve_conj().numpy()
    if found := _differing_kind(what, ours, expected):
        yield found
    elif not _close(ours, expected, tolerance):
        yield f"{what} {ours!r}, for PyTorch {expected!r}"


def _differing_layout(ours: Any, theirs: Any) -> Iterator[str]:
    """Yield how an array differs from a tensor in all but its elements."""
    expected = theirs.numpy()
    if found := _differing_kind("result", ours, expected):
        yield found
    # What is not walked along can have any stride.
    elif ours.size and steps(ours) != steps(expected):
        yield f"result has strides {ours.strides}, for PyTorch {expected.strides}"


def _differing_kind(what: str, ours: Any, expected: Any) -> str | None:
    if not isinstance(ours, (np.ndarray, np.generic)):
        return f"{what} {ours!r} is no array"
    if ours.shape != expected.shape:
        return f"{what} has shape {ours.shape}, for PyTorch {expected.shape}"
    if ours.dtype != expected.dtype:
        return f"{what} is {ours.dtype}, for PyTorch {expected.dtype}"
    return None


def _tolerance(array: Any) -> float:
    return TOLERANCES.get(array.dtype.name, 0.0)


def _close(ours: Any, expected: Any, tolerance: float) -> bool:
    """Whether elements are equal; floating-point ones may be rounded."""
    if expected.dtype.kind not in "fc":
        return np.array_equal(ours, expected)
    tolerance = max(tolerance, _tolerance(expected))
    # Equality is asked first because it is cheap, and true as a rule.
    with np.errstate(all="ignore"):
        return np.array_equal(ours, expected, equal_nan=True) or np.allclose(
            ours, expected, tolerance, tolerance, equal_nan=True
        )


def _can_be_seen(theirs: torch.Tensor) -> bool:
    """Whether NumPy can look at the memory of a tensor, as that of no conjugate."""
    return theirs.dtype is not torch.complex32 and not theirs.is_conj()


def _differing_memory(
    result: tuple[Any, Any], argument: tuple[Any, Any]
) -> Iterator[str]:
    (our, their), (our_argument, their_argument) = result, argument
    if (our is our_argument) != (their is their_argument):
        yield f"the result is the argument: {our is our_argument}, not for PyTorch"
    view, their_view = their.numpy(), their_argument.numpy()
    shares = np.shares_memory(view, their_view)
    if np.shares_memory(our, our_argument) != shares:
        yield f"the result is a view: {not shares}, for PyTorch {shares}"
    elif shares and not is_strided_alike((our, our_argument), (view, their_view)):
        yield f"the view has strides {our.strides}, for PyTorch {view.strides}"
