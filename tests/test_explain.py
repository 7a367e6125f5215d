"""``explain``: the whole decision for one call, and tables for people."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from keyslot import (
    DispatchKey,
    Library,
    below_autograd,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    explain,
    fallthrough,
    include_keys,
    with_keyset,
)
from keyslot.transforms import grad
from keyslot.transforms.tensor import Tensor

from .calling import Mine, a, define, last, ops, reports

REPORT = """\
keyslot::square
schema: square(Tensor self) -> Tensor
overloads:
  square.default: exact match
arguments:
  self: numpy.ndarray (array of NumPy)
keys brought: AutogradNumPy, NumPy
added by the state: ADInplaceOrView, BackendSelect
taken away by the state: Autocast
passed over (fallthrough): ADInplaceOrView, BackendSelect
keys of the call: AutogradNumPy, NumPy
Python dispatcher: off
chosen: AutogradNumPy: keyslot.kernels.composite:square from schemas/ops/composite.yaml\
 (keyslot::square) (CompositeImplicitAutograd serves AutogradNumPy)
runner-up: NumPy: keyslot.kernels.composite:square from schemas/ops/composite.yaml\
 (keyslot::square) (CompositeImplicitAutograd serves NumPy)"""


@pytest.mark.parametrize("explanation", [explain(ops.square, a), ops.square.explain(a)])
def test_report(explanation: object) -> None:
    """The report names every step from the arguments to the kernel and what is next."""
    assert str(explanation) == REPORT


def test_state_is_part_of_it(library: Library) -> None:
    """Guards and the Python dispatcher show, and decide as they do for a call."""
    op = define(library, "f(Tensor x) -> Tensor")
    library.impl(op, last, "Python")
    with include_keys("Python"), exclude_keys("AutogradNumPy", "ADInplaceOrView"):
        explanation = op.explain(a)
    assert explanation.included == ("Python", "BackendSelect")
    assert explanation.excluded == ("Autocast", "AutogradNumPy", "ADInplaceOrView")
    assert explanation.keys == ("Python", "NumPy")
    assert explanation.chosen.key == "Python"
    assert explanation.runner_up is not None
    assert explanation.runner_up.key == "NumPy"
    with enable_python_dispatcher():
        assert "Python dispatcher: on, before every key" in str(op.explain(a))


def test_python_kernel_shows_under_the_python_dispatcher(library: Library) -> None:
    """A Python kernel is named as one, and only where it is called."""
    op = define(library, "f(Tensor x) -> Tensor")
    library.py_impl(op, last, "NumPy")
    assert op.explain(a).chosen.reason == "a kernel is registered at NumPy itself"
    with enable_python_dispatcher():
        chosen = op.explain(a).chosen
    assert chosen.kernel == f"{last.__module__}:last"
    assert chosen.reason == "a Python kernel; a kernel is registered at NumPy itself"


def test_call_is_not_made(library: Library) -> None:
    """Explaining calls no kernel."""

    def kernel(x: Any) -> None:
        raise AssertionError

    op = define(library, "f(Tensor x) -> Tensor", kernel)
    assert explain(op, a).chosen.kind == "kernel"
    assert explain(library.ops.f, x=a).op == op.name


def test_call_without_a_kernel_is_explained(library: Library) -> None:
    """Where a call would fail for want of a kernel, explain still has the report."""
    op = library.define("f(Tensor x) -> Tensor").op
    explanation = explain(op, a)
    assert str(explanation.chosen) == (
        "NumPy: missing (no kernel serves NumPy, which has no backend fallback)"
    )
    assert explanation.runner_up is None
    assert str(explanation).endswith("\nrunner-up: none")


@pytest.mark.usefixtures("mine")
def test_call_with_two_libraries_is_explained(library: Library) -> None:
    """The report says that the chosen kernel refuses arrays of two libraries."""
    op = define(library, "f(Tensor x, Tensor y) -> Tensor", last, "mine")
    assert (
        "refused: it does not take arrays of NumPy and PrivateUse1 in one call"
        in str(explain(op, a, Mine()))
    )
    assert explain(op, Mine(), Mine()).refusal is None
    library.impl(op, last, "mine", override=True, mixed=True)
    assert explain(op, a, Mine()).refusal is None


@pytest.mark.parametrize(
    ("args", "error"),
    [(("text",), errors.OverloadError), ((1,), errors.NoArrayError)],
)
def test_call_that_means_nothing(args: tuple[Any, ...], error: type[Exception]) -> None:
    """Where no overload takes the arguments there is nothing to explain but why."""
    with pytest.raises(error):
        explain(ops.exp, *args)


def test_what_is_shadowed_shows(library: Library) -> None:
    """A kernel for one backend hides the composite's derivative: the report says so."""
    op = define(library, "f(Tensor x) -> Tensor", last, "CompositeImplicitAutograd")
    assert op.explain(a).chosen.key == "AutogradNumPy"
    library.impl(op, last, "NumPy")
    assert op.explain(a).chosen.key == "NumPy"
    assert op.table["AutogradNumPy"].reason == (
        "no kernel serves AutogradNumPy, whose backend fallback steps in;"
        " CompositeImplicitAutograd gives way to the kernel at NumPy"
    )


def test_explanation_pickles() -> None:
    """An explanation is plain data."""
    explanation = explain(ops.mul, a, 2)
    assert pickle.loads(pickle.dumps(explanation)) == explanation


def test_table_of_every_key(library: Library) -> None:
    """A table has a cell for each runtime key, found by name and by enum member."""
    op = define(library, "f(Tensor x) -> Tensor")
    library.impl(op, fallthrough, "Python")
    table = op.table
    assert [cell.key for cell in table] == [*op.dispatcher.space.keys]
    assert len(table) == len(op.dispatcher.space.keys)
    assert table["NumPy"] == table[DispatchKey.NumPy]
    assert table["Python"].kind == "fallthrough"
    assert table["Torch"].kind == "missing"
    with pytest.raises(errors.UnknownKeyError):
        _ = table["Numpy"]
    with pytest.raises(errors.AliasKeyError):
        _ = table["Autograd"]


def test_table_is_printed_from_the_top(library: Library) -> None:
    """The highest key comes first; keys without anything are named at the end."""
    op = define(library, "f(Tensor x) -> Tensor", reports("f"), "Meta")
    lines = repr(op.table).splitlines()
    assert lines[0] == f"{op.name}, highest key first"
    assert lines[1].startswith("  PreDispatch: keyslot.transforms.modes:")
    assert any(line.startswith("  Autocast: fallthrough (") for line in lines)
    assert lines[-2].startswith("  Meta: ")
    assert lines[-1].startswith("  no kernel: Undefined, NumPy, Torch, ")


def test_table_is_of_one_moment(library: Library) -> None:
    """A table that was fetched does not change; the next one does."""
    op = define(library, "f(Tensor x) -> Tensor")
    before = op.table
    library.impl(op, last, "Torch")
    assert before["Torch"].kind == "missing"
    assert op.table["Torch"].kind == "kernel"


def test_array_with_keys_of_its_own_is_explained() -> None:
    """The keys that an array carries count, whatever its class, in lists too."""
    plain, recording = Tensor(a), Tensor(a, requires_grad=True)
    assert explain(ops.mul, plain, 2).keys == ("NumPy",)
    assert explain(ops.cat, [plain, a]).keys == ("NumPy",)
    for explanation in (explain(ops.mul, recording, 2), explain(ops.cat, [recording])):
        assert explanation.keys == ("AutogradNumPy", "NumPy")
        assert "array with keys of its own" in explanation.arguments[0].brought
        assert "derivative_kernel" in str(explanation.chosen)


def test_what_has_nothing_to_record_is_passed_over() -> None:
    """Arrays without gradients go past the kernels that record them, and it says so."""
    explanation = explain(ops.mul, a, a)
    assert explanation.unrecorded == ("AutogradNumPy",)
    assert explanation.chosen.key == "NumPy"
    assert "no argument records gradients): AutogradNumPy\n" in str(explanation)
    assert "no argument records" not in str(explain(ops.square, a))


KEYED_CALLS = pytest.mark.parametrize(
    ("args", "keys"),
    [
        ((Tensor(a), 2), {"NumPy"}),
        ((Tensor(a), Tensor(a)), {"NumPy"}),
        ((Tensor(a), a), {"NumPy"}),
        ((Tensor(a, requires_grad=True), a), {"NumPy", "AutogradNumPy"}),
        ((a, Tensor(a, requires_grad=True)), {"NumPy", "AutogradNumPy"}),
    ],
)
#: What the state adds to every call.
ADDED = {"ADInplaceOrView", "BackendSelect"}


@KEYED_CALLS
def test_keys_of_calls_with_arrays_that_carry_keys(args: Any, keys: set[str]) -> None:
    """They are those that kernels get: plain arrays bring no key that records."""
    op = ops.mul.Tensor
    assert {key.name for key in op.keys_of(args, {})} == keys | ADDED
    by_name = dict(zip(("self", "other"), args, strict=True))
    assert op.keys_of((), by_name) == op.keys_of(args, {})
    assert {*explain(op, *args).keys} == keys
    assert {*explain(op, **by_name).keys} == keys
    got: list[Any] = []

    @with_keyset
    def kernel(keyset: Any, x: Any, y: Any) -> Any:
        got.append(keyset)
        return op.redispatch(keyset.below("Functionalize"), x, y)

    with (
        Library("keyslot", "IMPL") as library,
        library.impl(op, kernel, "Functionalize"),
        include_keys("Functionalize"),
        below_autograd(),
    ):
        op(*args)
        assert got == [op.keys_of(args, {})]


def test_keys_of_items_of_lists_and_of_numbers() -> None:
    """Arrays in lists bring theirs; one that stands for a number brings none."""
    recording = Tensor(a, requires_grad=True)
    for tensors in ([a, recording], (recording, Tensor(a))):
        assert "AutogradNumPy" in ops.cat.default.keys_of((tensors,), {})
    assert "AutogradNumPy" not in ops.cat.default.keys_of(([Tensor(a), a],), {})
    args, named = (Tensor(a), a), {"alpha": Tensor(a.sum(), requires_grad=True)}
    assert "AutogradNumPy" not in ops.add.Tensor.keys_of(args, named)
    assert explain(ops.add, *args, **named).keys == ("NumPy",)
    assert type(ops.add(*args, **named).grad_fn) is type(None)


def test_keys_of_arrays_inside_a_transform() -> None:
    """They come to the transform first, and so does what `explain` tells of."""

    def traced(x: Any) -> Any:
        keys = ops.mul.Tensor.keys_of((x, a), {})
        assert keys.highest().name == "DynamicLayerFrontMode"
        assert {"NumPy", "AutogradNumPy"} < {key.name for key in keys}
        assert explain(ops.mul, x, a).chosen.key == "DynamicLayerFrontMode"
        return ops.sum(x)

    grad(traced)(a)
