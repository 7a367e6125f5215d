"""Kernels of derived operators, which ``autogen`` in YAML asks for.

They are made of the operator they are derived from, for every backend alike: an
``out=`` variant writes its results into the arrays given for them, a functional
variant of an operator that changes its arguments changes copies of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from .errors import DtypeError, OutShapeError
from .namespace import find_overload

if TYPE_CHECKING:
    from .op import OpOverload

#: Kinds of dtypes as NumPy names them, each of which can hold those before it.
_ORDER: Final = ("b", "i", "f", "c")
#: What generated code has for the kernel of a derived operator.
DERIVED: Final = "derived"


@final
class DerivedKernel:
    """The kernel of a derived operator, made of another operator."""

    __slots__ = ("_op",)

    def __init__(self, op: OpOverload) -> None:
        self._op: Final = op

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        op = self._op
        assert op.derived_from is not None  # the generator writes both or neither
        source = find_overload(op.namespace, op.derived_from)
        names = [argument.name for argument in op.schema.positional]
        named = dict(zip(names, args, strict=True)) | kwargs
        make = _call_with_out if op.schema.is_out else _call_on_copies
        return make(op, source, named)

    def __repr__(self) -> str:
        return f"derived from {self._op.derived_from}"


def _call_with_out(op: OpOverload, source: OpOverload, named: dict[str, Any]) -> Any:
    taken = {argument.name for argument in source.schema.arguments}
    outs = {n: value for n, value in named.items() if n not in taken}
    inputs = {n: value for n, value in named.items() if n in taken}
    if source.schema.is_inplace:
        (changed,) = (a.name for a in source.schema.arguments if a.is_write)
        results = _as_tuple(
            source, source(**{**inputs, changed: _copy(named[changed])})
        )
    else:
        results = _as_tuple(source, source(**inputs))
    arrays = [
        value
        for value, ret in zip(results, source.schema.returns, strict=True)
        if ret.type.base.name == "Tensor"
    ]
    for (name, out), value in zip(outs.items(), arrays, strict=True):
        _write(op, name, out, value)
    given_back = tuple(outs.values())
    if not op.schema.returns:
        return None
    return given_back[0] if len(op.schema.returns) == 1 else given_back


def _call_on_copies(op: OpOverload, source: OpOverload, named: dict[str, Any]) -> Any:
    changed = [a for a in source.schema.arguments if a.is_write and a.name in named]
    copies = {a.name: _copy(named[a.name]) for a in changed}
    results = _as_tuple(source, source(**{**named, **copies}))
    returned = [ret.alias for ret in source.schema.returns]
    extra = (copies[a.name] for a in changed if a.alias not in returned)
    everything = (*results, *extra)
    return everything[0] if len(op.schema.returns) == 1 else everything


def _as_tuple(op: OpOverload, results: Any) -> tuple[Any, ...]:
    count = len(op.schema.returns)
    if count == 1:
        return (results,)
    return tuple(results) if count else ()


def _copy(value: Any) -> Any:
    if type(value) in (list, tuple):
        return [_copy(item) for item in value]
    return value.clone() if hasattr(value, "clone") else value.copy()


def _write(op: OpOverload, name: str, out: Any, value: Any) -> None:
    if type(value) in (list, tuple):
        for target, item in zip(out, value, strict=True):
            _write(op, name, target, item)
        return
    argument = f"{op.name}: {name}"
    if tuple(out.shape) != tuple(value.shape):
        raise OutShapeError(argument, tuple(out.shape), tuple(value.shape))
    if not _can_hold(out, value):
        raise DtypeError(
            f"{argument} has dtype {out.dtype}, which cannot hold the result's"
            f" {value.dtype}"
        )
    out[...] = value


def _can_hold(out: Any, value: Any) -> bool:
    """Whether writing a result loses no more than precision, PyTorch's rule for out.

    Integers may become floating point and not the other way round, and so on. Where a
    dtype does not tell its kind the array's own library decides.
    """
    kinds = [_kind(array) for array in (out, value)]
    if None in kinds:
        return True
    given, wanted = (_ORDER.index(kind) for kind in kinds if kind is not None)
    return given >= wanted


def _kind(array: Any) -> str | None:
    dtype = getattr(array, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if getattr(dtype, "is_complex", False):
        kind = "c"
    elif getattr(dtype, "is_floating_point", False):
        kind = "f"
    kind = "i" if kind == "u" else kind
    return kind if kind in _ORDER else None
