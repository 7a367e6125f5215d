"""Tell whether anything changed since the last run, without loading any of it.

The stamp is a digest of everything that a run depends on and of everything that it
made: declarations, configuration, the generator itself, and the files in the output
folder. Contents are compared, never times, so a fresh checkout is as good as old files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from ..runtime import space
from .config import Config
from .outputs import generated_files

_SOURCES: Final = (".py", ".jinja")


@dataclass(frozen=True, slots=True)
class Summary:
    """The operators in numbers, and what there is to warn of."""

    operators: int
    overloads: int
    kernels: int
    keys: int
    aliases: int
    warnings: tuple[str, ...]


def fingerprint() -> str:
    """Return a digest of the generator: its sources, templates and formatter."""
    # The folders need not lie side by side, and are not called the same everywhere.
    folders = (Path(__file__).parent, Path(space.__file__).parent)
    files = [file for folder in folders for file in _sources(folder)]
    return _digest([version("black"), *_contents(files)])


def make_state(config: Config, generator: str) -> str:
    """Return a digest of all that a run depends on and of all that it made."""
    keys = [config.keys, *config.native_keys.values()]
    table = [config.tensor_methods] if config.tensor_methods else []
    inputs = [*config.schemas, *config.tags, *keys, *table]
    made = sorted(generated_files(config.output))
    facts = [generator, repr(config), *_contents(file.path for file in inputs)]
    return _digest([*facts, *map(str, made), *_contents(made)])


def write_stamp(state: str, summary: Summary) -> bytes:
    """Return what to keep for the next run."""
    return json.dumps({"state": state, "summary": asdict(summary)}).encode()


def read_stamp(kept: bytes | None, state: str) -> Summary | None:
    """Return the summary of the last run if nothing has changed since."""
    try:
        content: Any = json.loads(kept or b"{}")
        if content["state"] != state:
            return None
        numbers: dict[str, Any] = content["summary"]
        numbers["warnings"] = tuple(numbers["warnings"])
        return Summary(**numbers)
    except (ValueError, KeyError, TypeError):
        return None


def _sources(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in _SOURCES)


def _contents(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        try:
            yield _digest_bytes(path.read_bytes())
        except OSError:
            yield "missing"


def _digest(facts: Iterable[str]) -> str:
    return _digest_bytes("\0".join(facts).encode())


def _digest_bytes(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
