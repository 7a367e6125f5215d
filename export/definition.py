"""One operator in PyTorch: its schema, and all that belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, final

import torch

from ..runtime.exported import ExportedOperator
from ..runtime.kernel import Kernel, Site
from ..runtime.op import OpOverload
from ..runtime.schema import FunctionSchema, parse_schema

Function = Callable[..., Any]


@final
class Definition:
    """An operator that has been defined in PyTorch, and where it is registered."""

    __slots__ = (
        "_defaults",
        "_keyword_defaults",
        "_names",
        "exported",
        "library",
        "op",
        "overload",
        "schema",
    )

    #: What the generator wrote of it.
    exported: Final[ExportedOperator]
    #: The library in PyTorch that holds its registrations.
    library: Final[torch.library.Library]
    #: The operator here and there.
    op: Final[OpOverload]
    overload: Final[torch._ops.OpOverload]
    schema: Final[FunctionSchema]

    def __init__(
        self,
        exported: ExportedOperator,
        op: OpOverload,
        library: torch.library.Library,
    ) -> None:
        """Define the operator.

        Raises RuntimeError, as PyTorch does, where there is one of the name.
        """
        self.exported = exported
        self.op = op
        self.library = library
        self.schema = parse_schema(exported.schema)
        tags = [getattr(torch.Tag, tag) for tag in exported.tags if _is_tag(tag)]
        library.define(exported.schema, tags=tags)
        self.overload = self.find(self.name)
        arguments = self.overload._schema.arguments
        given = [each for each in arguments if not each.kwarg_only]
        self._names: Final = tuple(each.name for each in given)
        #: As PyTorch has them; None for an argument that has to be given.
        self._defaults: Final = tuple(each.default_value for each in given)
        self._keyword_defaults: Final = {
            each.name: each.default_value for each in arguments if each.kwarg_only
        }

    @property
    def name(self) -> str:
        """The name with the overload, as a library takes it."""
        return self.schema.qualified

    @property
    def qualified(self) -> str:
        """The name with namespace and overload."""
        return f"{self.library.ns}::{self.name}"

    @property
    def has_derivatives(self) -> bool:
        """Whether the entry says what the gradients are, and PyTorch can have them."""
        said = self.op.derivatives or self.op.output_differentiability
        return bool(said) and takes_gradients(self.schema)

    @property
    def given_back(self) -> tuple[str | None, ...]:
        """For each result the argument that it is, or None where it is a new one."""
        written = {
            argument.alias: argument.name
            for argument in self.schema.arguments
            if argument.is_write
        }
        # Arguments that are not written to have no mark, and neither have new results.
        return tuple(written.get(ret.alias) for ret in self.schema.returns)

    def named(self, args: Iterable[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by their names, as far as they are given."""
        return {**dict(zip(self._names, args, strict=False)), **kwargs}

    def find(self, name: str) -> torch._ops.OpOverload:
        """Return an operator of the same namespace in PyTorch."""
        operator, _, overload = name.partition(".")
        packet = getattr(getattr(torch.ops, self.library.ns), operator)
        return getattr(packet, overload or "default")

    def impl(self, key: str, function: Function, *, with_keyset: bool = False) -> None:
        """Register a kernel at one of PyTorch's keys."""
        self.library.impl(self.name, function, key, with_keyset=with_keyset)

    def load(self, reference: str, use: str) -> Function:
        """Return a function that YAML names; it is imported at its first call.

        ``use`` says what for, as messages have it.
        """
        site = Site(self.exported.origin, 0, self.qualified)
        kernel = Kernel(None, use, site, reference=reference)

        def function(*args: Any, **kwargs: Any) -> Any:
            return kernel.load(self.qualified)(*args, **kwargs)

        return function

    def filled(self, function: Function) -> Function:
        """Return a kernel that gives a function every argument of the schema.

        PyTorch leaves away what has its default value.
        """

        def kernel(*args: Any, **kwargs: Any) -> Any:
            positional, named = self.fill(args, kwargs)
            return function(*positional, **named)

        return kernel

    def fill(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of a call with the defaults that it leaves away."""
        positional = (*args, *self._defaults[len(args) :])
        return positional, {**self._keyword_defaults, **kwargs}


def takes_gradients(schema: FunctionSchema) -> bool:
    """Whether PyTorch registers gradients for such functions.

    It does for those that change no argument and take no tensors by name alone.
    """
    by_name = (argument.type.base.name for argument in schema.keyword_only)
    writes = any(argument.is_write for argument in schema.arguments)
    return bool(schema.returns) and not writes and "Tensor" not in by_name


def _is_tag(name: str) -> bool:
    """Whether PyTorch has a tag; a project may have others."""
    return name in torch.Tag.__members__
