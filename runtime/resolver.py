"""The dispatch table: what an operator runs at a key, and why.

One pure function resolves one cell. It reads names only: at which keys and alias
keys the operator has kernels, and which keys have a backend fallback. What is
registered there is the caller's business.

The order is that of PyTorch's dispatcher (``OperatorEntry``, "computing the dispatch
table"), and is held against it in tests/oracle. Alias keys are tried in the order in
which the key space declares them; three of them have a rule of their own:

- the composites also serve ``Undefined``, the key of a call without any keys;
- CompositeImplicitAutograd gives way where the backend behind an autograd key has a
  kernel, because that kernel has to be differentiated, not the composition;
- at AutogradOther, behind which several backends hide, one of them having a kernel
  makes CompositeImplicitAutograd ambiguous.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final, Literal, NamedTuple

from .space import UNDEFINED, KeySpace, NamedKey

EXPLICIT: Final = "CompositeExplicitAutograd"
IMPLICIT: Final = "CompositeImplicitAutograd"
SERVE_UNDEFINED: Final = ("CompositeExplicitAutogradNonFunctional", EXPLICIT, IMPLICIT)


class Resolution(NamedTuple):
    """What one cell of a dispatch table holds."""

    kind: Literal["kernel", "fallback", "ambiguous", "missing"]
    #: The key or alias key whose registration or fallback is used, if any is.
    source: str | None
    #: Why, as the inside of a sentence.
    reason: str


def resolve(
    space: KeySpace,
    registered: Container[str],
    fallbacks: Container[str],
    key: str | NamedKey,
) -> Resolution:
    """Resolve one cell of an operator's dispatch table.

    ``registered`` names the keys and alias keys at which the operator has a kernel,
    ``fallbacks`` the keys that have a backend fallback.

    Raises UnknownKeyError, or AliasKeyError where ``key`` is an alias key: tables
    have cells for runtime keys only.
    """
    return _resolve(space, registered, fallbacks, space.check(key))


def resolve_table(
    space: KeySpace, registered: Container[str], fallbacks: Container[str]
) -> tuple[Resolution, ...]:
    """Resolve every cell of an operator's dispatch table, in the order of the keys."""
    return tuple(_resolve(space, registered, fallbacks, key) for key in space.keys)


def aliases_serving(space: KeySpace, key: str) -> tuple[str, ...]:
    """Return the alias keys whose kernels may serve a runtime key, first wins."""
    if key != UNDEFINED:
        return space.aliases_of(key)
    return tuple(alias for alias in space.aliases if alias in SERVE_UNDEFINED)


def _resolve(
    space: KeySpace, registered: Container[str], fallbacks: Container[str], key: str
) -> Resolution:
    if key in registered:
        return Resolution("kernel", key, f"a kernel is registered at {key} itself")
    passed_over = ""
    for alias in aliases_serving(space, key):
        if alias not in registered:
            continue
        if alias == IMPLICIT:
            if hidden := _behind_autograd_other(space, registered, key):
                return _ambiguous(key, hidden)
            if backend := _backend_kernel(space, registered, key):
                passed_over = f"; {IMPLICIT} gives way to the kernel at {backend}"
                continue
        return Resolution("kernel", alias, f"{alias} serves {key}{passed_over}")
    if key in fallbacks:
        reason = f"no kernel serves {key}, whose backend fallback steps in{passed_over}"
        return Resolution("fallback", key, reason)
    reason = f"no kernel serves {key}, which has no backend fallback{passed_over}"
    return Resolution("missing", None, reason)


def _ambiguous(key: str, hidden: str) -> Resolution:
    reason = (
        f"{IMPLICIT} serves {key}, but {hidden}, one of the backends behind {key}, has"
        " a kernel of its own"
    )
    return Resolution("ambiguous", None, reason)


def _behind_autograd_other(
    space: KeySpace, registered: Container[str], key: str
) -> str | None:
    """Return a key behind AutogradOther that has a kernel, asked for that key only."""
    if key != space.autograd_other:
        return None
    return next((k for k in space.behind_autograd_other if k in registered), None)


def _backend_kernel(
    space: KeySpace, registered: Container[str], key: str
) -> str | None:
    """Return the registration that counts as a backend kernel for an autograd key."""
    for backend_key in space.autograd_backends.get(key, ()):
        if backend_key in registered:
            return backend_key
    return EXPLICIT if EXPLICIT in registered else None
