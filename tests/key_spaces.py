"""A second key space for tests: PyTorch's own, beside that of keyslot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from keyslot import Library, OpOverload
from keyslot.codegen.keyspace import load_keyspace
from keyslot.codegen.problems import Problems
from keyslot.runtime.dispatcher import Dispatcher
from keyslot.runtime.keys import KeyEnum
from keyslot.runtime.keyset import KeySet
from keyslot.runtime.space import KeySpace

ROOT = Path(__file__).parent.parent


def load_torch_space() -> KeySpace:
    """Return PyTorch's key space as keyslot declares it."""
    problems = Problems()
    file = "schemas/torch/keys.yaml"
    space = load_keyspace(ROOT / file, file, problems)
    assert space is not None, str(problems)
    return space


def torch_space() -> tuple[Dispatcher, type[Library], Any]:
    """Make PyTorch's key space, with a dispatcher and a Library of its own."""
    space = load_torch_space()
    members = {name: name for name in (*space.keys, *space.aliases)}
    make_enum: Any = KeyEnum
    key_type = make_enum("TorchKey", members)
    keyset_type = type(
        "TorchKeySet",
        (KeySet,),
        {"__slots__": (), "space": space, "key_type": key_type},
    )
    dispatcher = Dispatcher(space, keyset_type)
    type("Overload", (OpOverload,), {"__slots__": space.keys, "dispatcher": dispatcher})
    library = type("TorchLibrary", (Library,), {"dispatcher": dispatcher})
    return dispatcher, library, keyset_type
