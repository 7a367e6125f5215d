"""Kernels at the autograd keys: they call the operator and record the call."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ... import generated as ops
from .. import tensor, views
from ..source import compile_function
from . import recording
from .backward import Backward, Function
from .inplace import check_in_place, rebase
from .kernel_source import KernelSource
from .node import Node, edge_to
from .plan import Plan

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

Kernel = Callable[..., Any]


def derivative_kernel(op: OpOverload) -> Kernel:
    """Return the kernel of an operator's derivatives, as its YAML gives them.

    It is compiled for the operator: a general one would cost several times as much.
    """
    gradients = Gradients(Plan(op))
    name = op.__name__
    lines = KernelSource(gradients.plan, gradients.real).lines(name)
    values = {**_names(), **_names_of(op, gradients)}
    made: Kernel = compile_function(
        name, lines, f"<keyslot {op.name} recorded>", values
    )
    return made


class Gradients:
    """The gradients of one operator, for real numbers and for complex ones."""

    def __init__(self, plan: Plan) -> None:
        self.plan: Final = plan
        #: None where the operator has no gradient at all.
        self.real: Final = Backward(plan, real=True) if plan.backward else None

    @cached_property
    def complex(self) -> Function:
        """The function of a node with complex numbers."""
        return Backward(self.plan, real=False).function


def _names() -> dict[str, Any]:
    """Return what the source of every kernel calls."""
    return {
        "Tensor": tensor.Tensor,
        "Node": Node,
        "new": tensor.Tensor.__new__,
        "zero": (0,),
        "recorded": tensor.recorded,
        "note_view": views.note_view,
        "item_of": views.item_of,
        "give_memory": views.give_memory,
        "counter_of": tensor.counter_of,
        "written": tensor.note_write,
        "level_of": recording.level_of_list,
        "items": recording.opened_list,
        "edges_of": recording.edges_of_list,
        "likes_of": recording.likes_of_list,
        "any_complex": recording.any_complex,
        "fact": recording.fact,
        "counted": recording.counted,
        "plainly": recording.plainly,
        "plain_view": recording.plain_view,
        "refuse_out": recording.refuse_out,
        "check_in_place": check_in_place,
        "rebase": rebase,
        "edge": edge_to,
        "edge_of": views.current_edge,
        "edge_of_written": views.edge_of_written,
        "clone": ops.clone.default,
    }


def _names_of(op: OpOverload, gradients: Gradients) -> dict[str, Any]:
    """Return what the source of the kernel of one operator calls."""
    return {
        "op": op,
        "call": _direct(op),
        "gradients": gradients,
        "real": None if gradients.real is None else gradients.real.function,
        "untracked": recording.untracked(op),
    }


def _direct(op: OpOverload) -> Kernel:
    """Return what calls an operator, without the cost of calling an instance."""
    found = type(op).__dict__.get("__call__")
    return found.__func__ if isinstance(found, staticmethod) else op
