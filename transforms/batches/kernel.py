"""Kernels at the key of batches: they apply the rule of an operator."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, final

from ..batching.call import BatchedCall, Randomness, Unbatched
from ..layers import level_of
from ..tensor import Tensor, note_write
from .batched import batched

if TYPE_CHECKING:
    from ...runtime.op import OpOverload

Rule = Callable[[BatchedCall], Any]


def batching_kernel(op: OpOverload) -> BatchingKernel:
    """Return the kernel of an operator's batching rule, as its YAML names it."""
    assert op.batching_rule is not None  # else there is no kernel to be made
    module, _, path = op.batching_rule.partition(":")
    rule: Any = import_module(module)
    for name in path.split("."):
        rule = getattr(rule, name)
    return BatchingKernel(op, rule, op.batching_parameters)


@final
class BatchingKernel:
    """Opens the batches of a call, applies a rule to them, and wraps the results."""

    __slots__ = ("_list_names", "_names", "_op", "_parameters", "_rule", "_written")

    def __init__(self, op: OpOverload, rule: Rule, parameters: tuple[str, ...]) -> None:
        schema = op.schema
        self._op: Final = op
        self._rule: Final = rule
        self._parameters: Final = parameters
        self._names: Final = tuple(a.name for a in schema.positional)
        # What the results are where they are arguments that were written to.
        by_alias = {a.alias: a.name for a in schema.arguments if a.is_write}
        self._written: Final = tuple(
            by_alias.get(returned.alias) if returned.alias is not None else None
            for returned in schema.returns
        )

    def __repr__(self) -> str:
        return f"<batching rule of {self._op.name}: {self._rule!r}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Apply the rule to the batches of the innermost `vmap`.

        Without a batch it goes on below the key: a guard has included it.
        """
        level = level_of(args, kwargs)
        if level == 0:
            below = self._op.keys_of(args, kwargs).below("Batched")
            return self._op.redispatch(below, *args, **kwargs)
        return self.apply(level, None, "error", args, kwargs)

    def apply(
        self,
        level: int,
        size: Any,
        randomness: Randomness,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Apply the rule to the batches of a level, which have ``size`` items."""
        names: set[str] = set()
        items: dict[str, tuple[bool, ...]] = {}

        def opened(name: str, value: Any) -> Any:
            if isinstance(value, Tensor):
                if value.level != level:
                    return value
                names.add(name)
                return value.value
            if type(value) in (list, tuple) and any(
                isinstance(v, Tensor) for v in value
            ):
                flags = tuple(isinstance(v, Tensor) and v.level == level for v in value)
                if any(flags):
                    names.add(name)
                    items[name] = flags
                    return [
                        v.value if f else v for v, f in zip(value, flags, strict=True)
                    ]
            return value

        physical = [opened(n, v) for n, v in zip(self._names, args, strict=True)]
        named = {name: opened(name, value) for name, value in kwargs.items()}
        call = BatchedCall(
            op=self._op,
            size=size,
            args=tuple(physical),
            kwargs=named,
            batched=frozenset(names),
            item_batched=items,
            parameters=self._parameters,
            randomness=randomness,
        )
        return self._results(self._rule(call), level, args, kwargs)

    def _results(
        self, made: Any, level: int, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if not self._written:
            return None
        if len(self._written) == 1:
            return self._result(self._written[0], made, level, args, kwargs)
        return tuple(
            self._result(name, one, level, args, kwargs)
            for name, one in zip(self._written, made, strict=True)
        )

    def _result(
        self,
        name: str | None,
        made: Any,
        level: int,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        if name is not None:
            written = kwargs[name] if name in kwargs else args[self._names.index(name)]
            if isinstance(written, Tensor):
                note_write(written)
            return written
        return _wrapped(made, level)


def _wrapped(made: Any, level: int) -> Any:
    if isinstance(made, Unbatched):
        return made.value
    if type(made) in (list, tuple):
        return type(made)(_wrapped(one, level) for one in made)
    return made if made is None else batched(made, level)
