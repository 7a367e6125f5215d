"""The arguments of a functionalized program, and how changes come back to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ... import generated as ops
from ...runtime.errors import SharedInputsError
from ..arrays import is_array
from ..tensor import Tensor

if TYPE_CHECKING:
    from .functional import FunctionalTensor
    from .layer import FunctionalizeLayer


#: How many candidates of common elements NumPy looks at before it gives up.
_WORK: Final = 10_000


class Inputs:
    """The leaves of the arguments, and the Tensors that stand for them."""

    def __init__(self, layer: FunctionalizeLayer, leaves: list[Any]) -> None:
        #: Each array once, however often it is an argument, by its identity.
        self._arrays: Final = {id(leaf): leaf for leaf in leaves if is_array(leaf)}
        self._tensors: Final[dict[int, FunctionalTensor]] = {
            key: layer.wrap(array) for key, array in self._arrays.items()
        }
        #: What the program is called with.
        self.wrapped: Final = [self._tensors.get(id(leaf), leaf) for leaf in leaves]

    def write_back(self) -> None:
        """Copy what was written into the arrays themselves.

        Raises SharedInputsError where others among them would change as well.
        """
        arrays = [*self._arrays.values()]
        written = [tensor.is_written for tensor in self._tensors.values()]
        for place, array in enumerate(arrays):
            if written[place]:
                _check_alone(place, array, arrays)
        for key, tensor in self._tensors.items():
            if tensor.is_written:
                ops.copy_(self._arrays[key], tensor.value)


def _check_alone(place: int, array: Any, arrays: list[Any]) -> None:
    for other, candidate in enumerate(arrays):
        if other != place and _share_memory(array, candidate):
            raise SharedInputsError(place, other)


def _share_memory(one: Any, other: Any) -> bool:
    """Whether two arrays are known to share memory."""
    import numpy as np

    tensors = isinstance(one, Tensor) and isinstance(other, Tensor)
    if tensors and one.counter is not None and one.counter is other.counter:
        return True
    inner = _innermost(one), _innermost(other)
    if not all(isinstance(array, np.ndarray) for array in inner):
        return False
    # Whether they have a common element is a hard question: if the memory between the
    # first and the last one overlaps, and no more is known soon, they count as sharing.
    shares: Any = np.shares_memory
    try:
        return bool(shares(*inner, max_work=_WORK))
    except np.exceptions.TooHardError:
        return True


def _innermost(array: Any) -> Any:
    from ..meta import MetaTensor

    while isinstance(array, Tensor) and not isinstance(array, MetaTensor):
        array = array.value
    return array
