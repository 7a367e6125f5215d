"""Arrays without elements: a shape, a dtype, and the backend they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, cast

from ..generated.keys import DISPATCHER, SPACE
from ..runtime.errors import DataNeededError, OutShapeError
from ..runtime.writing import check_result
from .tensor import Tensor, note_write

if TYPE_CHECKING:
    from ..runtime.op import OpOverload
    from ..runtime.schema import FunctionSchema

Kernel = Callable[..., Any]
_META: Final = SPACE.bit("Meta")


class MetaTensor(Tensor):
    """An array of which only shape and dtype are known, and whose array it stands for.

    Sizes may be symbolic. ``backend`` is None where it stands for none in particular.
    """

    __slots__ = ("_dtype", "_shape", "backend")

    def __init__(self, shape: Any, dtype: Any, backend: str | None = None) -> None:
        import numpy as np

        self._shape = tuple(shape)
        self._dtype = np.dtype(dtype)
        self.bits = _META
        self.backend = backend
        # Nothing is inside that a kernel could take out.
        self.level = -1
        self.edge = None
        self.counter = None
        self.extra = None

    def elements(self, what: str) -> Any:
        """Raise DataNeededError: there are none."""
        raise DataNeededError(what)

    @property
    def shape(self) -> Any:
        """The sizes of its dimensions."""
        return self._shape

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self._shape)

    @property
    def dtype(self) -> Any:
        """The dtype of its elements."""
        return self._dtype


def find_rule(op: OpOverload) -> Kernel:
    """Return the function that computes the shapes and dtypes of an operator.

    The rule of a functional operator knows nothing of arrays for results, which are
    left out for it where another overload has its rule.
    """
    assert op.shape_rule is not None  # else there is no kernel to be made
    module, _, path = op.shape_rule.partition(":")
    found: Any = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    rule: Kernel = found
    known = signature(rule).parameters
    unknown = [each.name for each in op.schema.out if each.name not in known]
    return without(rule, unknown) if unknown else rule


def without(rule: Kernel, names: Sequence[str]) -> Kernel:
    """Return a rule that takes some more arguments by name, and ignores them."""

    def ignoring(*args: Any, **kwargs: Any) -> Any:
        for name in names:
            del kwargs[name]
        return rule(*args, **kwargs)

    return ignoring


def shape_kernel(op: OpOverload) -> Kernel:
    """Return the kernel of an operator's shape rule, as its YAML names it."""
    rule, schema = find_rule(op), op.schema
    names: Final = tuple(argument.name for argument in schema.positional)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        spec = rule(*args, **kwargs)
        backend = _backend_of((*args, *kwargs.values()))
        named = {**dict(zip(names, args, strict=True)), **kwargs}
        return results(schema, spec, named, lambda one: _made(one, backend))

    return kernel


def results(
    schema: FunctionSchema,
    spec: Any,
    named: dict[str, Any],
    make: Callable[[Any], Any],
) -> Any:
    """Return what a call returns: arguments it has written to, or something new.

    ``make`` makes the latter of a shape and dtype.

    Raises OutShapeError or DtypeError where a result does not fit what is written.
    """
    specs = spec if len(schema.returns) > 1 else (spec,)
    written = {a.alias: a.name for a in schema.arguments if a.is_write}
    found: list[Any] = []
    for returned, one in zip(schema.returns, specs, strict=False):
        name = written.get(returned.alias) if returned.alias is not None else None
        if name is None:
            found.append(_each(one, make))
            continue
        target = named[name]
        if one is not None and hasattr(one, "shape"):
            _check_written(name, target, one)
        note_write(target)
        found.append(target)
    if not found:
        for argument in schema.arguments:
            if argument.is_write:
                note_write(named[argument.name])
        return None
    return found[0] if len(found) == 1 else tuple(found)


def _each(spec: Any, make: Callable[[Any], Any]) -> Any:
    if hasattr(spec, "shape"):
        return make(spec)
    if type(spec) in (list, tuple):
        return type(spec)(_each(one, make) for one in spec)
    return spec


def _check_written(name: str, target: Any, spec: Any) -> None:
    if tuple(target.shape) != tuple(spec.shape):
        raise OutShapeError(name, tuple(target.shape), tuple(spec.shape))
    check_result(name, target, spec)


def _made(spec: Any, backend: str | None) -> MetaTensor:
    return MetaTensor(spec.shape, spec.dtype, backend)


def _backend_of(values: Iterable[object]) -> str | None:
    for value in values:
        if isinstance(value, MetaTensor):
            return value.backend
        if type(value) in (list, tuple):
            backend = _backend_of(cast("list[object]", value))
        else:
            found = DISPATCHER.arrays.lookup(type(value))
            backend = found.backend if found is not None else None
        if backend:
            return backend
    return None
