"""Layers: transforms inside of each other, and kernels between front and back keys."""

# Programs are lambdas here, and pyright knows nothing of what they are called with.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownMemberType=none

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
import pytest

from keyslot import DispatchKeySet, Library, OpOverload, Tensor, ops, snapshot
from keyslot.generated.keys import SPACE
from keyslot.runtime.errors import (
    EscapedTensorError,
    NoKernelError,
    TransformedValueError,
    VmapError,
)
from keyslot.runtime.keyset import KeySet
from keyslot.transforms import (
    MetaTensor,
    functionalize,
    grad,
    jvp,
    make_fx,
    vmap,
)

X = np.arange(1.0, 7.0).reshape(2, 3)

#: Each transform, as a function of a function from arrays to arrays of the same shape.
Transform = Callable[[Callable[[Any], Any]], Callable[[Any], Any]]
TRANSFORMS: dict[str, Transform] = {
    "grad": lambda f: grad(lambda x: ops.sum(f(x))),
    "vmap": vmap,
    "jvp": lambda f: lambda x: jvp(f, (x,), (x,))[1],
    "functionalize": functionalize,
}
every_transform = pytest.mark.parametrize("name", TRANSFORMS)


# --- keys -----------------------------------------------------------------------------


def test_order_of_keys() -> None:
    """The front key comes before all transforms, the back key after them."""
    order = [
        "NumPy",
        "BackendSelect",
        "Python",
        "DynamicLayerBackMode",
        "Functionalize",
        "ADInplaceOrView",
        "AutogradNumPy",
        "Batched",
        "DynamicLayerFrontMode",
        "PreDispatch",
        "PythonDispatcher",
    ]
    places = [SPACE.index(key) for key in order]
    assert places == sorted(places)


@every_transform
def test_calls_in_a_transform_have_the_keys_of_layers(name: str) -> None:
    """Those with its arrays and those without; after it, none has."""
    found: list[KeySet[Any]] = []

    def program(x: Any) -> Any:
        for arg in (x, X):
            found.append(ops.sin.default.keys_of((arg,), {}))
        return ops.sin(x)

    before = ops.sin.default.keys_of((X,), {})
    TRANSFORMS[name](program)(X)
    layers = DispatchKeySet(["DynamicLayerFrontMode", "DynamicLayerBackMode"])
    for keys in found:
        assert str(keys.highest().name) == "DynamicLayerFrontMode"
        assert keys.bits & layers.bits == layers.bits
    assert ops.sin.default.keys_of((X,), {}) == before
    assert before & layers == DispatchKeySet()


def test_plain_calls_reach_the_kernel_itself() -> None:
    """Before and after transforms have run, whatever they were."""
    kernel = ops.sin.default.kernel_for(np.ndarray)
    for transform in TRANSFORMS.values():
        transform(ops.sin)(X)
    make_fx(ops.sin)(X)
    assert ops.sin.default.kernel_for(np.ndarray) is kernel
    assert ops.sin.default.explain(X).chosen.key == "NumPy"


@every_transform
def test_plain_arrays_stay_plain_inside(name: str) -> None:
    """A call without arrays of the transform is an ordinary one."""
    types: list[type] = []

    def program(x: Any) -> Any:
        types.append(type(ops.mul(X, X)))
        return x * 2

    TRANSFORMS[name](program)(X)
    # functionalize wraps what is made inside: it may be written to later on.
    assert (types == [np.ndarray]) is (name != "functionalize")


# --- kernels of users between the keys ------------------------------------------------


def doubling(library: Library, key: str, seen: list[Any]) -> OpOverload:
    """Define an operator with a kernel at a key that goes on below it."""
    op: OpOverload = library.define("doubled(Tensor x) -> Tensor").op

    def passing(keys: DispatchKeySet, x: Any) -> Any:
        seen.append((type(x).__name__, tuple(x.shape)))
        return op.redispatch(keys.below(key), x)

    library.impl(op, lambda x: x * 2, "NumPy")
    library.impl(op, lambda x: MetaTensor(x.shape, x.dtype), "Meta")
    library.impl(op, passing, key, with_keyset=True)
    return op


def test_kernel_at_autograd_goes_on_below(library: Library) -> None:
    """To the backend, or to the next layer out, each time with opened arrays."""
    seen: list[Any] = []
    op = doubling(library, "AutogradNumPy", seen)
    for x in (X, Tensor(X), Tensor(X, requires_grad=True)):
        np.testing.assert_array_equal(np.asarray(op(x)), 2 * X)
    assert [kind for kind, _ in seen] == ["ndarray", "Tensor"]
    seen.clear()
    inner = grad(lambda x: ops.sum(op(x) * x))
    np.testing.assert_array_equal(inner(X), 2 * X)
    assert [kind for kind, _ in seen] == ["Tensor", "ndarray"]
    seen.clear()
    outer = grad(lambda x: ops.sum(inner(x) * x))
    np.testing.assert_array_equal(outer(X), 2 * X)
    assert [kind for kind, _ in seen] == ["Tensor", "Tensor", "ndarray"]


def test_kernel_at_batched_goes_on_below(library: Library) -> None:
    """It cannot with a batch: nothing would say whether the result is one."""
    seen: list[Any] = []
    op = doubling(library, "Batched", seen)
    np.testing.assert_array_equal(op(X), 2 * X)
    with pytest.raises(VmapError, match="batching_rule"):
        vmap(op)(X)
    assert seen == [("BatchedTensor", (3,))]


def test_kernel_at_batched_calls_operators(library: Library) -> None:
    """With what it is given, at any depth."""
    op = library.define("tripled(Tensor x) -> Tensor").op
    library.impl(op, lambda x: x * 3, "NumPy")
    library.impl(op, lambda x: ops.mul(x, 3), "Batched")
    for function in (vmap(op), vmap(vmap(op)), vmap(lambda _: op(X[0]))):
        np.testing.assert_array_equal(function(X)[:1], 3 * X[:1])


@every_transform
def test_composite_of_a_user_needs_no_more(library: Library, name: str) -> None:
    """It is made of operators that have rules."""
    op = library.define("waved(Tensor x) -> Tensor").op

    def composite(x: Any) -> Any:
        return ops.mul(ops.sin(x), x)

    library.impl(op, composite, "CompositeImplicitAutograd")
    inner = TRANSFORMS[name]
    transforms: list[Transform] = [inner, lambda f: vmap(inner(f))]
    for transform in transforms:
        np.testing.assert_allclose(transform(op)(X), transform(composite)(X))
        graph = make_fx(transform(op), "symbolic")(X)
        np.testing.assert_allclose(graph(X), transform(composite)(X))


# --- redispatch and calls at a key, with Tensors --------------------------------------


def test_keys_that_tensors_carry() -> None:
    """They are part of the key set of a call, from lists too."""
    leaf, tensor = Tensor(X, requires_grad=True), Tensor(X)
    keys = ops.mul.Tensor.keys_of((leaf, tensor), {})
    assert "AutogradNumPy" in keys
    assert "NumPy" in keys
    assert "AutogradNumPy" in ops.cat.default.keys_of(([tensor, leaf], 0), {})
    plain = ops.mul.Tensor.keys_of((tensor, tensor), {})
    assert "AutogradNumPy" not in plain
    assert "Meta" in ops.sin.default.keys_of((MetaTensor((2,), "f8"),), {})


def test_kernels_of_backends_get_arrays_at_every_entry() -> None:
    """Redispatch and calls at a key open Tensors, and wrap results, as calls do."""
    numpy = DispatchKeySet("NumPy")
    x, leaf = Tensor(X), Tensor(X, requires_grad=True)
    calls: list[tuple[OpOverload, tuple[Any, ...], Any]] = [
        (ops.mul.Tensor, (x, leaf), X * X),
        (ops.mul.Tensor, (X, x), X * X),
        (ops.cat.default, ([X, x], 1), np.concatenate([X, X], 1)),
        (ops.where.self, (Tensor(X > 2), x, X), X),
    ]
    for op, args, expected in calls:
        for found in (op.redispatch(numpy, *args), op.at("NumPy", *args)):
            assert type(found) is Tensor
            assert not found.requires_grad
            np.testing.assert_array_equal(found.numpy(), expected)
    assert type(ops.mul.Tensor.redispatch(numpy, X, X)) is np.ndarray
    written = Tensor(X.copy())
    assert ops.mul_.Tensor.at("NumPy", written, x) is written
    np.testing.assert_array_equal(written.numpy(), X * X)
    out = ops.add.out.redispatch(numpy, x, x, alpha=1, out=Tensor(np.empty((2, 3))))
    np.testing.assert_array_equal(out.numpy(), 2 * X)
    several = ops.max.dim.redispatch(numpy, x, 1, False)
    assert [type(one) for one in several] == [Tensor, Tensor]


def test_tensors_without_a_kernel(library: Library) -> None:
    """The error is that of plain arrays: it names keys and what to do."""
    op = library.define("missing(Tensor x) -> Tensor").op
    for x in (X, Tensor(X), Tensor(X, requires_grad=True), MetaTensor((2,), "f8")):
        with pytest.raises(NoKernelError, match="missing has no kernel for"):
            op(x)
    with pytest.raises(NoKernelError, match="missing has no kernel for"):
        op.at("NumPy", Tensor(X))


# --- escaped arrays -------------------------------------------------------------------


def escaped(name: str) -> Any:
    """Return an array that a transform made, after its end."""
    kept: list[Any] = []

    def program(x: Any) -> Any:
        kept.append(x)
        return ops.sin(x)

    TRANSFORMS[name](program)(X)
    return kept[0]


@every_transform
def test_escaped_arrays_are_refused(name: str) -> None:
    """Alone, in lists, and inside of any other transform; they can be looked at."""
    x = escaped(name)
    programs: list[Callable[[], Any]] = [
        lambda: x * 2,
        lambda: ops.cat([X, x]),
        lambda: make_fx(lambda y: y * x)(X),
        lambda: make_fx(ops.sin)(x),
        *(lambda t=t: t(lambda y: y * x)(X) for t in TRANSFORMS.values()),
        *(lambda t=t: t(ops.sin)(x) for t in TRANSFORMS.values()),
    ]
    for program in programs:
        with pytest.raises(EscapedTensorError, match="belongs to a transform"):
            program()
    with pytest.raises(TransformedValueError):
        np.asarray(x)
    assert f"level={x.level}" in repr(x)


@every_transform
@pytest.mark.parametrize("outer", TRANSFORMS)
def test_inner_arrays_that_escape_to_the_outer_layer(name: str, outer: str) -> None:
    """They have escaped as well; those of the outer one are at home in the inner."""
    kept: list[Any] = []

    def escaping(x: Any) -> Any:
        def keeping(y: Any) -> Any:
            kept.append(y)
            return ops.sin(y)

        TRANSFORMS[name](keeping)(x)
        return kept[0] * x

    def closing(x: Any) -> Any:
        return TRANSFORMS[name](lambda y: y * x)(x)

    x = np.stack([X, X])
    with pytest.raises(EscapedTensorError):
        TRANSFORMS[outer](escaping)(x)
    if name != "vmap":
        assert TRANSFORMS[outer](closing)(x).shape == x.shape


@every_transform
def test_arrays_on_another_thread(name: str) -> None:
    """They are not at home there, unless its state is brought along."""
    errors: list[Exception] = []

    def alone(x: Any) -> Any:
        def run() -> None:
            try:
                ops.sin(x)
            except EscapedTensorError as error:
                errors.append(error)

        thread = Thread(target=run)
        thread.start()
        thread.join()
        return x

    TRANSFORMS[name](alone)(X)
    assert len(errors) == 1


@every_transform
def test_snapshot_inside_of_a_transform(name: str) -> None:
    """It has the layers, for another thread as well."""

    def program(x: Any) -> Any:
        state = snapshot()
        found: list[Any] = [state.run(ops.sin, x)]
        thread = Thread(target=lambda: found.append(state.run(ops.mul, found[0], x)))
        thread.start()
        thread.join()
        return found[1]

    expected = TRANSFORMS[name](lambda x: ops.sin(x) * x)(X)
    np.testing.assert_array_equal(TRANSFORMS[name](program)(X), expected)


@every_transform
def test_exception_leaves_no_layer(name: str) -> None:
    """Of any depth; it passes through as it is."""

    def broken(x: Any) -> Any:
        return TRANSFORMS["vmap"](lambda y: ops.view(y, [7]))(x)

    with pytest.raises(ValueError, match="7"):
        TRANSFORMS[name](broken)(X)
    keys = ops.sin.default.keys_of((X,), {})
    assert "DynamicLayerFrontMode" not in keys
    np.testing.assert_array_equal(ops.sin(X), np.sin(X))
