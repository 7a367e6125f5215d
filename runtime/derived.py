"""Kernels of derived operators, which ``autogen`` in YAML asks for.

They are made of the operator they are derived from, for every backend alike: an
``out=`` variant writes its results into the arrays given for them, a functional
variant of an operator that changes its arguments changes copies of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, final

from .namespace import find_overload
from .writing import check_exact

if TYPE_CHECKING:
    from .op import OpOverload

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
    if "dtype" in taken and "dtype" not in inputs:
        # The schema of a creation operator loses its dtype for that of its results.
        (inputs["dtype"],) = (out.dtype for out in outs.values())
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
    writes = [*_writes(op, outs, arrays)]
    # All are checked first, so that a refused call writes nothing.
    for write in writes:
        check_exact(*write)
    for _, out, value in writes:
        out[...] = value
    given_back = tuple(outs.values())
    if not op.schema.returns:
        return None
    return given_back[0] if len(op.schema.returns) == 1 else given_back


def _writes(
    op: OpOverload, outs: dict[str, Any], results: list[Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each array to write to after its name, and what is to be written."""
    for (name, out), value in zip(outs.items(), results, strict=True):
        if type(value) in (list, tuple):
            for one, item in zip(out, value, strict=True):
                yield f"{op.name}: {name}", one, item
        else:
            yield f"{op.name}: {name}", out, value


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
