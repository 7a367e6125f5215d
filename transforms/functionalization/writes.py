"""Operators that change their arguments, as calls of those that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, final

from ...kernels.shapes import ArraySpec
from ...runtime.companions import companionship, functional_companion
from ...runtime.errors import FunctionalWriteError, NoFunctionalCompanionError
from ...runtime.schema_kinds import is_tensor_like
from ...runtime.writing import check_exact, check_result
from ..arrays import converted
from .functional import FunctionalTensor

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

#: Operators whose results are truth values, as bool or as uint8.
_FLAGS: Final = frozenset(("all", "any"))
#: The tag of operators that give an array itself another shape.
_INPLACE_VIEW: Final = "inplace_view"


def companion_of(op: OpOverload) -> OpOverload:
    """Return the operator that is called in the place of one that writes.

    Raises NoFunctionalCompanionError where there is none, and FunctionalWriteError for
    one that changes the very shape of its argument.
    """
    if _INPLACE_VIEW in op.tags:
        raise FunctionalWriteError(
            op.name,
            next(a.name for a in op.schema.arguments if a.is_write),
            "it would have another shape from now on; take a view of that shape",
        )
    companion = functional_companion(op)
    if companion is None:
        name = companionship(op.schema)[0]
        raise NoFunctionalCompanionError(op.name, str(op.schema), name)
    return companion


@final
class Write:
    """What takes the place of an operator that writes: its companion, and writes."""

    __slots__ = ("_asks_dtype", "_check", "_companion", "_names", "_op", "_targets")

    def __init__(self, op: OpOverload, companion: OpOverload) -> None:
        self._op: Final = op
        self._companion: Final = companion
        self._names: Final = tuple(argument.name for argument in op.schema.positional)
        #: The argument that each result of the companion goes to, None for a result.
        self._targets: Final = tuple(_targets(op, companion))
        self._check: Final = _check_of(op)
        # Derived functions call the companion as they were called themselves.
        as_called = op.derived_from is not None and _takes_dtype(op)
        self._asks_dtype: Final = _takes_dtype(companion) and not as_called

    def named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name."""
        return {**dict(zip(self._names, args, strict=True)), **kwargs}

    def call(self, values: dict[str, Any], level: int) -> list[Any]:
        """Call the companion; return a value for each place of its results.

        ``values`` are the arguments of the call, with the Tensors of ``level`` opened.
        """
        schema = self._companion.schema
        taken = {a.name: values[a.name] for a in schema.arguments if a.name in values}
        args = [taken.pop(a.name) for a in schema.positional]
        if not self._asks_dtype or taken.get("dtype") is not None:
            return self._results(self._companion(*args, **taken))
        wanted = values[next(filter(None, self._targets))].dtype
        if "dtype" in values:
            result = self._companion(*args, **taken)
            if result.dtype == wanted:
                return [result]
        # The array that is written to says in which dtype the result is computed.
        return self._results(self._companion(*args, **{**taken, "dtype": wanted}))

    def _results(self, result: Any) -> list[Any]:
        return [result] if len(self._companion.schema.returns) == 1 else [*result]

    def store(self, named: dict[str, Any], results: list[Any], level: int) -> list[Any]:
        """Write results to the arguments they go to; return those that are left."""
        pairs = [*self._pairs(named, results)]
        # All are checked first, so that a refused call writes nothing.
        for name, target, value in pairs:
            self._check_target(name, target, value, level)
        for _, target, value in pairs:
            target.write(converted(value, target.dtype))
        places = zip(self._targets, results, strict=True)
        return [result for target, result in places if target is None]

    def returned(self, named: dict[str, Any], left: list[Any]) -> Any:
        """Return what the operator returns: arguments it has written to, and others."""
        schema = self._op.schema
        rest = iter(left)
        written = {a.alias: a.name for a in schema.arguments if a.is_write}
        found = [
            named[written[ret.alias]] if ret.alias in written else next(rest)
            for ret in schema.returns
        ]
        if len(found) == 1:
            return found[0]
        return tuple(found) if found else None

    def _pairs(
        self, named: dict[str, Any], results: list[Any]
    ) -> Iterator[tuple[str, Any, Any]]:
        for name, result in zip(self._targets, results, strict=True):
            target = None if name is None else named[name]
            if name is None or target is None:
                continue
            if type(target) in (list, tuple):
                pairs = zip(target, result, strict=True)
                yield from ((name, one, value) for one, value in pairs)
            else:
                yield name, target, result

    def _check_target(self, name: str, target: Any, value: Any, level: int) -> None:
        if not isinstance(target, FunctionalTensor) or target.level != level:
            raise FunctionalWriteError(
                self._op.name,
                name,
                "it comes from outside the function; pass it as an argument",
            )
        self._check(name, target, value)


def _check_of(op: OpOverload) -> Callable[[str, Any, Any], None]:
    """Return what is to be asked about a result before it is written."""
    if op.schema.is_out and op.schema.name in _FLAGS:
        return _check_flags
    # Derived out= functions take no other dtype than that of the result, nor do those
    # that are told which dtype it is to be.
    derived = op.derived_from is not None and op.schema.is_out
    return check_exact if derived or _takes_dtype(op) else check_result


def _takes_dtype(op: OpOverload) -> bool:
    return any(argument.name == "dtype" for argument in op.schema.arguments)


def _check_flags(argument: str, out: Any, value: Any) -> None:
    """Let truth values be written as bool and as uint8, whichever the result is."""
    given = value if out.dtype not in ("bool", "uint8") else out
    check_exact(argument, out, ArraySpec(value.shape, given.dtype))


def _targets(op: OpOverload, companion: OpOverload) -> Iterator[str | None]:
    """Yield the argument that each result of the companion is written to."""
    schema = op.schema
    if schema.is_out:
        outs = iter(schema.out)
        for returned in companion.schema.returns:
            yield next(outs).name if is_tensor_like(returned.type) else None
        return
    written = [a for a in schema.arguments if a.is_write]
    by_alias = {a.alias: a.name for a in written}
    aliases = [returned.alias for returned in schema.returns]
    for alias in aliases:
        yield None if alias is None else by_alias.get(alias)
    own = [a for a in written if a.alias not in aliases]
    yield from (a.name for a in sorted(own, key=lambda a: a.name != "self"))
