"""Errors of calls.

The facts are plain text and tuples of text, so that every error pickles; the message
is put together only when somebody reads it.
"""

from __future__ import annotations

from typing import NamedTuple

from .base import KeyslotError


class ArgumentFact(NamedTuple):
    """What dispatch saw of one argument."""

    #: The name of the argument.
    name: str
    #: The name of its type.
    type: str
    #: What it brought into the key set, or why it brought nothing.
    brought: str

    def __str__(self) -> str:
        return f"{self.name}: {self.type} ({self.brought})"


class CallFacts(NamedTuple):
    """The facts of a failed dispatch."""

    #: The qualified name of the operator, ``keyslot::mul.Tensor``.
    op: str
    #: Its schema.
    schema: str
    #: The arguments of the call.
    arguments: tuple[ArgumentFact, ...]
    #: Keys that the state adds to every call.
    included: tuple[str, ...]
    #: Keys that the state takes away from every call.
    excluded: tuple[str, ...]
    #: The keys of the call, highest first, fallthrough keys taken out.
    keys: tuple[str, ...]
    #: The key that was tried.
    key: str
    #: Keys at which the operator does have kernels, each with its site.
    kernels: tuple[str, ...]

    def lines(self) -> list[str]:
        """Return the facts, one in a line."""
        arguments = [f"  argument {fact}" for fact in self.arguments]
        return [
            f"  schema: {self.schema}",
            *(arguments or ["  no argument was inspected"]),
            f"  added by the state: {listed(self.included)}",
            f"  taken away by the state: {listed(self.excluded)}",
            f"  keys of the call: {listed(self.keys)}",
            f"  key tried: {self.key}",
            *_kernel_lines(self.kernels),
        ]


def listed(names: tuple[str, ...]) -> str:
    """Return names as messages list them."""
    return ", ".join(names) or "none"


def _kernel_lines(kernels: tuple[str, ...]) -> list[str]:
    if not kernels:
        return ["  kernels: none at any key"]
    return ["  kernels:", *(f"    {kernel}" for kernel in kernels)]


class DispatchError(KeyslotError):
    """Base class of the errors of a call that reaches no kernel."""

    _fields = ("facts", "hint")
    facts: CallFacts
    hint: str

    def headline(self) -> str:
        """Return the first line of the message."""
        raise NotImplementedError

    def message(self) -> str:
        lines = [self.headline(), *self.facts.lines()]
        return "\n".join([*lines, f"  what to do: {self.hint}"])


class NoKernelError(DispatchError, NotImplementedError):
    """No kernel and no backend fallback at the key that a call reached."""

    def headline(self) -> str:
        return f"{self.facts.op} has no kernel for {self.facts.key}"


class AmbiguousAutogradOtherError(DispatchError, RuntimeError):
    """A composite at AutogradOther while a backend behind that key has a kernel."""

    def headline(self) -> str:
        return (
            f"{self.facts.op} is ambiguous at {self.facts.key}: it has a composite"
            " kernel, and a backend that shares this key has a kernel of its own"
        )


class FallthroughError(DispatchError, NotImplementedError):
    """A call at a key that dispatch is told to pass over."""

    def headline(self) -> str:
        return f"{self.facts.op} passes over {self.facts.key}, which is a fallthrough"


class MixedBackendsError(KeyslotError, TypeError):
    """Arrays of several libraries in one call."""

    _fields = ("op", "schema", "arrays")
    op: str
    schema: str
    #: Backend and arguments that belong to it.
    arrays: tuple[tuple[str, str], ...]

    def message(self) -> str:
        backends = " and ".join(backend for backend, _ in self.arrays)
        lines = [f"  {backend}: {arguments}" for backend, arguments in self.arrays]
        return "\n".join(
            [
                f"{self.op} was given arrays of {backends} in one call",
                f"  schema: {self.schema}",
                *lines,
                "  what to do: convert them to arrays of one library, or register a"
                " kernel that takes both with mixed=True",
            ]
        )


class NoArrayError(KeyslotError, TypeError):
    """A call from whose arguments no backend can be told."""

    _fields = ("op", "schema", "arguments")
    op: str
    schema: str
    arguments: tuple[ArgumentFact, ...]

    def message(self) -> str:
        looked = [f"  argument {fact}" for fact in self.arguments]
        return "\n".join(
            [
                f"{self.op} found no array among its arguments",
                f"  schema: {self.schema}",
                *looked,
                "  what to do: pass at least one array; for a class of your own,"
                " register_array_type(cls, backend) says which backend it belongs to",
            ]
        )


class OverloadError(KeyslotError, TypeError):
    """Arguments that no overload takes."""

    _fields = ("op", "given", "refusals")
    op: str
    #: The arguments as given, ``self: numpy.ndarray``.
    given: tuple[str, ...]
    #: Schema of each overload and why it does not take them.
    refusals: tuple[tuple[str, str], ...]

    def message(self) -> str:
        given = ", ".join(self.given)
        if len(self.refusals) == 1:
            schema, why = self.refusals[0]
            return f"{self.op}({given}): {why}\n  schema: {schema}"
        lines = [f"  {schema}\n    {why}" for schema, why in self.refusals]
        return "\n".join([f"{self.op}({given}): no overload takes this", *lines])


class ArgumentValueError(KeyslotError, ValueError):
    """An argument whose value, not its type, cannot be used."""

    _fields = ("problem",)
    problem: str


class KeySetTypeError(KeyslotError, TypeError):
    """A redispatch with something that is no key set of the operator's space."""

    _fields = ("op", "given")
    op: str
    given: str

    def message(self) -> str:
        return (
            f"{self.op}.redispatch takes a key set of its own key space first,"
            f" not {self.given}; keyset.below(key) of the kernel's key set is usual"
        )


class KernelForError(KeyslotError, TypeError):
    """Types for which no one kernel is called with the arguments as they are."""

    _fields = ("op", "schema", "given")
    op: str
    schema: str
    given: str

    def message(self) -> str:
        return (
            f"{self.op}.kernel_for({self.given}): a call with these types converts its"
            f" arguments or looks at their values first, so it has no one kernel\n"
            f"  schema: {self.schema}\n  what to do: call the operator, or name the"
            " types that the kernel itself takes"
        )


class DispatchRecursionError(KeyslotError, RecursionError):
    """Operators that lead to each other without end under the Python dispatcher."""

    _fields = ("chain",)
    #: The calls that repeat, ``keyslot::square at CompositeImplicitAutograd``.
    chain: tuple[str, ...]

    def message(self) -> str:
        steps = "\n".join(f"  -> {step}" for step in self.chain)
        return (
            f"dispatch goes in a circle:\n{steps}\n  what to do: let one of these"
            " kernels redispatch below its own key, or register a kernel that does"
            " not call the others"
        )
