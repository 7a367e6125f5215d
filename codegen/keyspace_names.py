"""The names of a key space: backends, functionalities, groups and runtime keys.

Everything else in a key space is written in these names. Nothing here raises: what is
wrong is added to the problems, and reading goes on.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Container, Iterable
from typing import Final

from ..runtime.space import UNDEFINED
from .expect import (
    expect_list,
    expect_map,
    expect_text,
)
from .nodes import (
    Map,
    Node,
    Scalar,
)
from .problems import Problems, unknown, where

BACKEND: Final = "{backend}"
# Far above any real space; it bounds what a short file can ask for.
MAX_KEYS: Final = 4096

# Keys are attributes of every operator: the capital keeps them apart from its methods.
KEY_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9_]*", re.ASCII)
GROUP_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


class Names:
    """The names that a key space declares, each in order of priority."""

    __slots__ = (
        "problems",
        "backends",
        "functionalities",
        "groups",
        "keys",
        "_made_at",
        "_per_backend",
    )

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        #: Backend to where it is declared.
        self.backends: dict[str, Scalar] = {}
        #: Functionality to where it is declared.
        self.functionalities: dict[str, Scalar] = {}
        #: Group to its functionalities.
        self.groups: dict[str, list[str]] = {}
        #: Runtime key to its functionality and, if it has one, its backend.
        self.keys: dict[str, tuple[str, str | None]] = {UNDEFINED: (UNDEFINED, None)}
        self._made_at: dict[str, Scalar] = {}
        self._per_backend: set[str] = set()

    def is_per_backend(self, functionality: str) -> bool:
        """Whether a functionality has one key for each backend."""
        return functionality in self._per_backend

    def keys_of(
        self, functionalities: Container[str], without: Container[str | None] = ()
    ) -> tuple[str, ...]:
        """Return the runtime keys of functionalities, ``without`` some backends."""
        return tuple(
            key
            for key, (functionality, backend) in self.keys.items()
            if functionality in functionalities and backend not in without
        )

    def read_backends(self, node: Node) -> None:
        """Read the list of backends."""
        for item in expect_list(node, "'backends'", self.problems) or ():
            self._declare(item, "backend", self.backends)

    def read_functionalities(self, node: Node) -> None:
        """Read the list of functionalities and make their runtime keys."""
        for item in expect_list(node, "'functionalities'", self.problems) or ():
            if isinstance(item, Map) and len(item.entries) == 1:
                [(text, pattern)] = item.entries.items()
                name = item.keys[text]
                if self._declare(name, "functionality", self.functionalities):
                    self._make_keys(text, pattern)
            elif key := self._declare(item, "functionality", self.functionalities):
                self._add_key(key.text, key.text, None, key)

    def read_groups(self, node: Node) -> None:
        """Read the groups, names for functionalities that belong together."""
        groups = expect_map(node, "'groups'", self.problems)
        if groups is None:
            return
        for name, members in groups.entries.items():
            key = groups.keys[name]
            if not GROUP_NAME.fullmatch(name):
                message = f"{name!r} cannot be the name of a group: it takes letters,"
                self.problems.add(key, f"{message} digits and underscores")
            elif (taken := self.functionalities.get(name)) is not None:
                message = f"{name!r} already is a functionality, at {where(taken)}"
                self.problems.add(key, message)
            self.groups[name] = self.read_list(
                members, f"the group {name!r}", "functionality", self.functionalities
            )

    def read_list(
        self, node: Node, what: str, kind: str, known: Iterable[str]
    ) -> list[str]:
        """Read one name or a list of names: known ones, each of them once."""
        found: list[str] = []
        for item in self.read_items(node, what, kind):
            if item.text in known:
                found.append(item.text)
            else:
                self.problems.add(item, unknown(kind, item.text, known))
        return found

    def read_items(self, node: Node, what: str, kind: str) -> list[Scalar]:
        """Read one text or a list of texts, each of them once."""
        if isinstance(node, Scalar) and not node.is_null:
            return [node]
        found: dict[str, Scalar] = {}
        for item in expect_list(node, what, self.problems) or ():
            text = expect_text(item, f"a {kind}", self.problems)
            if text is None or not isinstance(item, Scalar):
                continue
            if (first := found.setdefault(text, item)) is not item:
                message = f"{text!r} is listed twice, first at {where(first)}"
                self.problems.add(item, message)
        return list(found.values())

    def check_alias(self, name: Scalar) -> None:
        """Report an alias key whose name cannot be one."""
        self._check_name(name, "alias key")
        if (taken := self._made_at.get(name.text)) is not None:
            message = f"the alias key {name.text!r} already is a runtime key, made at"
            self.problems.add(name, f"{message} {where(taken)}")

    def _declare(
        self, node: Node, kind: str, declared: dict[str, Scalar]
    ) -> Scalar | None:
        name = expect_text(node, f"a {kind}", self.problems)
        if name is None or not isinstance(node, Scalar):
            return None
        if (first := declared.get(name)) is not None:
            message = f"the {kind} {name!r} is declared twice, first at {where(first)}"
            self.problems.add(node, message)
            return None
        declared[name] = node
        return node if self._check_name(node, kind) else None

    def _check_name(self, node: Scalar, kind: str) -> bool:
        name = node.text
        a_kind = f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
        if name == UNDEFINED:
            message = f"{UNDEFINED!r} is a key of every space and cannot be declared"
        elif keyword.iskeyword(name):
            message = f"{name!r} is a word of Python and cannot be {a_kind}"
        elif not KEY_NAME.fullmatch(name):
            message = (
                f"{name!r} cannot be the name of {a_kind}: it takes a capital, then"
                " letters, digits and underscores"
            )
        else:
            return True
        self.problems.add(node, message)
        return False

    def _make_keys(self, functionality: str, pattern: Node) -> None:
        self._per_backend.add(functionality)
        what = f"the pattern of {functionality!r}"
        text = expect_text(pattern, what, self.problems)
        if text is None or not isinstance(pattern, Scalar):
            return
        if text.count(BACKEND) != 1 or not KEY_NAME.fullmatch(
            text.replace(BACKEND, "A")
        ):
            message = f"{what} must be a name with {BACKEND} in it, not {text!r}"
            self.problems.add(pattern, message)
        elif not self.backends:
            self.problems.add(pattern, f"{what} makes no keys: there are no backends")
        elif len(self.keys) + len(self.backends) > MAX_KEYS:
            self.problems.add(pattern, f"a key space has at most {MAX_KEYS} keys")
        else:
            for backend in self.backends:
                key = text.replace(BACKEND, backend)
                if not self._add_key(key, functionality, backend, pattern):
                    break  # the other backends would only repeat it

    def _add_key(
        self, key: str, functionality: str, backend: str | None, node: Scalar
    ) -> bool:
        if (first := self._made_at.get(key)) is not None:
            message = f"the key {key!r} is made twice, first at {where(first)}"
            self.problems.add(node, message)
            return False
        self._made_at[key] = node
        self.keys[key] = functionality, backend
        return True
