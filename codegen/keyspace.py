"""Read a key space from YAML.

The format is explained in docs/keys.md; schemas/keys.yaml is the example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..runtime.nearest import nearest
from ..runtime.space import KeySpace
from .expect import (
    expect_fields,
    expect_map,
    expect_text,
)
from .keyspace_kernels import read_fallbacks, read_rules
from .keyspace_names import Names
from .keyspace_selection import select, select_some
from .nodes import (
    Node,
    Scalar,
    parse_yaml,
    read_yaml,
)
from .problems import Problems, unknown, where

REQUIRED: Final = ("name", "functionalities")
OPTIONAL: Final = (
    "backends",
    "groups",
    "aliases",
    "autograd",
    "autograd_other",
    "fallthrough",
    "fallbacks",
    "rules",
    "included",
    "excluded",
    "array_types",
    "scalar_types",
    "array_functionalities",
    "default_backend",
)
CLASS: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def load_keyspace(path: Path, file: str, problems: Problems) -> KeySpace | None:
    """Read the key space in a file; ``file`` is its name in messages.

    Returns None where the file has problems, which are added to ``problems``.
    """
    before = len(problems)
    space = _read(read_yaml(path, file, problems), problems)
    return space if len(problems) == before else None


def parse_keyspace(text: str, file: str, problems: Problems) -> KeySpace | None:
    """Read a key space from YAML text; ``file`` is its name in messages."""
    before = len(problems)
    space = _read(parse_yaml(text, file, problems), problems)
    return space if len(problems) == before else None


def _read(root: Node | None, problems: Problems) -> KeySpace | None:
    fields = None if root is None else expect_map(root, "a key space", problems)
    if fields is None:
        return None
    expect_fields(fields, "a key space", problems, required=REQUIRED, optional=OPTIONAL)
    return _Reader(fields.entries, Names(problems)).space()


class _Reader:
    """Reads the fields of one key space, its names before what is said with them."""

    __slots__ = ("fields", "names", "problems", "classes")

    def __init__(self, fields: dict[str, Node], names: Names) -> None:
        self.fields = fields
        self.names = names
        self.problems = names.problems
        #: Classes of arrays and scalars to where they are listed.
        self.classes: dict[str, Scalar] = {}

    def space(self) -> KeySpace:
        """Return the key space; it is worth something if no problem was found."""
        names = self.names
        for field, read in (
            ("backends", names.read_backends),
            ("functionalities", names.read_functionalities),
            ("groups", names.read_groups),
        ):
            if field in self.fields:
                read(self.fields[field])
        autograd = self.autograd()
        other = self.autograd_other(autograd)
        aliases = self.aliases()
        fallthrough = self.selection("fallthrough")
        return KeySpace(
            name=self.name(),
            keys=tuple(names.keys),
            backends=tuple(names.backends),
            functionality_of={key: made[0] for key, made in names.keys.items()},
            backend_of={key: made[1] for key, made in names.keys.items() if made[1]},
            aliases=aliases,
            autograd_backends=autograd,
            autograd_other=other,
            behind_autograd_other=autograd.get(other, ()) if other else (),
            fallthrough=fallthrough,
            fallbacks=read_fallbacks(self.map("fallbacks"), names, fallthrough),
            rules=read_rules(self.map("rules"), names, aliases),
            included=self.selection("included"),
            excluded=self.excluded(),
            array_types=self.types("array_types"),
            scalar_types=self.types("scalar_types"),
            array_functionalities=self.array_functionalities(),
            default_backend=self.default_backend(),
        )

    def name(self) -> str:
        return self.text("name") or ""

    def text(self, field: str) -> str | None:
        node = self.fields.get(field)
        return None if node is None else expect_text(node, repr(field), self.problems)

    def map(self, field: str) -> Iterator[tuple[Scalar, Node]]:
        """Yield the entries of a field that is a mapping, keys as nodes."""
        node = self.fields.get(field)
        entries = None if node is None else expect_map(node, repr(field), self.problems)
        if entries is not None:
            yield from zip(entries.keys.values(), entries.entries.values(), strict=True)

    def selection(self, field: str) -> tuple[str, ...]:
        node = self.fields.get(field)
        return select(node, repr(field), self.names) if node else ()

    def aliases(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name, node in self.map("aliases"):
            self.names.check_alias(name)
            what = f"the alias key {name.text!r}"
            found[name.text] = select_some(node, what, "expands to nothing", self.names)
        return found

    def autograd(self) -> dict[str, tuple[str, ...]]:
        """Return, for each autograd key, the backend keys that it stands for."""
        names = self.names
        found: dict[str, tuple[str, ...]] = {}
        for name, node in self.map("autograd"):
            if name.text not in names.functionalities:
                message = unknown("functionality", name.text, names.functionalities)
                self.problems.add(name, message)
                continue
            what = f"the autograd functionality {name.text!r}"
            behind = select_some(node, what, "stands for no key", names)
            if not names.is_per_backend(name.text):
                found[name.text] = behind
                continue
            found.update(self.pair(name.text, behind))
            if alone := [key for key in behind if names.keys[key][1] is None]:
                message = f"{what} has a key per backend, {alone[0]!r} is of no backend"
                self.problems.add(node, message)
        return found

    def pair(
        self, functionality: str, behind: tuple[str, ...]
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each autograd key with those of ``behind`` that have its backend."""
        keys = self.names.keys
        for autograd in self.names.keys_of((functionality,)):
            same = tuple(key for key in behind if keys[key][1] == keys[autograd][1])
            if same:
                yield autograd, same

    def autograd_other(self, autograd: dict[str, tuple[str, ...]]) -> str | None:
        name = self.text("autograd_other")
        made = self.names.keys.items()
        single = [k for k, (_, backend) in made if k in autograd and backend is None]
        if name is not None and name not in single:
            message = "'autograd_other' must be a single key that 'autograd' lists, not"
            hint = nearest(name, single)
            node = self.fields["autograd_other"]
            self.problems.add(node, f"{message} {name!r}.{hint}")
        return name

    def default_backend(self) -> str | None:
        name = self.text("default_backend")
        if name is not None:
            self.known_backend(name, self.fields["default_backend"])
        return name

    def known_backend(self, name: str, node: Node) -> None:
        if name not in self.names.backends:
            message = unknown("backend", name, self.names.backends)
            self.problems.add(node, message)

    def excluded(self) -> tuple[str, ...]:
        excluded = self.selection("excluded")
        both = [key for key in excluded if key in self.selection("included")]
        if both:
            message = f"{both[0]!r} is both included and excluded"
            self.problems.add(self.fields["excluded"], message)
        return excluded

    def types(self, field: str) -> dict[str, str]:
        """Return the backend of each class in 'array_types' or 'scalar_types'."""
        backend_of: dict[str, str] = {}
        for backend, node in self.map(field):
            self.known_backend(backend.text, backend)
            what = f"{field!r} of {backend.text!r}"
            for item in self.names.read_items(node, what, "class"):
                self.check_class(item)
                backend_of[item.text] = backend.text
        return backend_of

    def check_class(self, item: Scalar) -> None:
        if not CLASS.fullmatch(item.text):
            self.problems.add(item, f"{item.text!r} is no class: write module:name")
        elif (first := self.classes.setdefault(item.text, item)) is not item:
            message = (
                f"the class {item.text!r} is listed twice, first at {where(first)}"
            )
            self.problems.add(item, message)

    def array_functionalities(self) -> tuple[str, ...]:
        field = "array_functionalities"
        node = self.fields.get(field)
        if node is None:
            return ()
        known = self.names.functionalities
        found = self.names.read_list(node, repr(field), "functionality", known)
        for name in found:
            if not self.names.is_per_backend(name):
                message = f"the functionality {name!r} has no key for each backend"
                self.problems.add(node, message)
        return tuple(found)
