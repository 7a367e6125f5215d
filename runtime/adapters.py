"""Adapters: from the arguments of a call to those of a kernel, as a function.

Where a kernel wants its arguments otherwise than a call brings them, in another order,
converted, or with defaults that the call left away, a function with the signature of
the call stands in between. It is compiled, once for each layout, because a general one
that builds lists and dicts costs eight times as much. Its text is known to `linecache`,
so tracebacks and debuggers show it.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from keyword import iskeyword
from typing import Any, Final, NamedTuple

from .resolution import Binding, CallShape, Source, checked

Function = Callable[..., Any]
_TEMPLATE: Final = """\
def make(_kernel, {extras}):
    def adapted({parameters}):
        return _kernel({arguments})

    return adapted
"""


class _Layout(NamedTuple):
    """How many arguments come by position and which by keyword, and what they become.

    Each argument of the kernel is its name, if it goes by keyword, the place that it
    comes from, None for a default, and whether it is converted.
    """

    positional: int
    keyword_only: tuple[str, ...]
    arguments: tuple[tuple[str | None, int | None, bool], ...]


def adapter(binding: Binding, shape: CallShape, kernel: Function) -> Function:
    """Return a function that takes the arguments of a call and calls the kernel.

    It raises ArgumentValueError for a value that the schema's type cannot hold.
    """
    arguments = [
        *((None, s.place, s.convert is not None) for s in binding.positional),
        *(
            (s.argument.name, s.place, s.convert is not None)
            for s in binding.keyword_only
        ),
    ]
    layout = _Layout(len(shape.positional), shape.keyword_only, tuple(arguments))
    extras = [_extra(binding, source) for source in binding.sources]
    found: Function = _make(layout)(kernel, *extras)
    return found


def _extra(binding: Binding, source: Source) -> Any:
    """Return what an argument needs beside its value: a converter, or its default."""
    return source.default if source.place is None else checked(binding.op, source)


@cache
def _make(layout: _Layout) -> Any:
    places = [f"_{place}" for place in range(layout.positional)]
    values = [*places, *layout.keyword_only]
    extras = [f"_extra_{n}" for n in range(len(layout.arguments))]
    arguments = [
        _argument(values, extra, *argument)
        for extra, argument in zip(extras, layout.arguments, strict=True)
    ]
    star = ["*"] if layout.keyword_only else []
    text = _TEMPLATE.format(
        extras=", ".join(extras),
        parameters=", ".join([*places, *star, *layout.keyword_only]),
        arguments=", ".join(arguments),
    )
    return compiled(text, f"<keyslot adapter: {', '.join(arguments)}>")


def _argument(
    values: Sequence[str],
    extra: str,
    name: str | None,
    place: int | None,
    convert: bool,
) -> str:
    value = extra if place is None else values[place]
    if convert:
        value = f"{extra}({value})"
    return value if name is None else f"{name}={value}"


def compiled(
    text: str,
    filename: str,
    name: str = "make",
    values: Mapping[str, Any] | None = None,
) -> Any:
    """Return a function of some source, which debuggers know by a file name.

    ``values`` are the globals of the source, if it needs any.
    """
    lines = text.splitlines(keepends=True)
    linecache.cache[filename] = (len(text), None, lines, filename)
    namespace = dict(values or {})
    exec(compile(text, filename, "exec"), namespace)
    return namespace[name]


def can_adapt(binding: Binding, shape: CallShape) -> bool:
    """Whether all names can be written as such in Python."""
    return are_writable(
        [*shape.keyword_only, *(s.argument.name for s in binding.keyword_only)]
    )


def are_writable(names: Sequence[str]) -> bool:
    """Whether names can be parameters in source, beside others that begin with _."""
    return all(
        name.isidentifier() and not iskeyword(name) and not name.startswith("_")
        for name in names
    )
