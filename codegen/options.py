"""The options of a run, as a ``pyproject.toml`` or a command line gives them.

Here it is only seen to that the options there are have the right kind of value.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from .from_torch import complete
from .problems import Problems, unknown

#: The configuration file that is looked for.
FILE: Final = "pyproject.toml"
COMMAND: Final = "keyslot codegen"

_TEXT: Final = "text"
_TEXTS: Final = "a list of texts"
_TABLE: Final = "a table of texts"
_FLAG: Final = "true or false"
_KINDS: Final[Mapping[str, str]] = {
    "namespace": _TEXT,
    "schemas": _TEXTS,
    "keys": _TEXT,
    "output": _TEXT,
    "package": _TEXT,
    "kernels": _TABLE,
    "rules": _TABLE,
    "tensor_methods": _FLAG,
    "torch": _FLAG,
    "native": _TEXT,
    "native_keys": _TABLE,
    "update": _TEXT,
}
_REQUIRED: Final = ("namespace", "schemas", "output")


@dataclass(frozen=True, slots=True)
class Options:
    """Options with values of the right kind, and where they come from."""

    values: Mapping[str, Any]
    #: What paths are relative to.
    root: Path
    #: What messages call the place of the options.
    origin: str
    #: The command that makes the output anew.
    command: str


def has_options(path: Path) -> bool:
    """Whether there is a configuration file with a ``[tool.keyslot]`` table."""
    try:
        return "keyslot" in tomllib.loads(path.read_text("utf-8")).get("tool", {})
    except (OSError, ValueError):
        return False


def read_options(path: Path, problems: Problems) -> Options | None:
    """Read the ``[tool.keyslot]`` table of a configuration file."""
    origin = f"{path.name}: [tool.keyslot]"
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except FileNotFoundError:
        problems.add_file(
            str(path),
            "there is no such file; run the command in the folder of a project, name"
            " its file with --config, or start a project with keyslot new",
        )
    except OSError as error:
        problems.add_file(str(path), f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        problems.add_file(str(path), f"is not UTF-8 text: byte {error.start} is wrong")
    except ValueError as error:  # a TOMLDecodeError, or a number beyond all bounds
        problems.add_file(str(path), f"not TOML: {error}")
    except RecursionError:
        problems.add_file(str(path), "is nested too deep")
    else:
        tools: Any = content.get("tool")
        is_table = isinstance(tools, dict)
        table = cast("dict[str, Any]", tools).get("keyslot") if is_table else None
        if not isinstance(table, dict):
            problems.add_file(str(path), "has no table [tool.keyslot]")
            return None
        values = complete(cast("dict[str, Any]", table), origin, problems)
        if _check(values, origin, problems):
            return Options(values, path.parent, origin, COMMAND)
    return None


def command_options(
    given: Mapping[str, str | list[str]], problems: Problems
) -> Options | None:
    """Return the options of a command line; its paths are relative to here."""
    origin = "command line"
    values = complete(given, origin, problems)
    if "kernels" in given:
        values["kernels"] = dict(_pairs(given["kernels"], origin, problems))
    _check(values, origin, problems)
    return None if problems else Options(values, Path(), origin, _command(given))


def _check(table: Mapping[str, Any], origin: str, problems: Problems) -> bool:
    before = len(problems)
    for option, value in table.items():
        if option not in _KINDS:
            problems.add_file(origin, unknown("option", option, _KINDS))
        elif _kind(value) != _KINDS[option]:
            problems.add_file(origin, f"{option!r} must be {_KINDS[option]}")
        elif isinstance(value, bool):
            continue
        elif "\0" in value or any("\0" in text for text in value):
            problems.add_file(origin, f"{option!r} holds the character U+0000")
    for option in _REQUIRED:
        if option not in table:
            problems.add_file(origin, f"missing option {option!r}")
    return len(problems) == before


def _kind(value: object) -> str:
    if isinstance(value, str):
        return _TEXT
    if isinstance(value, bool):
        return _FLAG
    if isinstance(value, list) and _are_texts(cast("list[object]", value)):
        return _TEXTS
    if isinstance(value, dict) and _are_texts(
        cast("dict[str, object]", value).values()
    ):
        return _TABLE
    return "something else"


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _pairs(
    words: Iterable[str], origin: str, problems: Problems
) -> Iterable[tuple[str, str]]:
    for word in words:
        key, equals, module = word.partition("=")
        if not equals:
            problems.add_file(origin, f"--kernels takes KEY=MODULE, not {word!r}")
        yield key, module


def _command(given: Mapping[str, str | list[str]]) -> str:
    """Return the command that was used, without what holds on one machine only."""
    words = COMMAND.split()
    for name, value in given.items():
        values = [value] if isinstance(value, str) else value
        words += [f"--{name}", *map(_portable, values)]
    return shlex.join(words)


def _portable(word: str) -> str:
    path = Path(word)
    if not path.is_absolute():
        return word
    inside = path.is_relative_to(Path.cwd())
    return path.relative_to(Path.cwd()).as_posix() if inside else path.name
