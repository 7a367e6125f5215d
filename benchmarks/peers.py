"""The same two-argument operation in other dispatchers.

Each builder registers `first` for `Left` and `second` for `Right` and returns the call.
All are asked for the right answer for both classes before anything is timed, so that
nothing passes which merely calls a fixed function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from importlib import import_module
from typing import Any, Final

from .arrays import Left, Right
from .machine import installed
from .measure import Statement


@dataclass(frozen=True, slots=True)
class Peer:
    """A dispatcher to compare with."""

    name: str
    #: The distribution it comes in; None for the standard library and our own lines.
    distribution: str | None
    #: What it decides by.
    looks_at: str
    build: Callable[[], Statement]


class WrongKernelError(AssertionError):
    """A peer called another kernel than it was told to."""


def _kernels() -> tuple[Any, Any]:
    """Return fresh kernels: some libraries put marks on what they are given."""

    def for_left(a: Any, b: Any) -> Any:
        return a

    def for_right(a: Any, b: Any) -> Any:
        return b

    for kernel, cls in ((for_left, Left), (for_right, Right)):
        # By this name, and by these classes, they are registered.
        kernel.__name__ = kernel.__qualname__ = "op"
        kernel.__annotations__ = {"a": cls, "b": cls}
    return for_left, for_right


def _call(op: Any, source: str = "op(a, b)", **names: Any) -> Statement:
    return Statement(source, {"op": op, "a": Left(), "b": Left(), **names})


def _unreachable(a: Any, b: Any) -> Any:
    raise WrongKernelError("the default was called")


def _types_in_a_dict() -> Statement:
    for_left, for_right = _kernels()
    table = {(Left, Left): for_left, (Right, Right): for_right}

    def op(a: Any, b: Any) -> Any:
        return table[type(a), type(b)](a, b)

    return _call(op)


def _singledispatch() -> Statement:
    for_left, for_right = _kernels()
    op = singledispatch(_unreachable)
    op.register(Left, for_left)
    op.register(Right, for_right)
    return _call(op)


def _multipledispatch() -> Statement:
    library: Any = import_module("multipledispatch")
    for_left, for_right = _kernels()
    op = library.Dispatcher("op")
    op.add((Left, Left), for_left)
    op.add((Right, Right), for_right)
    return _call(op)


def _plum() -> Statement:
    library: Any = import_module("plum")
    for_left, for_right = _kernels()
    dispatch = library.Dispatcher()
    dispatch(for_left)
    return _call(dispatch(for_right))


def _ovld() -> Statement:
    library: Any = import_module("ovld")
    for_left, for_right = _kernels()
    op = library.Ovld(name="op")
    op.register(for_left)
    op.register(for_right)
    # The function that the decorator would bind to the name.
    return _call(op.dispatch)


def _autoray() -> Statement:
    autoray: Any = import_module("autoray")
    for_left, for_right = _kernels()
    for cls, backend, kernel in (
        (Left, "keyslot_left", for_left),
        (Right, "keyslot_right", for_right),
    ):
        autoray.register_backend(cls, backend)
        autoray.register_function(backend, "keyslot_op", kernel)
    return _call(autoray.do, "op('keyslot_op', a, b)")


def _torch() -> Statement:
    torch: Any = import_module("torch")
    for_left, _ = _kernels()
    library = torch.library.Library("keyslot_bench_peer", "FRAGMENT")
    library.define("op(Tensor a, Tensor b) -> Tensor")
    library.impl("op", for_left, "CPU")
    op = torch.ops.keyslot_bench_peer.op.default
    names = {"op": op, "a": torch.zeros(()), "b": torch.ones(())}
    # The registration lives as long as the library does.
    return Statement("op(a, b)", {**names, "library": library})


PEERS: Final = (
    Peer("a dict on (type, type), by hand", None, "both types", _types_in_a_dict),
    Peer("functools.singledispatch", None, "the first type", _singledispatch),
    Peer("ovld", "ovld", "both types", _ovld),
    Peer("multipledispatch", "multipledispatch", "both types", _multipledispatch),
    Peer("autoray.do", "autoray", "the first type's library", _autoray),
    Peer("plum", "plum-dispatch", "both types", _plum),
    Peer("torch.library, Python kernel", "torch", "keys of Tensors, in C++", _torch),
)


def available(skipped: list[str]) -> Iterator[tuple[Peer, Statement]]:
    """Yield every peer that is installed; note the others.

    Raises WrongKernelError for one that does not dispatch.
    """
    for peer in PEERS:
        if peer.distribution is not None and installed(peer.distribution) is None:
            skipped.append(f"{peer.distribution} is not installed")
            continue
        statement = peer.build()
        if peer.build is not _torch:
            _check(peer, statement)
        yield peer, statement


def _check(peer: Peer, statement: Statement) -> None:
    other = Right()
    swapped = Statement(statement.source, {**statement.names, "a": Right(), "b": other})
    left = statement.evaluate() is statement.names["a"]
    if not (left and swapped.evaluate() is other):
        raise WrongKernelError(f"{peer.name} called the wrong kernel")
