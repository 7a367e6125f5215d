"""One transform of one library, timed in a process of its own.

    python -m benchmarks.children.transform CASE ROUNDS COUNT

Prints the milliseconds of the first call and of each later one, and how many nodes were
recorded. The program multiplies an array of 10 x 20 with itself COUNT times.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

#: Returns how many nodes were recorded, 0 where none are.
Run = Callable[[], int]

SHAPE: Final = (10, 20)
_COUNT: Final = int(sys.argv[3]) if len(sys.argv) > 3 else 1000


def program(x: Any) -> Any:
    """Multiply an array with itself again and again."""
    for _ in range(_COUNT):
        x = x * x
    return x


def total(x: Any) -> Any:
    """Add up the result of the program."""
    return program(x).sum()


def _numpy() -> Any:
    import numpy as np

    return np.full(SHAPE, 0.5, "float32")


def _ours(transform: str | None) -> Run:
    import keyslot.transforms as kt

    x = _numpy()
    traced: Any = program
    if transform is not None:
        traced = kt.grad(total) if transform == "grad" else kt.vmap(program)
    make_fx = kt.make_fx  # Asked for here: that loads it, as importing torch's does.
    return lambda: len(make_fx(traced, "symbolic")(x).nodes)


def _our_grad() -> Run:
    import keyslot.transforms as kt

    x = _numpy()
    return lambda: bool(kt.grad(total)(x) is None)


def _our_backward() -> Run:
    from keyslot import Tensor

    x = _numpy()

    def run() -> int:
        total(Tensor(x, requires_grad=True)).backward()
        return 0

    return run


def _torch(transform: str | None) -> Run:
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx

    torch.set_num_threads(1)
    x = torch.full(SHAPE, 0.5)
    if transform is None:
        return lambda: len(make_fx(program, tracing_mode="symbolic")(x).graph.nodes)
    traced = torch.func.grad(total) if transform == "grad" else torch.vmap(program)
    return lambda: len(make_fx(traced)(x).graph.nodes)


def _torch_backward() -> Run:
    import torch

    torch.set_num_threads(1)
    x = torch.full(SHAPE, 0.5, requires_grad=True)

    def run() -> int:
        total(x).backward()
        return 0

    return run


def _jax(transform: str | None) -> Run:
    import jax
    import jax.numpy as jnp

    x = jnp.full(SHAPE, 0.5)
    traced: Any = program
    if transform is not None:
        traced = jax.grad(total) if transform == "grad" else jax.vmap(program)

    def run() -> int:
        jax.clear_caches()
        # A function of its own each time, or the last trace is found again.
        return len(jax.make_jaxpr(lambda x: traced(x))(x).eqns)

    return run


def _autograd_trace() -> Run:
    from autograd.core import VJPNode
    from autograd.tracer import trace

    x = _numpy()

    def run() -> int:
        trace(VJPNode.new_root(), program, x)
        return _COUNT

    return run


def _autograd_grad() -> Run:
    import autograd
    import autograd.numpy as anp

    x, gradient = _numpy(), autograd.grad(lambda x: anp.sum(program(x)))
    return lambda: bool(gradient(x) is None)


CASES: Final[dict[str, Callable[[], Run]]] = {
    "keyslot make_fx": lambda: _ours(None),
    "keyslot make_fx of grad": lambda: _ours("grad"),
    "keyslot make_fx of vmap": lambda: _ours("vmap"),
    "keyslot grad": _our_grad,
    "keyslot backward": _our_backward,
    "torch make_fx": lambda: _torch(None),
    "torch make_fx of grad": lambda: _torch("grad"),
    "torch make_fx of vmap": lambda: _torch("vmap"),
    "torch backward": _torch_backward,
    "jax make_jaxpr": lambda: _jax(None),
    "jax make_jaxpr of grad": lambda: _jax("grad"),
    "jax make_jaxpr of vmap": lambda: _jax("vmap"),
    "autograd trace": _autograd_trace,
    "autograd grad": _autograd_grad,
}


def main() -> None:
    """Time one case."""
    sys.setrecursionlimit(20_000)
    run = CASES[sys.argv[1]]()
    spent: list[float] = []
    nodes = 0
    for _ in range(int(sys.argv[2]) + 1):
        start = perf_counter()
        nodes = run()
        spent.append((perf_counter() - start) * 1e3)
    print(json.dumps({"first": spent[0], "later": spent[1:], "nodes": nodes}))


if __name__ == "__main__":
    main()
