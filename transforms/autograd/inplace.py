"""Changes in place, as the graph sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ... import generated as ops
from ...runtime.errors import InPlaceError
from ..tensor import Tensor, version_of
from ..views import with_memory
from .leaf import Leaf
from .node import Node

if TYPE_CHECKING:
    from ...runtime.op import OpOverload


#: Why arrays that nothing is recorded of cannot be written to inside a transform.
OUTSIDE: Final = (
    "for it does not depend on what is differentiated; make it of that, as 0 * x, or"
    " put the parts together with cat, stack or an operator that scatters"
)


def check_in_place(
    op: OpOverload, argument: str, written: Any, level: int, bits: int
) -> None:
    """Raise InPlaceError where an argument cannot be changed without a wrong gradient.

    ``bits`` are 0 where nothing is recorded.
    """
    if not bits or written is None:
        return
    if not isinstance(written, Tensor) or written.level != level:
        raise InPlaceError(op.name, argument, f"its gradient would be lost, {OUTSIDE}")
    root = base_of(written)
    if is_leaf(root) and root.edge is not None:
        why = "it is a leaf that requires its gradient"
        raise InPlaceError(op.name, argument, f"{why}; change a clone, or its .value")


def is_leaf(tensor: Any) -> bool:
    """Whether a Tensor is none that a recorded call has made."""
    edge = tensor.current_edge
    return edge is None or isinstance(edge, Leaf)


def base_of(tensor: Any) -> Any:
    """Return the Tensor that a view is of, or the Tensor itself."""
    extra = tensor.extra
    return tensor if extra is None or extra.base is None else extra.base


def rebase(tensor: Any, node: Node, bits: int, place: int | None) -> None:
    """Make a Tensor that was changed in place the result of the node that did it.

    ``place`` is that of the Tensor among the edges of the node, None where the change
    does away with what was there.

    A view that changes changes what it is a view of: its base becomes the result of a
    node that sends the gradient of this part through ``node`` and the rest past it,
    as PyTorch's ``CopySlices`` does, and the view is made of the base anew.
    """
    base = base_of(tensor)
    tensor.bits |= bits
    if base is tensor:
        tensor.edge = node
        return
    edges = (base.edge, *node.edges)
    saved = (node, tensor.extra.replay, place)
    base.edge = Node(_copy_slices, saved, edges, node.name)
    base.bits |= bits
    make_anew(tensor)


def make_anew(view: Any) -> None:
    """Give a view the edge that it would have if it were made of its base now."""
    extra = view.extra
    base = extra.base
    extra.version = version_of(view)
    if base.edge is None:
        return
    saved = (extra.replay, base.shape, base.dtype)
    view.edge = Node(_through_view, saved, (base.edge,), "a view")
    view.bits |= base.bits


def _copy_slices(node: Node, grad: Any, record: bool) -> Any:
    inner, replay, place = node.saved
    rest = with_memory(ops.clone(grad))
    part = replay(rest)
    grads = [*inner.function(inner, ops.clone(part), record)]
    # What goes on along the base is the gradient of the argument that was changed.
    through = None if place is None else grads[place]
    if place is not None:
        grads[place] = None
    if through is None:
        ops.fill_(part, 0)
    else:
        ops.copy_(part, through)
    return (rest, *grads)


def _through_view(node: Node, grad: Any, record: bool) -> Any:
    from .functions import vjp

    del record
    replay, shape, dtype = node.saved
    # The view may have elements of its base several times.
    _, pull_back = vjp(replay, ops.new_zeros(grad, shape, dtype=dtype))
    return pull_back(grad)
