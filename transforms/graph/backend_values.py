"""Constants and dtypes in the form of another array library."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, Final, NoReturn, cast

import numpy as np

from ...generated.keys import DISPATCHER, SPACE
from ...runtime.errors import GraphBackendError
from ..tensor import Tensor
from .dtypes import dtype_name, is_dtype
from .node import Node


class BackendValues:
    """Brings the values of a graph into the form that one backend has.

    Raises UnknownBackendError for a name that is none.
    """

    def __init__(self, graph: str, backend: str) -> None:
        self._graph: Final = graph
        self.backend: Final = DISPATCHER.backends.backend(backend)

    def call(self, node: Node) -> Callable[..., Any]:
        """Return what calls the operator of a node.

        Where no argument is an array, nothing but the key says which backend is meant.
        """
        if node.inputs:
            found: Callable[..., Any] = node.op
            return found
        return partial(node.op.at, self.backend)

    def leaf(self, value: Any) -> Any:
        """Return an argument, a dtype as the backend's library has it."""
        return self.dtype(value) if is_dtype(value) else value

    def dtype(self, value: Any) -> Any:
        """Return the library's dtype: its own of this name, or else NumPy's."""
        if isinstance(value, type):
            value = np.dtype(value)
        name = dtype_name(value)
        found = getattr(self._library(), name, None)
        if is_dtype(found) and not isinstance(found, type):
            return found
        try:
            return np.dtype(name)
        except TypeError:
            problem = f"it has no dtype {name}"
            self._refuse(problem, "trace the program with another dtype")

    def array(self, constant: object) -> Any:
        """Return a constant as an array of the backend, with the same memory."""
        if isinstance(constant, Tensor):
            constant = self._inside(constant)
        found = DISPATCHER.arrays.lookup(type(constant))
        if found is None or found.scalar or found.backend == self.backend:
            return constant
        convert = self._converter()
        try:
            return convert(constant)
        except Exception as error:
            kind = type(constant).__name__
            self._refuse(f"a constant, {kind}, does not convert: {error}", _AS_INPUT)

    def _inside(self, constant: Tensor) -> Any:
        """Return the array in a Tensor.

        Wrappers of transforms are refused: what they hold is not what they stand for.
        """
        if type(constant) is not Tensor or constant.level:
            self._refuse("a constant belongs to a transform that is running", _AS_INPUT)
        return constant.value

    def _converter(self) -> Callable[[Any], Any]:
        library = self._library()
        places = (library, getattr(library, "numpy", None))
        found = [getattr(place, "from_dlpack", None) for place in places]
        for convert in filter(None, found):
            return cast("Callable[[Any], Any]", convert)
        return self._refuse("it says nowhere how it takes constants", _AS_INPUT)

    def _library(self) -> Any:
        """Return the module of the backend's arrays, None if none is declared."""
        declared = SPACE.array_types.items()
        for reference, backend in declared:
            if backend == self.backend:
                return self._imported(reference.partition(":")[0].partition(".")[0])
        return None

    def _imported(self, module: str) -> Any:
        try:
            return import_module(module)
        except ImportError as error:
            hint = f"install {module}, or choose another backend"
            self._refuse(f"{module} is not there: {error}", hint)

    def _refuse(self, problem: str, hint: str) -> NoReturn:
        raise GraphBackendError(self._graph, self.backend, problem, hint)


_AS_INPUT: Final = "make the constant an input of the program"
