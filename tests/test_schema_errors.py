"""Every malformed schema is refused, with the message that stands in the case file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from keyslot.runtime.errors import SchemaError
from keyslot.runtime.schema import parse_schema

CASES = Path(__file__).parent / "data" / "schema_errors.txt"
INDENT = "    "


def refusal(schema: str) -> str:
    """Return what the parser says against a schema."""
    try:
        parse_schema(schema)
    except SchemaError as error:
        return str(error)
    return "accepted"


def recorded(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a case file as they are when the parser has its say."""
    for line in lines:
        if line.startswith(INDENT):
            continue
        yield line
        if line and not line.startswith("#"):
            yield from (INDENT + said for said in refusal(line).splitlines())


def test_refusals_are_as_recorded(update_cases: bool) -> None:
    """The message for each malformed schema is exactly the one in the case file."""
    text = CASES.read_text("utf-8")
    now = "\n".join(recorded(text.splitlines())) + "\n"
    if update_cases:
        CASES.write_text(now, "utf-8", newline="\n")
    else:
        assert now == text


def test_no_malformed_schema_is_accepted() -> None:
    """The case file holds well over seventy schemas, and each of them is refused."""
    lines = CASES.read_text("utf-8").splitlines()
    schemas = [line for line in lines if line and line[0] not in "# "]
    assert len(schemas) == len(set(schemas)) > 70
    assert [schema for schema in schemas if refusal(schema) == "accepted"] == []
