"""The schema language: ``parse_schema`` and what it returns."""

from .schema_literals import Default, Word
from .schema_model import (
    AliasSet,
    Argument,
    BaseType,
    FunctionSchema,
    ListType,
    OptionalType,
    Return,
    Type,
)
from .schema_parser import parse_schema
from .schema_types import BASE_TYPES

__all__ = [
    "BASE_TYPES",
    "AliasSet",
    "Argument",
    "BaseType",
    "Default",
    "FunctionSchema",
    "ListType",
    "OptionalType",
    "Return",
    "Type",
    "Word",
    "parse_schema",
]
