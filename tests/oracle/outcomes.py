"""Everything that can be seen of what a call came to, as values to compare.

Elements are compared bit for bit, so that a NaN is equal to itself, and 0 is not -0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_flatten

from .aten_calls import Call, seed, tensors_in

#: Dtypes that NumPy does not have, and others of the same size.
_BITS = {torch.bfloat16: torch.int16, torch.complex32: torch.int32}

#: What was found, by what it is found of: ``result 0: shape`` and the like.
Outcome = dict[str, Any]


def outcome(function: Callable[..., Any], call: Call) -> Outcome:
    """Make a call, and return all that can be seen of it, gradients too."""
    seed()
    try:
        result = function(*call.args, **call.kwargs)
    except Exception as error:  # whatever it is, it is compared with the other's
        return refusal("call", error) | _written(call.tensors)
    return seen(result, call.tensors)


def seen(result: Any, given: list[Any]) -> Outcome:
    """Return what can be seen of a result, and of the tensors that led to it."""
    leaves, structure = tree_flatten(result)
    found: Outcome = {"structure": structure}
    for place, leaf in enumerate(leaves):
        name = f"result {place}"
        if isinstance(leaf, torch.Tensor):
            found |= _tensor(name, leaf)
            found[f"{name}: is argument"] = [leaf is other for other in given]
            found[f"{name}: memory of"] = [_shares(leaf, other) for other in given]
        else:
            found[name] = (type(leaf), repr(leaf))
    return found | _written(given) | _gradients(leaves, given)


def refusal(what: str, error: Exception) -> Outcome:
    """Return what can be seen of an error."""
    return {f"{what}: error": (type(error), str(error))}


def differences(ours: Outcome, theirs: Outcome) -> Iterator[str]:
    """Yield what differs, a line each."""
    for name in sorted(
        theirs.keys() | ours.keys(), key=lambda name: "error" not in name
    ):
        our, their = ours.get(name, "nothing"), theirs.get(name, "nothing")
        if our != their:
            yield f"{name} is {_shown(our)}, for PyTorch {_shown(their)}"


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) < 300 else f"{text[:300]}..."


def _written(given: list[Any]) -> Outcome:
    found: Outcome = {}
    for place, tensor in enumerate(given):
        found |= _tensor(f"argument {place}", tensor)
    return found


def _tensor(name: str, tensor: Any) -> Outcome:
    facts: Outcome = {
        "type": type(tensor),
        "dtype": tensor.dtype,
        "shape": tuple(tensor.shape),
        "layout": tensor.layout,
        "device": tensor.device,
        "conj": tensor.is_conj(),
        "neg": tensor.is_neg(),
        "zero": tensor._is_zerotensor(),
        "requires_grad": tensor.requires_grad,
        "grad_fn": tensor.grad_fn and tensor.grad_fn.name(),
        "version": None if tensor.is_inference() else tensor._version,
        "elements": _elements(tensor),
    }
    if tensor.layout is torch.strided:
        facts["strides"] = tensor.stride(), tensor.storage_offset()
    return {f"{name}: {fact}": value for fact, value in facts.items()}


def _elements(tensor: Any) -> Any:
    """Return the bits of the elements, or their text where they are not in memory."""
    plain = tensor.detach()
    if plain._is_zerotensor():
        return None
    if plain.layout is not torch.strided or plain.device.type != "cpu":
        return repr(plain)
    if plain.is_quantized:
        plain = plain.int_repr()
    plain = plain.resolve_conj().resolve_neg()
    plain = plain.reshape(-1)  # NumPy has fewer dimensions
    return plain.view(_BITS.get(plain.dtype, plain.dtype)).numpy().tobytes()


def _shares(one: Any, other: Any) -> bool:
    if one.layout is not torch.strided or other.layout is not torch.strided:
        return False
    memory = one.untyped_storage()._cdata
    return bool(memory == other.untyped_storage()._cdata)


def _gradients(leaves: list[Any], given: list[Any]) -> Outcome:
    """Return the gradients of the tensors that led to a result."""
    results = [leaf for leaf in tensors_in(leaves) if leaf.requires_grad]
    inputs = [tensor for tensor in given if tensor.requires_grad and tensor.is_leaf]
    if not results or not inputs:
        return {}
    upstream = [result.detach().clone() for result in results]
    seed()
    try:
        gradients = torch.autograd.grad(results, inputs, upstream, allow_unused=True)
    except Exception as error:
        return refusal("backward", error)
    found: Outcome = {}
    for place, gradient in enumerate(gradients):
        if gradient is not None:
            found |= _tensor(f"gradient {place}", gradient)
    return found
