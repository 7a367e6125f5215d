"""Calls that PyTorch's autograd records, by a backward function.

As ``torch.library.register_autograd`` does, with one thing more: each level of
``torch.func`` records for itself, so that its transforms take the operators too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import _C
from torch._functorch.utils import enable_single_level_autograd_function
from torch._library.autograd import supports_tensorlist
from torch._library.utils import is_tensorlist_like_type
from torch.autograd.forward_ad import _set_fwd_grad_enabled

from .definition import Definition, Function


@dataclass(frozen=True, slots=True)
class _Rest:
    """What belongs to a call besides positional arguments: one value to autograd."""

    keyset: Any
    kwargs: Mapping[str, Any]


def recording_kernel(
    definition: Definition, setup: Function | None, backward: Function
) -> Function:
    """Return the autograd kernel of an operator.

    ``setup`` keeps what ``backward`` needs, as ``torch.library.register_autograd`` has
    it.
    """
    function = _autograd_function(definition, setup, backward)

    def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        rest = _Rest(keyset, kwargs)
        if _C.is_grad_enabled() and _C._any_requires_grad(*args):
            return function.apply(*args, rest)
        return _go_on(definition, args, rest)

    return kernel


def _go_on(definition: Definition, args: tuple[Any, ...], rest: _Rest) -> Any:
    """Call the operator below autograd."""
    with _C._AutoDispatchBelowAutograd():
        below = rest.keyset & _C._after_autograd_keyset
        return definition.overload.redispatch(below, *args, **rest.kwargs)


class _EachLevel(torch.autograd.Function):  # type: ignore[misc]  # unknown without torch
    """A function that is recorded where it is called, by one level of PyTorch's."""

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call the function, and record the call.

        Autograd functions come before the dispatcher, and take ``torch.func`` to all
        levels themselves. A kernel is called anew for each level.
        """
        if not _C._are_functorch_transforms_active():
            return super().apply(*args)
        with enable_single_level_autograd_function():
            return super(torch.autograd.Function, cls).apply(*args)


def _autograd_function(
    definition: Definition, setup: Function | None, backward: Function
) -> Any:
    """Return the autograd function of an operator."""

    def forward(ctx: Any, *given: Any) -> Any:
        *args, rest = given
        # PyTorch turns gradients off in here, for the levels further out as well.
        levels = _C._are_functorch_transforms_active()
        with torch.set_grad_enabled(levels), _set_fwd_grad_enabled(levels):
            result = _go_on(definition, tuple(args), rest)
        if setup is not None:
            inputs, named = definition.fill(tuple(args), rest.kwargs)
            by_name = {"keyword_only_inputs": named} if named else {}
            setup(ctx=ctx, inputs=inputs, output=result, **by_name)
        return result

    def gradients(ctx: Any, *grads: Any) -> Any:
        needed = ctx.needs_input_grad
        ctx.needs_input_grad = needed[:-1]
        try:
            found = backward(ctx, *grads)
        finally:
            ctx.needs_input_grad = needed
        return (*found, None) if isinstance(found, tuple) else (found, None)

    schema = definition.overload._schema
    name = f"GeneratedBackwardFor_{definition.library.ns}_{schema.name.split('::')[1]}"
    name += f"_{schema.overload_name or 'default'}"
    methods = {"forward": staticmethod(forward), "backward": staticmethod(gradients)}
    made = type(name, (_EachLevel,), methods)
    values = (*schema.arguments, *schema.returns)
    if any(is_tensorlist_like_type(each.type) for each in values):
        return supports_tensorlist(made)
    return made
