"""Kernels of backends, called with Tensors: they get the arrays inside.

What a kernel returns is wrapped again, as the schema says: a new array in a new
`Tensor`, a view in one that shares the count of writes, and an argument that was
written to is returned itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from ..generated.keys import SPACE
from ..runtime.resolver import EXPLICIT, IMPLICIT, SERVE_UNDEFINED
from .source import Parameter, arguments, compile_function, parameters_of, signature

if TYPE_CHECKING:
    from ..runtime.op import OpOverload

Kernel = Callable[..., Any]
#: Kernels over operators: they take Tensors as they are.
COMPOSITES: Final = frozenset((*SERVE_UNDEFINED, EXPLICIT, IMPLICIT))
#: Places of the keys at which kernels take arrays of a backend.
_PLACES: Final = frozenset(
    SPACE.index(key)
    for backend in SPACE.backends
    if backend != "Meta"
    for key in SPACE.backend_keys(backend)
    if SPACE.functionality_of[key] in ("Dense", "Sparse")
)


def takes_arrays(op: OpOverload, setting: Any, place: int) -> bool:
    """Whether the kernel at a key takes arrays of a backend rather than Tensors."""
    if place not in _PLACES:
        return False
    return op.table_for(setting).cells[place].source not in COMPOSITES


def unwrapping(op: OpOverload, kernel: Kernel) -> Kernel:
    """Return a kernel of a backend as one that takes and returns Tensors."""
    from . import tensor, views

    schema = op.schema
    parameters = parameters_of(schema)
    name = op.__name__
    values = {p.name: _unwrapped(p) for p in parameters if p.is_array or p.is_list}
    call = f"kernel({arguments(parameters, values)})"
    lines = [f"def {name}({signature(parameters)}):"]
    shared = [p for p in parameters if p.is_array and p.argument.alias is not None]
    lines += [f"    give_memory({p.name})" for p in shared]
    lines += [f"    result = {call}"]
    lines += [f"    {line}" for line in _returning(op, parameters)]
    functions = {
        "op": op,
        "kernel": kernel,
        "Tensor": tensor.Tensor,
        "give_memory": views.give_memory,
        "items": _items,
        "wrap": tensor.wrap,
        "view": views.wrap_view,
        "views": views.wrap_views,
        "written": tensor.note_write,
    }
    made: Kernel = compile_function(
        name, lines, f"<keyslot {op.name} of Tensors>", functions
    )
    return made


def _unwrapped(parameter: Parameter) -> str:
    name = parameter.name
    if parameter.is_list:
        return f"items({name})"
    return f"({name}.value if isinstance({name}, Tensor) else {name})"


def _items(arrays: Any) -> Any:
    from .tensor import Tensor

    if arrays is None:
        return None
    return [a.value if isinstance(a, Tensor) else a for a in arrays]


def _returning(op: OpOverload, parameters: tuple[Parameter, ...]) -> Iterator[str]:
    """Yield the lines that return the results."""
    schema = op.schema
    written = [p for p in parameters if p.argument.is_write]
    for parameter in written:
        yield f"written({parameter.name})"
    if not schema.returns:
        yield "return None"
        return
    by_alias = {p.argument.alias: p.name for p in written}
    results: list[str] = []
    for n, returned in enumerate(schema.returns):
        value = "result" if len(schema.returns) == 1 else f"result[{n}]"
        if returned.alias is not None and returned.alias in by_alias:
            results.append(by_alias[returned.alias])
        elif returned.type.base.name != "Tensor":
            results.append(value)
        elif (source := _viewed(returned.alias, parameters)) is not None:
            made = "views" if returned.type.kind == "list" else "view"
            results.append(
                f"{made}({value}, {source}, {_step(op, source, parameters)})"
            )
        elif returned.type.kind == "list":
            results.append(f"[wrap(item) for item in {value}]")
        else:
            results.append(f"wrap({value})")
    one = len(results) == 1
    yield f"return {results[0]}" if one else f"return ({', '.join(results)})"


def _step(op: OpOverload, source: str, parameters: tuple[Parameter, ...]) -> str:
    """Return what makes a view of another array, None where no gradient does."""
    if not all(op.output_differentiability or (True,)):
        return "None"
    return f"lambda array: op({arguments(parameters, {source: 'array'})})"


def _viewed(alias: Any, parameters: tuple[Parameter, ...]) -> str | None:
    """Return the argument whose memory a result shares."""
    if alias is None:
        return None
    marked = (p.name for p in parameters if p.is_array and p.argument.alias is not None)
    return next(marked, None)
