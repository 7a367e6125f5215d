"""Explanations: the whole decision for one call, as data that prints as a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .cells import CellFacts, cell_facts, places
from .errors.calls import listed
from .handlers import Refusal, is_mixed, mixed_backends_error
from .keyed_dispatch import carried_bits, plain_bits

if TYPE_CHECKING:
    from .calls import GeneralCalls
    from .errors import ArgumentFact, KeyslotError, MixedBackendsError
    from .given import Given
    from .route import Route
    from .state import Setting

#: What the report calls the keys of kernels that are left out.
_DISABLED: Final = "switched off by disable_kernel, the kernels at"

#: What it calls those of kernels that have nothing to record.
_UNRECORDED: Final = "passed over (no argument records gradients)"


class Explanation(NamedTuple):
    """The decision for one call; prints as a report."""

    #: The overload that is called.
    op: str
    #: Its schema.
    schema: str
    #: Every overload in the order in which they are tried, with how it was judged.
    ranking: tuple[tuple[str, str], ...]
    #: What each Tensor argument brought.
    arguments: tuple[ArgumentFact, ...]
    #: Keys the arguments brought, highest first.
    brought: tuple[str, ...]
    #: Keys the state adds.
    included: tuple[str, ...]
    #: Keys the state takes away.
    excluded: tuple[str, ...]
    #: Keys of the call that are passed over.
    fallthrough: tuple[str, ...]
    #: Keys left, highest first.
    keys: tuple[str, ...]
    #: Whether the Python dispatcher is on.
    python_dispatcher: bool
    #: Keys whose kernels of this overload `disable_kernel` takes away.
    disabled: tuple[str, ...]
    #: What the call reaches.
    chosen: CellFacts
    #: Why the call is refused there all the same, if it is.
    refusal: str | None
    #: The message of the error that the call ends in, if it does.
    error: str | None
    #: What it would reach without the chosen key, and without that one, and so on.
    runners_up: tuple[CellFacts, ...]
    #: Keys whose kernels record gradients, of a call in which nothing has any.
    unrecorded: tuple[str, ...] = ()

    @property
    def runner_up(self) -> CellFacts | None:
        """What the call would reach without the chosen key; None if nothing is left."""
        return self.runners_up[0] if self.runners_up else None

    def __str__(self) -> str:
        ranking = [f"  {name}: {verdict}" for name, verdict in self.ranking]
        arguments = [f"  {fact}" for fact in self.arguments]
        python = "on, before every key" if self.python_dispatcher else "off"
        runners_up = [f"runner-up: {cell}" for cell in self.runners_up]
        return "\n".join(
            [
                f"{self.op}",
                f"schema: {self.schema}",
                "overloads:",
                *ranking,
                "arguments:",
                *(arguments or ["  none that could bring a key"]),
                f"keys brought: {listed(self.brought)}",
                f"added by the state: {listed(self.included)}",
                f"taken away by the state: {listed(self.excluded)}",
                f"passed over (fallthrough): {listed(self.fallthrough)}",
                *(
                    [f"{_UNRECORDED}: {listed(self.unrecorded)}"]
                    * bool(self.unrecorded)
                ),
                f"keys of the call: {listed(self.keys)}",
                f"Python dispatcher: {python}",
                *([f"{_DISABLED}: {listed(self.disabled)}"] if self.disabled else []),
                f"chosen: {self.chosen}",
                *([f"refused: {self.refusal}"] if self.refusal else []),
                *(runners_up or ["runner-up: none"]),
            ]
        )

    def _repr_html_(self) -> str:
        from .notebook import explanation_html

        return explanation_html(self)


def explain(op: Any, /, *args: Any, **kwargs: Any) -> Explanation:
    """Return the whole decision for one call of an operator or overload.

    Prints as a report: the overloads and how they fit, the keys of each argument, the
    state, the key that is chosen, its kernel, why, where it was registered, and what
    would be next. The call itself is not made.
    """
    found: Explanation = op.explain(*args, **kwargs)
    return found


def explain_call(
    calls: GeneralCalls, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Explanation:
    """Return the decision for a call of these arguments in the current state."""
    ranking = calls.ranking(calls.describe(args, kwargs), tuple(kwargs))
    route = calls.route(args, kwargs)
    carried = carried_bits(route, (*args, *kwargs.values()))
    return _explain_route(route, ranking, carried)


def explain_types(
    calls: GeneralCalls, given: tuple[Given, ...], names: tuple[str, ...] = ()
) -> Explanation:
    """Return the decision for a call with arguments of these types.

    The last ones are given by ``names``. What only values tell is left open: whether an
    array has no dimensions, and so gives way where two libraries meet, and the keys
    that an array carries by itself.

    Raises OverloadError, or NoArrayError.
    """
    return _explain_route(calls.route_of(given, names), calls.ranking(given, names))


def _explain_route(
    route: Route, ranking: tuple[tuple[str, str], ...], carried: int = 0
) -> Explanation:
    """Explain a call; ``carried`` are bits that arrays carry which have their own."""
    op = route.op
    dispatcher = op.dispatcher
    setting = dispatcher.state.get().setting
    table = op.table_for(setting)
    brought = carried | route.bits
    bits = setting.keys(brought) & dispatcher.dispatch_bits
    usable = _usable(route, carried)
    # The cell of no key at all comes into it only where no key is left.
    first, *others = places(usable) or [0]
    chosen = cell_facts(op, table, first)
    refused = is_mixed(route, bits) and not op.takes_mixed(setting, first)
    mixed = mixed_backends_error(route, bits) if refused else None
    error = mixed or _error(route, setting, usable, chosen)
    return Explanation(
        op.name,
        op.schema_text,
        ranking,
        route.brought.facts,
        dispatcher.key_names(brought),
        *dispatcher.state_keys(setting),
        dispatcher.key_names(bits & ~table.mask),
        dispatcher.key_names(usable),
        setting.python,
        tuple(sorted(setting.disabled_keys(op))),
        chosen,
        None if mixed is None else _refusal(mixed),
        None if error is None else str(error),
        tuple(cell_facts(op, table, place) for place in others),
        dispatcher.key_names(bits & table.mask & ~usable),
    )


def _usable(route: Route, carried: int) -> int:
    """Return the bits of the keys that a call may reach."""
    dispatcher = route.op.dispatcher
    setting = dispatcher.state.get().setting
    bits = setting.keys(carried | route.bits) & dispatcher.dispatch_bits
    plain = plain_bits(route, setting, carried) if route.is_keyed else bits
    return route.op.table_for(setting).usable(bits, plain)


def _error(
    route: Route, setting: Setting, bits: int, chosen: CellFacts
) -> KeyslotError | None:
    """Return the error that a call would raise before any kernel runs."""
    if chosen.kind in ("kernel", "fallback"):
        return None
    refusal = Refusal(route.op, chosen.key, chosen.kind)
    return refusal.error(setting, bits, route.brought.facts)


def _refusal(mixed: MixedBackendsError) -> str:
    backends = " and ".join(backend for backend, _ in mixed.arrays)
    return f"it does not take arrays of {backends} in one call"
