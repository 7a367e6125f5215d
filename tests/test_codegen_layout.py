"""Statements that do not fit on a line are split exactly as black splits them."""

from __future__ import annotations

from keyword import iskeyword

import black
from black.mode import TargetVersion
from hypothesis import given
from hypothesis import strategies as st

from keyslot.codegen.formatting import tidy, tidy_all
from keyslot.codegen.layout import lay_out
from keyslot.codegen.literals import tuple_of
from keyslot.codegen.view_calls import CacheView, Shape, call_view

NAMES = st.from_regex(r"[a-z][a-z_]{0,24}", fullmatch=True).filter(
    lambda name: not iskeyword(name)
)


@st.composite
def statements(draw: st.DrawFn) -> str:
    """Draw a statement of a form that templates write."""
    name, names = draw(NAMES), draw(
        st.lists(NAMES, min_size=1, max_size=9, unique=True)
    )
    count = draw(st.integers(0, len(names)))
    shape = Shape(tuple(names[:count]), tuple(names[count:]))
    call = call_view(CacheView(f"{name}_cache", f"{name}_handlers", shape))
    keys = tuple_of(f'"{key.title()}"' for key in names)
    keyed = ", ".join(f'"{key}": {key}' for key in names)
    parameters = ", ".join(f"{key}: Any = None" for key in names)
    typed = ", ".join(f"{key}: Int | Sequence[Int] = ..." for key in names)
    return draw(
        st.sampled_from(
            [
                f"def {name}({parameters}) -> Any:",
                f"def {name}({typed}) -> tuple[Array, list[Array]]: ...",
                f"return {call.cache}.handler({call.types})({call.arguments})",
                f"handler = {call.lookup}",
                f"handler = {call.cache}.load({call.types})",
                f"return handler({call.arguments})",
                f"{call.cache} = HandlerCache({shape.source})",
                f"declared_table = TABLES[{keys}]",
                f"tags = {keys}",
                f"{name}_handlers = {name}_cache.handlers",
                f'schema_text = "{" ".join(names)}"',
                f"from .ops.{name} import {name} as {name}",
                f"return {name}_packet.call((self, *rest), {{{keyed}}})",
                f"if {' and '.join(f'{key} is MISSING' for key in names)}:",
            ]
        )
    )


def by_black(statement: str, width: int) -> str:
    """Return a statement as black formats it."""
    mode = black.Mode(target_versions={TargetVersion.PY311}, line_length=width)
    if statement.endswith(":"):
        return black.format_str(f"{statement}\n    pass\n", mode=mode)
    return black.format_str(statement, mode=mode)


@given(statements(), st.sampled_from([88, 84, 80]))
def test_split_is_that_of_black(statement: str, width: int) -> None:
    """Where the layout knows how to split a long statement, black does the same."""
    lines = lay_out(statement, width) if len(statement) > width else None
    if lines is not None:
        body = ["    pass"] if statement.endswith(":") else []
        assert "\n".join([*lines, *body, ""]) == by_black(statement, width)


@given(st.lists(statements(), min_size=1, max_size=4))
def test_tidy_text_is_that_of_black(found: list[str]) -> None:
    """A function of several statements comes out as black formats it as a whole."""
    bodies = [line for line in found if not line.startswith(("def ", "if ", "from "))]
    text = "\n".join(["def f():", *(f"    {line}" for line in bodies), "    pass", ""])
    assert tidy(text) == tidy_all(text)


def test_what_the_layout_does_not_know_goes_to_black() -> None:
    """A statement of an unknown form is formatted by black alone."""
    text = f"value = {' + '.join(f'argument_{n}' for n in range(9))}\n"
    assert lay_out(text.strip(), 88) is None
    assert tidy(text) == tidy_all(text) != text


def test_half_statement_makes_black_format_the_whole() -> None:
    """A long line that is no statement by itself is no stumbling block."""
    items = ", ".join(f'"item_{n}"' for n in range(9))
    text = f"value = {{\n    ({items}): [\n        1,\n    ],\n}}\n"
    assert tidy(text) == tidy_all(text) != text
