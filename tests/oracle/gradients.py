"""The derivatives of one call, through keyslot and through PyTorch.

Both are given the same vectors. What is compared: the gradients, the gradients of
these, and the tangents of the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from keyslot import ops
from keyslot.transforms import jvp, vjp

from ..numerical import ArrayFunction, as_function, directions
from .comparison import REFUSALS, SHIPPED, torch_overload, with_tensors
from .memory import own_memory
from .op_arguments import Array, Call

Arrays = Sequence[Any]


class Vectors(NamedTuple):
    """What derivatives are taken along."""

    #: Like the results, for gradients.
    cotangents: list[Array]
    #: Like the arguments, for tangents and for the gradients of gradients.
    tangents: list[Array]


#: How far derivatives may be apart, relatively and absolutely, in either precision.
DOUBLE, SINGLE = 1e-9, 2e-3


def derivative_differences(name: str, given: Call) -> list[str]:
    """Return how the derivatives of a call differ, a sentence each."""
    op = SHIPPED[name]
    copied = op.schema.is_inplace
    mine, leaves = as_function(op, own_memory(given), ops.clone if copied else None)
    try:
        results = mine(*leaves) if leaves else ()
    except REFUSALS:
        return []  # that is for the other tests
    if not results:
        return []
    tolerance = max(map(_tolerance, [*leaves, *results]))
    vectors = Vectors(directions(results, 1), directions(leaves, 2))
    theirs, tensors = as_function(
        op,
        with_tensors(name, own_memory(given)),
        torch.clone if copied else None,
        torch_overload(name),
    )
    compared: list[tuple[str, Callable[..., Any], Callable[..., Any]]] = [
        ("gradient", our_gradients, their_gradients),
        ("second gradient", our_second, their_second),
        ("tangent", our_tangents, their_tangents),
    ]
    found: list[str] = []
    for what, ours, other in compared:
        with np.errstate(all="ignore"):
            expected = _tried(other, theirs, tensors, vectors)
            if expected is not None:
                made = ours(mine, leaves, vectors)
                found += _differing(what, made, expected, tolerance)
    return found


def _tolerance(array: Any) -> float:
    return DOUBLE if array.dtype.name in ("float64", "complex128") else SINGLE


def _tried(function: Callable[..., Any], *args: Any) -> Any:
    """Return what PyTorch says, or None where it has no derivative."""
    try:
        return function(*args)
    except (NotImplementedError, RuntimeError):
        return None


def _differing(
    what: str, ours: Arrays, theirs: Arrays, tolerance: float
) -> Iterator[str]:
    for place, (our, their) in enumerate(zip(ours, theirs, strict=True)):
        our, their = np.asarray(our), _as_array(their)
        if our.shape != their.shape or our.dtype != their.dtype:
            kinds = f"{our.dtype}{our.shape}, for PyTorch {their.dtype}{their.shape}"
            yield f"{what} {place}: {kinds}"
        elif not np.allclose(our, their, tolerance, tolerance, equal_nan=True):
            yield f"{what} {place}: {our!r}, for PyTorch {their!r}"


def _as_array(tensor: Any) -> Array:
    if tensor._is_zerotensor():
        tensor = torch.zeros_like(tensor)
    array: Array = tensor.detach().to_dense().resolve_conj().numpy()
    return array


# --- keyslot --------------------------------------------------------------------------


def our_gradients(function: ArrayFunction, leaves: Arrays, vectors: Vectors) -> Arrays:
    """Return the gradients of the arguments."""
    _, pull_back = vjp(function, *leaves)
    made: Arrays = pull_back(tuple(vectors.cotangents))
    return made


def our_second(function: ArrayFunction, leaves: Arrays, vectors: Vectors) -> Arrays:
    """Return the gradients of gradients, of the arguments and the cotangents."""
    count = len(leaves)

    def gradient(*values: Any) -> Any:
        _, pull_back = vjp(function, *values[:count])
        return pull_back(values[count:])

    _, pull_back = vjp(gradient, *leaves, *vectors.cotangents)
    made: Arrays = pull_back(tuple(vectors.tangents))
    return made


def our_tangents(function: ArrayFunction, leaves: Arrays, vectors: Vectors) -> Arrays:
    """Return the tangents of the results."""
    made: Arrays = jvp(function, tuple(leaves), tuple(vectors.tangents))[1]
    return made


# --- PyTorch --------------------------------------------------------------------------


def their_gradients(
    function: ArrayFunction, tensors: Arrays, vectors: Vectors
) -> Arrays:
    """Return the gradients of the arguments."""
    leaves = [_leaf(tensor) for tensor in tensors]
    cotangents = [_tensor(vector) for vector in vectors.cotangents]
    return _pulled_back(function(*leaves), leaves, cotangents)


def their_second(function: ArrayFunction, tensors: Arrays, vectors: Vectors) -> Arrays:
    """Return the gradients of gradients, of the arguments and the cotangents."""
    leaves = [_leaf(tensor) for tensor in tensors]
    cotangents = [_leaf(_tensor(vector)) for vector in vectors.cotangents]
    gradients = _pulled_back(function(*leaves), leaves, cotangents, record=True)
    tangents = [_tensor(vector) for vector in vectors.tangents]
    return _pulled_back(gradients, [*leaves, *cotangents], tangents)


def their_tangents(
    function: ArrayFunction, tensors: Arrays, vectors: Vectors
) -> Arrays:
    """Return the tangents of the results."""
    forward_mode: Any = torch.autograd.forward_ad
    with forward_mode.dual_level():
        duals = [
            forward_mode.make_dual(tensor.detach(), _tensor(vector))
            for tensor, vector in zip(tensors, vectors.tangents, strict=True)
        ]
        parts = [forward_mode.unpack_dual(one) for one in function(*duals)]
    if any(part.tangent is None for part in parts):
        raise NotImplementedError("a result without a tangent")
    return [part.tangent for part in parts]


def _leaf(tensor: Any) -> Any:
    return tensor.detach().requires_grad_()


def _tensor(array: Any) -> Any:
    return torch.from_numpy(np.asarray(array))


def _pulled_back(
    results: Arrays, leaves: Arrays, vectors: Arrays, record: bool = False
) -> Arrays:
    """Return the gradients of leaves; zeros where nothing depends on them."""
    pairs = [
        (result, vector)
        for result, vector in zip(results, vectors, strict=True)
        if result.requires_grad
    ]
    if not pairs:
        return [torch.zeros_like(leaf) for leaf in leaves]
    starts, given = zip(*pairs, strict=True)
    made: Arrays = torch.autograd.grad(
        starts,
        leaves,
        given,
        create_graph=record,
        allow_unused=True,
        materialize_grads=True,
    )
    return made
