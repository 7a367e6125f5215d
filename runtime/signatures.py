"""Signatures of operators for `inspect.signature`, `help` and completion."""

from __future__ import annotations

from inspect import Parameter, Signature
from keyword import iskeyword

from .schema import FunctionSchema


def signature(schema: FunctionSchema) -> Signature:
    """Return the Python signature that a schema stands for.

    An argument that Python cannot name, such as ``from``, can only be passed through
    ``**{"from": ...}``, and the signature says ``*args, **kwargs``.
    """
    if any(iskeyword(argument.name) for argument in schema.arguments):
        return Signature(
            [
                Parameter("args", Parameter.VAR_POSITIONAL),
                Parameter("kwargs", Parameter.VAR_KEYWORD),
            ]
        )
    return Signature(
        [
            Parameter(
                argument.name,
                (
                    Parameter.KEYWORD_ONLY
                    if argument.keyword_only
                    else Parameter.POSITIONAL_OR_KEYWORD
                ),
                default=argument.default if argument.has_default else Parameter.empty,
            )
            for argument in schema.arguments
        ]
    )
