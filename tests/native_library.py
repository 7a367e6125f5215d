"""A library that dispatches by itself, small enough for tests: what PyTorch is to aten.

Its arrays have a set of keys each, its state is one include and one exclude set, and
its words are the bits of the key space shifted by one, so that whoever mixes them up is
found out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from keyslot.codegen.keyspace import parse_keyspace
from keyslot.codegen.problems import Problems
from keyslot.runtime.errors import NativeOperatorError
from keyslot.runtime.kernel import Kernel, Site, fallthrough
from keyslot.runtime.keys import KeyEnum
from keyslot.runtime.keyset import KeySet
from keyslot.runtime.native import NativeOverload
from keyslot.runtime.native_cache import NativeCache
from keyslot.runtime.native_dispatcher import NativeDispatcher
from keyslot.runtime.native_packet import NativePacket

KEYS = """\
name: shop
backends: [Near, Far]
functionalities:
  - Dense: "{backend}"
  - Counted
  - Autograd: "Autograd{backend}"
  - Front
  - PythonDispatcher
aliases:
  CompositeImplicitAutograd: [Dense, Autograd]
  Autograd: [Autograd]
autograd:
  Autograd: [Dense]
"""
SITE = Site("shop.c", 1, "shop")


class Thing:
    """An array of the library."""

    def __init__(self, *keys: str) -> None:
        self.keys = keys


class Shop:
    """The library: kernels by operator and key, each a function."""

    def __init__(self, dispatcher: NativeDispatcher) -> None:
        self.dispatcher = dispatcher
        self.kernels: dict[str, dict[str, Callable[..., Any]]] = {}
        self.own_fallbacks: dict[str, Callable[..., Any]] = {}
        self.included = self.excluded = 0
        self.calls: list[str] = []
        #: The operators that it has been told of, whose Python kernels it asks for.
        self.known: dict[str, NativeOverload] = {}

    def operator(self, op: NativeOverload) -> ShopOperator:
        if op.name not in self.kernels:
            raise NativeOperatorError(op.name, "the shop has no such operator")
        self.known[op.name] = op
        return ShopOperator(self, op.name)

    def packet(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            overload = self.overload_for(name, args, kwargs)
            full = name if overload == "default" else f"{name}.{overload}"
            return self.call(full, *args, **kwargs)

        return call

    def overload_for(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> str:
        return "two" if len(args) + len(kwargs) == 2 else "default"

    def fallbacks(self) -> Mapping[str, Kernel]:
        return {key: self.kernel(key, f) for key, f in self.own_fallbacks.items()}

    def kernel(self, key: str, function: Callable[..., Any]) -> Kernel:
        """Return a kernel as the library lists it: its key, or a fallthrough."""
        member = self.dispatcher.key_member(key)
        return Kernel(fallthrough if function is fallthrough else member, key, SITE)

    def brought(self, values: tuple[Any, ...]) -> int:
        space = self.dispatcher.space
        keys = [key for value in leaves(values) for key in getattr(value, "keys", ())]
        return space.bits(keys) << 1

    def is_overridden(self, values: tuple[Any, ...]) -> bool:
        return any(isinstance(value, Stubborn) for value in leaves(values))

    def has_numbers(self, values: tuple[Any, ...]) -> bool:
        return any(isinstance(value, int) for value in leaves(values))

    def checks(self, values: tuple[Any, ...]) -> Any:
        """Return functions that compare keys; none where a list is among the values."""
        if any(isinstance(value, list) for value in values):
            return None
        state = self.included, self.excluded
        return tuple(partial(self.is_same, state, value) for value in values)

    def is_same(self, state: tuple[int, int], one: Any, other: Any) -> bool:
        same = getattr(one, "keys", None) == getattr(other, "keys", ())
        return same and self.state() == state

    def state(self) -> tuple[int, int]:
        return self.included, self.excluded

    def bits(self, word: int) -> int:
        return word >> 1

    @contextmanager
    def set(self, included: int, excluded: int) -> Generator[None]:
        """Have another state for a while."""
        before = self.included, self.excluded
        self.included, self.excluded = included, excluded
        try:
            yield
        finally:
            self.included, self.excluded = before

    def python_dispatcher(self, enabled: bool) -> Any:
        word = self.dispatcher.space.bit("PythonDispatcher") << 1
        on, off = self.included | word, self.included & ~word
        return self.set(on if enabled else off, self.excluded)

    def including(self, keys: tuple[str, ...]) -> Any:
        word = self.dispatcher.space.bits(keys) << 1
        return self.set(self.included | word, self.excluded & ~word)

    def excluding(self, keys: tuple[str, ...]) -> Any:
        word = self.dispatcher.space.bits(keys) << 1
        return self.set(self.included, self.excluded | word)

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Dispatch natively: the highest key with a kernel of its own."""
        self.calls.append(f"{name} natively")
        word = (
            self.brought((*args, *kwargs.values())) | self.included
        ) & ~self.excluded
        names = self.key_names(word)
        held = dict(self.kernels[name])
        if "PythonDispatcher" in names and name in self.known:
            python = self.known[name].tables.python_kernels
            held |= {key: kernel.function for key, kernel in python.items()}
        for key in names:
            if held.get(key, fallthrough) is not fallthrough:
                return held[key](*args, **kwargs)
        raise LookupError(f"the shop cannot run {name}")

    def key_names(self, word: int) -> tuple[str, ...]:
        return self.dispatcher.key_names(self.bits(word))


class Stubborn(Thing):
    """An array of a class that has its say before any dispatch."""


class ShopOperator:
    """One operator of the library."""

    def __init__(self, shop: Shop, name: str) -> None:
        self.shop = shop
        self.name = name
        self.call = partial(shop.call, name)

    def at(self, key: str) -> Callable[..., Any]:
        held = self.shop.kernels[self.name].get(key) or self.shop.own_fallbacks[key]

        def run(*args: Any, **kwargs: Any) -> Any:
            self.shop.calls.append(f"{self.name} at {key}")
            return held(*args, **kwargs)

        return run

    def dispatch(self, keys: tuple[str, ...]) -> Callable[..., Any] | None:
        held = self.shop.kernels[self.name].get(keys[0])
        if held is None:
            return None

        def run(*args: Any, **kwargs: Any) -> Any:
            self.shop.calls.append(f"{self.name} below {keys[0]}")
            return held(*args, **kwargs)

        return run

    def deferred(self, key: str) -> Callable[..., Any] | None:
        return partial(self.shop.call, self.name) if key == "Front" else None

    def kernels(self) -> Mapping[str, Kernel]:
        held = self.shop.kernels[self.name]
        return {key: self.shop.kernel(key, function) for key, function in held.items()}

    def python_kernels(self) -> Mapping[str, Kernel]:
        return {}

    def forget(self) -> None:
        self.shop.calls.append(f"{self.name} forgets")


def leaves(values: tuple[Any, ...]) -> list[Any]:
    """Return the values, and the items of lists among them."""
    found: list[Any] = []
    for value in values:
        found += value if isinstance(value, list) else [value]
    return found


def open_shop() -> Shop:
    """Return a library of its own, with a key space and a dispatcher."""
    problems = Problems()
    space = parse_keyspace(KEYS, "shop.yaml", problems)
    assert space is not None, str(problems)
    make_enum: Any = KeyEnum
    key_type = make_enum("Key", {name: name for name in (*space.keys, *space.aliases)})
    attributes = {"__slots__": (), "space": space, "key_type": key_type}
    keyset_type: type[KeySet[Any]] = type("Keys", (KeySet,), attributes)
    dispatcher = NativeDispatcher(space, keyset_type)
    slots = {"__slots__": space.keys, "dispatcher": dispatcher}
    type("ShopOverload", (NativeOverload,), slots)
    shop = Shop(dispatcher)
    dispatcher.connect(shop)
    return shop


def overload(shop: Shop, schema: str, **kernels: Any) -> Any:
    """Return an overload of the library with these kernels, as if generated."""
    name = schema.partition("(")[0]
    shop.kernels[f"shop::{name}"] = kernels
    attributes = {
        "__slots__": (),
        "namespace": "shop",
        "schema_text": schema,
        "origin": "shop.yaml",
        "cache": NativeCache(),
    }
    made: Any = type(name, (shop.dispatcher.overload_type,), attributes)
    return made()


def packet(*overloads: Any) -> Any:
    """Return an operator function in front of overloads, as if generated."""

    def operator(*args: Any, **kwargs: Any) -> Any:
        return made.call(args, kwargs)

    made = NativePacket(operator, overloads)
    return operator
