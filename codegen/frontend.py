"""From files to the checked operators: everything before a line of output is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..runtime.errors import UnknownKeyError
from ..runtime.library import RESERVED
from ..runtime.space import KeySpace
from .check import check_declarations, check_overloads
from .checking import Checking
from .config import Config
from .keyspace import load_keyspace
from .loader import Loaded, load_declarations, load_tags
from .model import Operators
from .overloads import Settings, make_overloads, make_packets
from .problems import Problems
from .values import unknown_key


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong, and what merely looks so."""

    problems: Problems
    warnings: Problems


def load_operators(config: Config, findings: Findings) -> Operators | None:
    """Read and check everything; None if there is any problem."""
    problems = findings.problems
    space = load_keyspace(config.keys.path, config.keys.name, problems)
    if space is None:
        return None
    native_spaces = _native_spaces(config, problems)
    for message in _why_not(config, space):
        problems.add_file(config.origin, message)
    tags: dict[str, str] = {}
    for file in config.tags:
        tags.update(load_tags(file, problems))
    loaded = Loaded([], set())
    for file in config.schemas:
        loaded.extend(load_declarations(file, config.namespace, space, tags, problems))
    checking = Checking(
        problems, findings.warnings, space, loaded.left_out, tags.keys()
    )
    declarations = check_declarations(loaded.declarations, checking)
    settings = Settings(space, config.kernels, config.rules)
    overloads = make_overloads(declarations, settings)
    check_overloads(overloads, checking, torch=config.torch)
    if problems:
        return None
    packets = make_packets(overloads)
    return Operators(
        config.namespace, space, packets, native_spaces, torch=config.torch
    )


def _native_spaces(config: Config, problems: Problems) -> dict[str, KeySpace]:
    spaces: dict[str, KeySpace] = {}
    for name, file in config.native_keys.items():
        space = load_keyspace(file.path, file.name, problems)
        if space is not None:
            spaces[name] = space
    return spaces


def _why_not(config: Config, space: KeySpace) -> Iterator[str]:
    if config.namespace in RESERVED:
        yield f"the namespace {config.namespace!r} is reserved"
    for key in config.kernels:
        try:
            space.check(key, alias_ok=True)
        except UnknownKeyError:
            yield f"kernels: {unknown_key(key, space)}"
