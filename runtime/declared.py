"""Declared overloads: what an overload is, before anything is dispatched.

A generated class holds what the YAML says of its overload, as class attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from .table import DeclaredTable

if TYPE_CHECKING:
    from .schema import FunctionSchema

#: The tag of operators in whose calls Python numbers may stand for arrays.
_POINTWISE: Final = "pointwise"


class DeclaredOverload:
    """The names of an overload, its schema, and what else is declared of it."""

    __slots__ = ("_schema",)

    #: The namespace, ``keyslot`` in ``keyslot::mul.Tensor``.
    namespace: ClassVar[str]
    #: The schema as declared.
    schema_text: ClassVar[str]
    #: The file that declares the operator, relative to its project.
    origin: ClassVar[str]
    #: Declared kernels: key to reference.
    kernels: ClassVar[Mapping[str, str]]
    #: The dispatch table as generated; None for an operator defined at run time.
    declared_table: ClassVar[DeclaredTable | None] = None
    #: Keys whose declared kernels take arrays of several libraries.
    mixed_backends: ClassVar[tuple[str, ...]] = ()
    #: PyTorch's tags of the operator.
    tags: ClassVar[tuple[str, ...]] = ()
    #: How PyTorch offers the operator: as a function, a method, or both.
    variants: ClassVar[tuple[str, ...]] = ("function",)
    #: The rule for shapes and dtypes of results, ``module:name``.
    shape_rule: ClassVar[str | None] = None
    #: Formulas of gradients by the arguments they are of, ``self`` or ``self, other``,
    #: and of forward derivatives by the result.
    derivatives: ClassVar[Mapping[str, str]] = MappingProxyType({})
    #: Whether each result may have a gradient; all of them where it is empty.
    output_differentiability: ClassVar[tuple[bool, ...]] = ()
    #: The module with the functions that formulas call beside operators.
    derivative_functions: ClassVar[str | None] = None
    #: The batching rule, ``module:name``, and what the declaration gives it.
    batching_rule: ClassVar[str | None] = None
    batching_parameters: ClassVar[tuple[str, ...]] = ()
    #: For an operator that was derived from another one: the name of that one.
    derived_from: ClassVar[str | None] = None

    def __init_subclass__(cls) -> None:
        own = cls.__dict__
        if "__call__" in own and "schema_text" in own:
            # What Python says of missing or surplus arguments names the operator.
            own["__call__"].__func__.__qualname__ = _qualified_name(cls.schema_text)

    def __init__(self) -> None:
        self._schema: FunctionSchema | None = None

    def __reduce__(self) -> str | tuple[Any, ...]:
        # A name: pickle, copy and deepcopy give back this very object.
        return self.qualified_name

    def __repr__(self) -> str:
        return f"<OpOverload {self.name}>"

    @property
    def __name__(self) -> str:
        return self.qualified_name.replace(".", "_")

    @property
    def qualified_name(self) -> str:
        """Operator and overload, ``mul.Tensor``; ``sum.default`` without overload."""
        return _qualified_name(self.schema_text)

    @property
    def name(self) -> str:
        """The name with its namespace, ``keyslot::mul.Tensor``."""
        return f"{self.namespace}::{self.qualified_name.removesuffix('.default')}"

    @property
    def summary(self) -> str:
        """The first paragraph of the documentation; empty where there is none."""
        _, _, text = (self.__doc__ or "").partition("\n\n")
        return " ".join(text.strip().partition("\n\n")[0].split())

    @property
    def takes_numbers(self) -> bool:
        """Whether Python numbers may stand for arrays in a call."""
        return _POINTWISE in self.tags

    @property
    def schema(self) -> FunctionSchema:
        """The parsed schema."""
        if self._schema is None:
            # Parsing is left until somebody asks: importing operators parses nothing.
            from .schema import parse_schema

            self._schema = parse_schema(self.schema_text)
        return self._schema


def _qualified_name(schema: str) -> str:
    name, _, overload = schema.partition("(")[0].partition(".")
    return f"{name.rpartition('::')[2]}.{overload or 'default'}"
