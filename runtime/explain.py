"""Explanations: the whole decision for one call, and a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from .errors.calls import listed
from .resolver import resolve
from .trace import kernel_name

if TYPE_CHECKING:
    from .calls import GeneralCalls
    from .errors import ArgumentFact
    from .op import OpOverload
    from .route import Route
    from .space import NamedKey
    from .table import DispatchTable


class CellFacts(NamedTuple):
    """What one key of an operator leads to."""

    #: The runtime key.
    key: str
    #: ``kernel``, ``fallback``, ``fallthrough``, ``ambiguous`` or ``missing``.
    kind: str
    #: The key or alias key that supplies it.
    source: str | None
    #: The kernel, as ``module:name``.
    kernel: str | None
    #: Where it was registered.
    site: str | None
    #: Why this and no other.
    reason: str

    def __str__(self) -> str:
        if self.kernel is None or self.kind == "fallthrough":
            return f"{self.key}: {self.kind} ({self.reason})"
        return f"{self.key}: {self.kernel} from {self.site} ({self.reason})"


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
    #: What the call reaches.
    chosen: CellFacts
    #: Why the call is refused there all the same, if it is.
    refusal: str | None
    #: What it would reach without the chosen key; None if nothing is left.
    runner_up: CellFacts | None

    def __str__(self) -> str:
        ranking = [f"  {name}: {verdict}" for name, verdict in self.ranking]
        arguments = [f"  {fact}" for fact in self.arguments]
        python = "on, before every key" if self.python_dispatcher else "off"
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
                f"keys of the call: {listed(self.keys)}",
                f"Python dispatcher: {python}",
                f"chosen: {self.chosen}",
                *([f"refused: {self.refusal}"] if self.refusal else []),
                f"runner-up: {self.runner_up or 'none'}",
            ]
        )


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
    route = calls.route(args, kwargs)
    op = route.op
    dispatcher = op.dispatcher
    setting = dispatcher.state.get().setting
    table = op.table_for(setting)
    bits = setting.keys(route.bits) & dispatcher.dispatch_bits
    usable = bits & table.mask
    place = usable.bit_length()
    rest = usable & ~(1 << place >> 1)
    return Explanation(
        op.name,
        op.schema_text,
        calls.ranking(args, kwargs),
        route.brought.facts,
        dispatcher.key_names(route.bits),
        *dispatcher.state_keys(setting),
        dispatcher.key_names(bits & ~table.mask),
        dispatcher.key_names(usable),
        setting.python,
        cell_facts(op, table, place),
        _refusal(route, op.takes_mixed(setting, place)),
        cell_facts(op, table, rest.bit_length()) if rest else None,
    )


def _refusal(route: Route, takes_mixed: bool) -> str | None:
    backends = sorted(route.brought.backends)
    if len(backends) < 2 or takes_mixed:
        return None
    return f"it does not take arrays of {' and '.join(backends)} in one call"


def cell_facts(op: OpOverload, table: DispatchTable, place: int) -> CellFacts:
    """Return what one cell of a table leads to, and why."""
    space = op.dispatcher.space
    key, (kind, source) = space.keys[place], table.cells[place]
    reason = resolve(space, table.kernels, table.fallbacks, key).reason
    kernel = table.kernel(place)
    if kernel is None:
        return CellFacts(key, kind, source, None, None, reason)
    if kernel in op.tables.python_kernels.values():
        reason = f"a Python kernel; {reason}"
    return CellFacts(key, kind, source, kernel_name(kernel), str(kernel.site), reason)


@final
class TableView:
    """The dispatch table of an operator: every runtime key, its kernel and why.

    Iterate over it for the cells, index it with a key, or print it. Keys that nothing
    was registered for are left out when it is printed.
    """

    __slots__ = ("_op", "_table")

    def __init__(self, op: OpOverload) -> None:
        self._op: Final = op
        self._table: Final = op.dispatch_table

    def __getitem__(self, key: str | NamedKey) -> CellFacts:
        dispatcher = self._op.dispatcher
        place = dispatcher.space.index(dispatcher.backends.key(key))
        return cell_facts(self._op, self._table, place)

    def __iter__(self) -> Any:
        count = len(self._table.cells)
        return (cell_facts(self._op, self._table, place) for place in range(count))

    def __len__(self) -> int:
        return len(self._table.cells)

    def __repr__(self) -> str:
        cells = [cell for cell in self if cell.kind != "missing"]
        missing = [cell.key for cell in self if cell.kind == "missing"]
        lines = [f"  {cell}" for cell in reversed(cells)]
        rest = f"  no kernel: {', '.join(missing)}" if missing else ""
        return "\n".join([f"{self._op.name}, highest key first", *lines, rest]).rstrip()
