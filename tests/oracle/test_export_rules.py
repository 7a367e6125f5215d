"""Exported operators take from the rules of their entries what PyTorch is not told.

The shapes of results, gradients and batches: all that `torch.compile`, `torch.export`,
autograd and `torch.func` need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import torch

from keyslot import errors
from keyslot.runtime.schema import parse_schema
from keyslot.torch import export_operators

from .exporting import RULED, generated

func: Any = torch.func


@pytest.fixture(scope="module", autouse=True)
def ruled_ops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """Yield a package whose operators are PyTorch's own, as ``torch.ops.ruled``."""
    folder = tmp_path_factory.mktemp("ruled")
    with generated(folder, RULED) as package, export_operators(package):
        yield package


class Case(NamedTuple):
    """A call of an operator, and a function of PyTorch's that computes the same."""

    name: str
    expected: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def case(name: str, expected: Callable[..., Any], *args: Any, **kwargs: Any) -> Case:
    """Return a case."""
    return Case(name, expected, args, kwargs)


def numbers(*sizes: int) -> torch.Tensor:
    """Return distinct numbers that want a gradient, the same ones at every call."""
    count = torch.Size(sizes).numel()
    made = torch.arange(count, dtype=torch.float64) * 0.37 - 1.1
    return made.reshape(sizes).requires_grad_()


def complexes(*sizes: int) -> torch.Tensor:
    """Return distinct complex numbers that want a gradient."""
    made = torch.complex(plain(*sizes), 1 - plain(*sizes))
    return made.requires_grad_()


def plain(*sizes: int) -> torch.Tensor:
    """Return the same numbers where no gradient is wanted."""
    return numbers(*sizes).detach()


def gated(x: Any, gate: Any, slope: float = 1.0) -> Any:
    """Compute what `gated` does."""
    return x * torch.sigmoid(slope * gate)


def affine(x: Any, weight: Any = None, bias: Any = None, eps: float = 0.5) -> Any:
    """Compute what `affine` does."""
    product = x if weight is None else x * weight
    return product + (eps if bias is None else bias)


def scaled(x: Any, by: Any = 2, out: Any = None) -> Any:
    """Compute what `scale` does."""
    del out
    return x * by


def total(x: Any, dim: int, keepdim: bool = False) -> Any:
    """Compute what `total` does."""
    return x.sum(dim, keepdim)


def joined(parts: Any) -> Any:
    """Compute what `join` does."""
    return torch.cat(parts)


#: Calls with gradients, each of all tensors among the arguments.
DIFFERENTIABLE = [
    case("gated", gated, numbers(3, 4), numbers(4)),
    case("gated", gated, numbers(3, 4), numbers(3, 1), slope=2.0),
    case("gated", gated, numbers(), numbers()),
    case("gated", gated, numbers(0, 4), numbers(4)),
    case("scale", scaled, numbers(3, 4)),
    case("scale", scaled, numbers(3, 4), 3.5),
    case("extent", lambda x: (x.min(), x.max()), numbers(3, 4)),
    case("total", total, numbers(3, 4), 0),
    case("total", total, numbers(3, 4, 2), -2, keepdim=True),
    case("quotient", torch.div, numbers(3, 4), numbers(4)),
    case("quotient", torch.div, numbers(4), numbers(3, 4)),
    case("join", joined, [numbers(3, 4), numbers(2, 4)]),
    case("join", joined, [numbers(3, 4), plain(2, 4)]),
    case("halves", lambda x: [x[:1], x[1:]], numbers(3, 4)),
    case("quotient", torch.div, complexes(3, 4), numbers(4)),
    case("quotient", torch.div, numbers(4), complexes(3, 4)),
    case("affine", affine, numbers(3, 4)),
    case("affine", affine, numbers(3, 4), numbers(4)),
    case("affine", affine, numbers(3, 4), None, numbers(4), eps=1.0),
    case("floored", lambda x: (x.floor(), x - x.floor().detach()), numbers(3, 4)),
    case("unscaled", torch.mul, numbers(3, 4), numbers(4)),
    case("told", torch.square, numbers(3, 4)),
    case("halved", lambda x: x / 2, numbers(3, 4)),
]
OTHERS = [
    case("scale_", scaled, plain(3, 4), 3),
    case("scale.out", scaled, plain(3, 4), 3, out=plain(3, 4)),
    case("halves", lambda x: [x[:1], x[1:]], plain(3, 4)),
    case("is_high", torch.gt, numbers(3, 4), 0.5),
    case("cast", lambda x, dtype: x.to(dtype), plain(3, 4), dtype=torch.int32),
    case("ramp", lambda n: torch.arange(n, dtype=torch.float32), 3),
    case("ramp", torch.arange, 3, dtype=torch.int8),
    case("windows", lambda x, n: x.unfold(0, n, 1).sum(1), plain(7), 3),
    case("exchange", lambda x, value: x.clone(), plain(3, 4), plain(4)),
    case("zero_all", lambda arrays: None, [plain(2), plain(3)]),
    case("count", lambda x: 12, plain(3, 4)),
    case("astray", torch.neg, plain(3, 4)),
]
CASES = DIFFERENTIABLE + OTHERS


def find(name: str) -> Any:
    """Return an overload of PyTorch's by its name."""
    operator, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.ruled, operator), overload or "default")


def copied(value: Any) -> Any:
    """Return a copy, which wants a gradient if the given value does."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return [copied(item) for item in value] if isinstance(value, list) else value


def called(function: Any, given: Case) -> Any:
    """Call a function with copies of the arguments of a case."""
    kwargs = {name: copied(value) for name, value in given.kwargs.items()}
    return function(*[copied(value) for value in given.args], **kwargs)


def name_of(given: Case) -> str:
    """Return what a case is called."""
    return given.name


def leaves(value: Any) -> list[torch.Tensor]:
    """Return all tensors in nested lists that want a gradient."""
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    is_leaf = isinstance(value, torch.Tensor) and value.requires_grad
    return [value] if is_leaf else []


def gradients(function: Any, given: Case) -> Any:
    """Return the gradients of all tensors of a call that want one."""
    args = [copied(value) for value in given.args]
    results = function(*args, **given.kwargs)
    several = results if isinstance(results, (tuple, list)) else (results,)
    total = sum((n + 2) * each.sin().abs().sum() for n, each in enumerate(several))
    return torch.autograd.grad(total, leaves(args))


def test_every_exported_operator_has_a_case(ruled_ops: ModuleType) -> None:
    """The cases are of all operators that the package exports, and of no others."""
    listed = import_module(f"{ruled_ops.__name__}.torch_ops").OPERATORS
    names = {parse_schema(each.schema).qualified for each in listed}
    assert {given.name for given in CASES} == names


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


@pytest.mark.parametrize("given", DIFFERENTIABLE, ids=name_of)
def test_gradient_is_right(given: Case) -> None:
    """Gradients of all arguments are those of PyTorch's own functions."""
    ours = gradients(find(given.name), given)
    torch.testing.assert_close(ours, gradients(given.expected, given))


@pytest.mark.parametrize(
    "given",
    [each for each in CASES if each.name not in ("count", "astray")],
    ids=name_of,
)
def test_compiled_program_returns_the_same(given: Case) -> None:
    """A whole program is traced, without a break in its graph, and its gradient."""
    torch.compiler.reset()
    compiled = torch.compile(
        find(given.name), fullgraph=True, backend="aot_eager", dynamic=True
    )
    torch.testing.assert_close(called(compiled, given), called(given.expected, given))
    if any(given is each for each in DIFFERENTIABLE):
        ours = gradients(compiled, given)
        torch.testing.assert_close(ours, gradients(given.expected, given))


@pytest.mark.parametrize("name", ["gated", "quotient", "unscaled"])
def test_gradients_can_be_differentiated_again(name: str) -> None:
    """Formulas and their functions become PyTorch's operators, which have gradients."""
    args = numbers(2, 3), numbers(3)
    assert torch.autograd.gradgradcheck(find(name), args)


def program(ops: Any) -> Callable[[Any, Any], Any]:
    """Return a function of two vectors that gives a number, over some operators."""

    def compute(x: Any, y: Any) -> Any:
        product = ops.gated(x, y, slope=2.0)
        return ops.total(ops.quotient(ops.scale(product), y + 3), 0).sin()

    return compute


class Expected:
    """The same operators, made of PyTorch's functions."""

    gated = staticmethod(gated)
    scale = staticmethod(scaled)
    total = staticmethod(total)
    quotient = staticmethod(torch.div)


COMPOSITIONS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: func.grad(f, (0, 1)),
    "vmap": lambda f: func.vmap(f, (0, None)),
    "vmap of another dimension": lambda f: func.vmap(f, (None, 1)),
    "vmap of vmap": lambda f: func.vmap(func.vmap(f, (0, None)), (None, 1)),
    "vmap of grad": lambda f: func.vmap(func.grad(f, (0, 1)), (0, None)),
    "grad of vmap": lambda f: func.grad(
        lambda x, y: func.vmap(f, (0, None))(x, y).sum(), (0, 1)
    ),
    "grad of grad": lambda f: func.grad(
        lambda x, y: func.grad(f)(x, y).cos().sum(), (0, 1)
    ),
    "jacrev of grad": lambda f: func.jacrev(func.grad(f), 1),
    "vmap of grad of vmap": lambda f: func.vmap(
        func.grad(lambda x, y: func.vmap(f, (None, 1))(x, y).sum()), (0, None)
    ),
    "functionalize": lambda f: func.functionalize(func.grad(f)),
}
OF_BATCHES = {
    "vmap": ((5, 3), (3,)),
    "vmap of another dimension": ((3,), (3, 5)),
    "vmap of vmap": ((5, 3), (3, 4)),
    "vmap of grad": ((5, 3), (3,)),
    "grad of vmap": ((5, 3), (3,)),
    "vmap of grad of vmap": ((5, 3), (3, 4)),
}


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_transforms_compose(name: str) -> None:
    """``torch.func`` transforms the operators as it does PyTorch's own, nested too."""
    shapes = OF_BATCHES.get(name, ((3,), (3,)))
    args = [plain(*shape) for shape in shapes]
    ours, theirs = (
        COMPOSITIONS[name](program(ops))(*args) for ops in (torch.ops.ruled, Expected)
    )
    torch.testing.assert_close(ours, theirs)


def test_batches_of_lists() -> None:
    """A rule is told which items of a list are batched."""
    x, y = plain(5, 3), plain(2)
    batched = func.vmap(lambda x: torch.ops.ruled.join([x, y]))(x)
    torch.testing.assert_close(batched, torch.stack([torch.cat([r, y]) for r in x]))


def test_batches_in_place_and_out() -> None:
    """What is written to is batched, and is what is returned."""
    x = plain(5, 3)

    def writes(x: Any) -> Any:
        out = torch.empty_like(x)
        torch.ops.ruled.scale_(x, 3)
        return torch.ops.ruled.scale.out(x, 2, out=out) + out

    torch.testing.assert_close(func.vmap(writes)(x), plain(5, 3) * 12)
    torch.testing.assert_close(x, plain(5, 3) * 3)


def test_one_array_does_not_hold_a_batch() -> None:
    """An array without the batch cannot be written to, and the error says so."""
    one = plain(3)

    def write(x: Any) -> Any:
        return torch.ops.ruled.scale.out(x, out=one)

    with pytest.raises(errors.UnbatchedWriteError, match="would write to out"):
        func.vmap(write)(plain(5, 3))


def test_inplace_gradient_is_that_of_the_functional_companion() -> None:
    """Where a gradient is wanted, PyTorch records the functional one and a copy."""
    x = numbers(3)
    y = x * 1
    assert torch.ops.ruled.scale_(y) is y
    (gradient,) = torch.autograd.grad((y * y).sum(), x)
    torch.testing.assert_close(gradient, 8 * x.detach())


def test_results_that_are_not_differentiable() -> None:
    """They want no gradient, and a program may go on with them."""
    x = numbers(3, 4)
    whole, rest = torch.ops.ruled.floored(x)
    assert (whole.requires_grad, rest.requires_grad) == (False, True)
    assert not torch.ops.ruled.is_high(x, 0).requires_grad


# PyTorch 2.13 warns of what it does itself there.
@pytest.mark.filterwarnings("ignore:`isinstance.treespec, LeafSpec:FutureWarning")
def test_exported_program_has_free_sizes() -> None:
    """``torch.export`` keeps the operators, and the program runs for another size."""

    class Net(torch.nn.Module):  # type: ignore[misc]  # torch is Any where it is not
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            ops: Any = torch.ops.ruled
            product = ops.gated(x, y, slope=2.0)
            ops.scale_(product, x.shape[0])
            first, second = ops.halves(ops.join([product, x]))
            made: torch.Tensor = ops.total(first, 0) + ops.total(second, 0)
            return made

    sizes = ({0: torch.export.Dim("size", min=4)}, None)
    args = plain(6, 3), plain(3)
    exported = torch.export.export(Net(), args, dynamic_shapes=sizes)
    called = {str(node.target) for node in exported.graph.nodes}
    assert {"ruled.gated.default", "ruled.join.default"} <= called
    x, y = plain(9, 3), plain(3)
    torch.testing.assert_close(exported.module()(x, y), Net()(x, y))


def test_what_is_written_to_is_checked_without_values() -> None:
    """A program whose result does not fit its place is refused when it is traced."""
    x, out = (torch.empty(size, 3, device="meta") for size in (4, 5))
    with pytest.raises(errors.OutShapeError):
        torch.ops.ruled.scale.out(x, out=out)


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_forward_mode_is_refused() -> None:
    """No tangent is dropped without a word, in whatever transform a call is."""
    x, y = plain(3), plain(3)
    compute = program(torch.ops.ruled)
    for nested in (compute, func.grad(compute)):
        with pytest.raises(errors.NoGradientError, match="in forward mode"):
            func.jvp(nested, (x, y), (x, y))


def test_operator_that_pytorch_does_not_have_is_named() -> None:
    """A formula may call what is not exported; that is found by the backward pass."""
    with pytest.raises(errors.NotExportedOperatorError) as caught:
        torch.ops.ruled.astray(numbers(3)).sum().backward()
    assert str(caught.value) == (
        "a rule calls ruled::hidden, which PyTorch has neither as its own nor as an"
        " exported operator, and which is no composite; export it, or write the rule"
        " for PyTorch, under torch: in the YAML of the operator that has it"
    )


def test_dtype_that_numpy_does_not_have_is_refused() -> None:
    """Rules know NumPy's dtypes, and a shape rule for PyTorch knows more."""
    x = torch.empty(3, dtype=torch.bfloat16, device="meta")
    assert torch.ops.ruled.told(x).dtype == torch.bfloat16
    with pytest.raises(errors.DtypeError, match="write the rule under torch:"):
        torch.ops.ruled.scale(x)


def test_what_is_written_for_pytorch_wins() -> None:
    """Under ``torch`` an entry says what PyTorch does instead of its rules."""
    torch.testing.assert_close(
        func.vmap(torch.ops.ruled.told, 1)(plain(3, 4)), plain(3, 4).t().square()
    )
