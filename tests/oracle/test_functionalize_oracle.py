"""functionalize held against torch.func.functionalize, on the same programs.

Each program is written once, over a few functions that both libraries have, and run by
both: the values are the same, what they write to their arguments is the same, and no
graph of either has a write but for the copies at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx as torch_make_fx

import keyslot
from keyslot.transforms import functionalize, grad, jacrev, jvp, make_fx, vmap

from ..functional_calls import assert_functional, operators

ops: Any = keyslot.ops
aten: Any = torch.ops.aten
Program = Callable[..., Any]


def views_of_views(o: Any, x: Any) -> Any:
    """Writes to a view of a view, seen by the first and by a third."""
    made = o.mul(x, 2)
    row = o.select(made, 0, 1)
    o.add_(o.slice(row, 0, 1, 3), 1)
    turned = o.permute(made, [1, 0])
    o.mul_(o.select(turned, 0, 2), 3)
    return made, row, turned


def diagonals(o: Any, x: Any) -> Any:
    """A diagonal, and a view of another shape."""
    made = o.add(x, 1)
    o.copy_(o.diagonal(made), o.select(o.transpose(x, 0, 1), 0, 0))
    o.sub_(o.view(made, [-1]), 1)
    return made


def pieces(o: Any, x: Any) -> Any:
    """Several views at once, and dimensions of size 1."""
    made = o.mul(x, x)
    first, second = o.split(made, 2, 1)
    o.mul_(first, 2)
    o.copy_(o.squeeze(o.unsqueeze(second, 0), 0), o.add(second, 1))
    return made, first


def strided(o: Any, x: Any) -> Any:
    """The memory of an array."""
    made = o.mul(x, 1)
    o.add_(o.as_strided(made, [2, 2], [3, 1], 1), 5)
    return made


def argument(o: Any, x: Any) -> Any:
    """An argument that changes."""
    o.mul_(o.select(x, 0, 0), 10)
    kept = o.view(x, [-1])
    o.add_(x, 1)
    return o.sum(kept)


def scattered(o: Any, x: Any) -> Any:
    """Operators that write to some elements."""
    made = o.mul(x, 1)
    o.clamp_(made, 0, 3)
    o.tanh_(o.select(made, 1, 2))
    return o.neg(made)


# PyTorch uses what it calls deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")
PROGRAMS = [views_of_views, diagonals, pieces, strided, argument, scattered]
#: Those that PyTorch differentiates: not through one of several views that is changed.
SMOOTH = [p for p in PROGRAMS if p not in (argument, pieces)]


def x() -> Any:
    """Return the input of all programs."""
    return np.array([[0.5, -1.0, 2.0], [3.0, 1.5, -0.25]])


def bound(o: Any, program: Program) -> Program:
    """Return a program over the operators of one library."""

    def run(*args: Any) -> Any:
        return program(o, *args)

    return run


def equal(ours: Any, theirs: Any) -> None:
    """Check that two nested results are the same."""
    if isinstance(theirs, (list, tuple)):
        for one, other in zip(ours, theirs, strict=True):
            equal(one, other)
    else:
        np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-14)


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_do_what_they_do_there(program: Program, remove: str) -> None:
    """Values, arguments afterwards, and graphs without writes."""
    ours, theirs = x(), torch.from_numpy(x())
    expected = torch.func.functionalize(bound(aten, program), remove=remove)(theirs)
    equal(functionalize(bound(ops, program), remove=remove)(ours), expected)
    equal(ours, theirs)
    graph = make_fx(functionalize(bound(ops, program), remove=remove))(x())
    assert_functional(graph)
    equal(graph(x()), expected)
    assert ("copy_" in operators(graph)) == bool(_writes(program, remove))


def _writes(program: Program, remove: str) -> list[str]:
    """Return the operators in PyTorch's graph that write."""
    functional = torch.func.functionalize(bound(aten, program), remove=remove)
    graph = torch_make_fx(functional)(torch.from_numpy(x())).graph
    return [
        node.target.__name__
        for node in graph.nodes
        if node.op == "call_function" and "aten" in str(node.target)
        if str(node.target).split(".")[1].endswith("_")
    ]


TRANSFORMS: list[tuple[str, Program, Program]] = [
    ("functionalize", functionalize, torch.func.functionalize),
    ("vmap", vmap, torch.func.vmap),
    ("jacrev", jacrev, torch.func.jacrev),
    (
        "grad",
        lambda f: grad(lambda x: _total(ops, f(x))),
        lambda f: torch.func.grad(lambda x: _total(aten, f(x))),
    ),
    (
        "jvp",
        lambda f: lambda x: jvp(f, (x,), (ops.full_like(x, 0.5),))[1],
        lambda f: lambda x: torch.func.jvp(f, (x,), (torch.full_like(x, 0.5),))[1],
    ),
]


def _total(o: Any, value: Any) -> Any:
    values = value if isinstance(value, (list, tuple)) else [value]
    return sum(o.sum(o.mul(one, one)) for one in values)


@pytest.mark.parametrize("program", SMOOTH)
@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (outer, inner)
        for outer in TRANSFORMS
        for inner in TRANSFORMS
        if "functionalize" in (outer[0], inner[0])
    ],
    ids=lambda transform: str(transform[0]),
)
def test_nested_with_other_transforms(program: Program, outer: Any, inner: Any) -> None:
    """In either order the values are PyTorch's, and graphs have no writes."""
    batched = "vmap" in (outer[0], inner[0])
    given = np.stack([x(), x() * 2]) if batched else x()
    ours = outer[1](inner[1](bound(ops, program)))
    theirs = bound(aten, program)
    for name, _, transform in (inner, outer):
        # There it has no derivative of copy and a wrong one of as_strided_scatter, so
        # writes are left as they are: what they mean is the same.
        theirs = theirs if name == "functionalize" else transform(theirs)
    expected = theirs(torch.from_numpy(given.copy()))
    equal(ours(given.copy()), expected)
    graph = make_fx(ours)(given.copy())
    equal(graph(given.copy()), expected)
    if outer[0] == "functionalize":
        assert_functional(graph)
