"""The inputs of a graph: taken out of pytrees, and held to what was traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol, final

from ...runtime.errors import GraphInputError
from .dtypes import dtype_name, same_dtype
from .literals import described
from .node import Node
from .sizes import is_size


class Guards(Protocol):
    """What has to be true of the sizes of inputs, such as a `ShapeEnv`."""

    @property
    def guards(self) -> Any:
        """Each condition; their ``str`` is shown."""
        ...

    def check(self, *shapes: Any) -> None:
        """Raise an error unless it is true of these shapes, one for each array."""
        ...


@final
class Inputs:
    """The inputs of one graph."""

    __slots__ = ("_guards", "_name", "_placeholders", "_spec", "are_arrays")

    def __init__(
        self, name: str, placeholders: list[Node], spec: Any, guards: Guards | None
    ) -> None:
        self._name: Final = name
        self._placeholders: Final = placeholders
        self._spec: Final = spec
        self._guards: Final = guards
        #: Whether each positional argument is one input, and there are no others.
        self.are_arrays: Final = _are_leaves(spec)

    def flatten(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return the inputs that are in the arguments of a call.

        Raises GraphInputError where their structure is not the one that was traced.
        """
        if self.are_arrays:
            expected = len(self._placeholders)
            if kwargs or len(args) != expected:
                given = f"{len(args)} by position and {len(kwargs)} by name"
                problem = f"takes {expected} arguments by position, not {given}"
                raise GraphInputError(self._name, problem)
            return [*args]
        try:
            found: list[Any] = self._spec.flatten_up_to((args, kwargs))
        except ValueError as error:
            problem = f"was traced with other lists, tuples or dicts: {error}"
            raise GraphInputError(self._name, problem) from None
        return found

    def check(self, values: Sequence[Any]) -> None:
        """Raise GraphInputError for inputs that the graph was not traced for.

        Their dtypes, their numbers of dimensions and the sizes that were plain numbers
        in the trace must be the same. Guards decide about the others.
        """
        arrays: list[Any] = []
        for node, value in zip(self._placeholders, values, strict=True):
            if hasattr(node.spec, "shape"):
                self._check_array(node, value)
                arrays.append(value)
            elif len(node.args) > 1:
                self._check_value(node, value)
        if self._guards is not None:
            self._guards.check(*[array.shape for array in arrays])

    def _check_value(self, node: Node, value: Any) -> None:
        """Refuse another value than the one that has become part of the program."""
        traced = node.args[1]
        if type(value) is not type(traced) or value != traced:
            problem = (
                f"is {value!r}; it was traced with {traced!r}, trace again for others"
            )
            self._refuse_input(node, problem)

    def _check_array(self, node: Node, value: Any) -> None:
        spec = node.spec
        if not hasattr(value, "shape") or not hasattr(value, "dtype"):
            self._refuse(node, f"is {type(value).__name__}, not an array")
        if not same_dtype(value.dtype, spec.dtype):
            self._refuse(node, f"has dtype {dtype_name(value.dtype)}")
        if len(value.shape) != len(spec.shape):
            self._refuse(node, f"has {len(value.shape)} dimensions")
        for dim, (size, traced) in enumerate(zip(value.shape, spec.shape, strict=True)):
            if not is_size(traced) and size != traced:
                self._refuse(node, f"has size {size} in dimension {dim}")

    def _refuse(self, node: Node, problem: str) -> None:
        traced = described(node.spec)
        self._refuse_input(node, f"{problem}; it was traced as {traced}")

    def _refuse_input(self, node: Node, problem: str) -> None:
        name = node.args[0] if node.args else "input"
        place = self._placeholders.index(node)
        raise GraphInputError(self._name, f"input {place} ({name}) {problem}")


def _are_leaves(spec: Any) -> bool:
    if spec is None:
        return True
    args, kwargs = spec.children()
    return kwargs.num_leaves == 0 and all(each.is_leaf() for each in args.children())
