"""Exported operators pass PyTorch's own checks of operators, and compute what is right.

Each case is a call. It is checked with ``torch.library.opcheck``, and under
``torch.compile``, which traces it; where a gradient is declared, against numbers too.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import torch

from keyslot.runtime.schema import parse_schema

pytestmark = pytest.mark.usefixtures("exported_ops")


class Case(NamedTuple):
    """A call of an operator, and what it has to return."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    expected: Callable[..., Any]


def numbers(*sizes: int, gradient: bool = False) -> torch.Tensor:
    """Return distinct numbers, the same ones at every call."""
    count = torch.Size(sizes).numel()
    made = (torch.arange(count, dtype=torch.float64) * 0.37 - 1).reshape(sizes)
    return made.requires_grad_(gradient)


X = numbers(3, 4, gradient=True)
PLAIN = numbers(3, 4)
ROW = numbers(4, gradient=True)


def case(name: str, expected: Callable[..., Any], *args: Any, **kwargs: Any) -> Case:
    """Return a case."""
    return Case(name, args, kwargs, expected)


def gated(x: Any, gate: Any, slope: float = 1.0) -> Any:
    """Compute what `gated` does with PyTorch's functions."""
    return x * torch.sigmoid(slope * gate)


def affine(x: Any, weight: Any = None, bias: Any = None, eps: float = 0.5) -> Any:
    """Compute what `affine` does with PyTorch's functions."""
    product = x if weight is None else x * weight
    return product + (eps if bias is None else bias)


CASES = [
    case("gated", gated, X, ROW),
    case("gated", gated, X, ROW, slope=2.0),
    case("gated", gated, X.detach().t().requires_grad_(), numbers(4, 1)),
    case("gated", gated, numbers(), numbers()),
    case("gated", gated, numbers(0, 4), ROW),
    case("scale", lambda x, by=2: x * by, X),
    case("scale", lambda x, by=2: x * by, X, 3.5),
    case("scale", lambda x, by=2: x * by, numbers(3, 4, 5)[:, 1:3, ::2]),
    case("scale_", lambda x, by=2: x * by, PLAIN),
    case("scale_", lambda x, by=2: x * by, PLAIN, by=3),
    case("scale_", lambda x, by=2: x * by, numbers(6)[::2], 3),
    case("scale.out", lambda x, by=2, out=None: x * by, PLAIN, out=numbers(3, 4)),
    case("scale.out", lambda x, by=2, out=None: x * by, PLAIN, 3, out=numbers(3, 4)),
    case("halve_square", lambda x: x * x / 2, X),
    case("halve_square_", lambda x: x * x / 2, PLAIN),
    case("clamp_", lambda x, low: x.clamp(min=low), PLAIN, 0),
    case("extent", lambda x: (x.min(), x.max()), X),
    case(
        "extent.out",
        lambda x, low, high: (x.min(), x.max()),
        PLAIN,
        low=numbers(),
        high=numbers(),
    ),
    case("join", torch.cat, [X, numbers(2, 4, gradient=True)]),
    case("join", torch.cat, [PLAIN]),
    case("halves", lambda x: [x[:1], x[1:]], PLAIN),
    case("affine", affine, X),
    case("affine", affine, X, ROW),
    case("affine", affine, X, None, ROW, eps=1.0),
    case("affine", affine, X, bias=PLAIN),
    case("cast", lambda x, dtype: x.to(dtype), PLAIN, dtype=torch.int32),
    case("ramp", lambda n, dtype=None: torch.arange(n, dtype=torch.float32), 3),
    case("ramp", torch.arange, 3, dtype=torch.int8),
    case("windows", lambda x, n: x.unfold(0, n, 1).sum(1), numbers(7), 3),
    case("reverse", lambda x: x.flip(0), PLAIN),
    case("exchange", lambda x, value: x.clone(), PLAIN, numbers(4)),
    case("thrice", lambda x: x * 3, PLAIN),
    case("squared", lambda x: x * x, X),
    case("squared.out", lambda x, out: x * x, PLAIN, out=numbers(3, 4)),
    case("halved", lambda x: x / 2, X),
    case("zero_all", lambda arrays: None, [numbers(2), numbers(3)]),
    case("count", lambda x: 12, PLAIN),
]


def find(name: str) -> Any:
    """Return an overload of PyTorch's by its name."""
    operator, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.exported, operator), overload or "default")


def copied(value: Any) -> Any:
    """Return a copy, which wants a gradient if the given value does."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return [copied(item) for item in value] if isinstance(value, list) else value


def called(function: Any, given: Case) -> Any:
    """Call a function with copies of the arguments of a case."""
    args = [copied(value) for value in given.args]
    kwargs = {name: copied(value) for name, value in given.kwargs.items()}
    return function(*args, **kwargs)


def name_of(given: Case) -> str:
    """Return what a case is called."""
    return given.name


@pytest.mark.parametrize("given", CASES, ids=name_of)
def test_opcheck_passes(given: Case) -> None:
    """Schema, autograd, fake tensors and AOT dispatch are what PyTorch wants."""
    done = torch.library.opcheck(find(given.name), given.args, given.kwargs)
    assert set(done.values()) == {"SUCCESS"}


@pytest.mark.parametrize("given", CASES, ids=name_of)
def test_result_is_right(given: Case) -> None:
    """Values and dtypes are those of PyTorch's own functions."""
    result = called(find(given.name), given)
    torch.testing.assert_close(result, called(given.expected, given))


DIFFERENTIABLE = ("gated", "scale", "extent", "join", "affine", "squared", "halved")


@pytest.mark.parametrize(
    "given", [each for each in CASES if each.name in DIFFERENTIABLE], ids=name_of
)
def test_gradient_is_right(given: Case) -> None:
    """Gradients of all arguments are those of PyTorch's own functions."""
    ours, theirs = (
        gradients(function, given) for function in (find(given.name), given.expected)
    )
    torch.testing.assert_close(ours, theirs)


def gradients(function: Any, given: Case) -> list[torch.Tensor]:
    """Return the gradients of all floats among the arguments of a call."""
    wanted: list[torch.Tensor] = []

    def leaf(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            wanted.append(value.detach().clone().requires_grad_())
            return wanted[-1]
        return [leaf(item) for item in value] if isinstance(value, list) else value

    args = [leaf(value) for value in given.args]
    kwargs = {name: leaf(value) for name, value in given.kwargs.items()}
    results = function(*args, **kwargs)
    several = results if isinstance(results, tuple) else (results,)
    total = sum((place + 2) * each.sum() for place, each in enumerate(several))
    return [*torch.autograd.grad(total, wanted)]


#: Dynamo traces no operator that returns a number.
TRACED = [given for given in CASES if given.name != "count"]


@pytest.mark.parametrize("given", TRACED, ids=name_of)
def test_compiled_program_returns_the_same(given: Case) -> None:
    """A whole program is traced, without a break in its graph."""
    torch.compiler.reset()
    compiled = torch.compile(find(given.name), fullgraph=True, backend="aot_eager")
    result = called(compiled, given)
    torch.testing.assert_close(result, called(find(given.name), given))


def test_every_exported_operator_has_a_case(exported_ops: ModuleType) -> None:
    """The cases are of all operators that the package exports, and of no others."""
    listed = import_module(f"{exported_ops.__name__}.torch_ops").OPERATORS
    names = {parse_schema(each.schema).qualified for each in listed}
    assert {given.name for given in CASES} == names
