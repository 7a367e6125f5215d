"""What arrays do in Python beside operators: they convert, print, and are indexed."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from .. import generated as ops
from ..runtime.errors import TransformedValueError
from .indexing import read, write


class ArrayProtocol:
    """Conversions, indexing and printing of `Tensor`."""

    __slots__ = ()

    # Declared where they are set.
    value: Any
    level: int
    requires_grad: Any

    @property
    def shape(self) -> Any:
        """The sizes of its dimensions."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of its elements."""
        return self.value.dtype

    @property
    def T(self) -> Any:  # noqa: N802 - the name that all array libraries have for it
        """The array with its dimensions in the reverse order."""
        return ops.permute(self, [*range(self.ndim - 1, -1, -1)])

    def dim(self) -> int:
        """Return how many dimensions it has."""
        return self.ndim

    def size(self, dim: int | None = None) -> Any:
        """Return the sizes of its dimensions, or of one of them."""
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> Any:
        """Return how many elements it has."""
        return prod(self.shape)

    def item(self) -> Any:
        """Return its one element as a Python number.

        Raises DataNeededError for an array that has a shape only, and
        TransformedValueError for one that stands for a whole batch.
        """
        return self.elements("an element").item()

    def tolist(self) -> Any:
        """Return its elements as Python numbers in nested lists."""
        return self.elements("a list").tolist()

    def numpy(self) -> Any:
        """Return it as an array of NumPy, which shares its memory where it can.

        Raises TransformedValueError where gradients would be lost: detach it.
        """
        return self.__array__()

    def elements(self, what: str) -> Any:
        """Return the array inside, through wrappers of all transforms.

        ``what`` is what messages say is made of it.
        """
        inner = self.value
        return inner.elements(what) if isinstance(inner, ArrayProtocol) else inner

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np

        self.check_untracked("an array of NumPy")
        inner = self.elements("an array of NumPy")
        made = np.array(inner, dtype=dtype, copy=copy)
        if made.dtype == object and self.dtype != object:
            why = f"{type(inner).__name__} has no __array__"
            raise TransformedValueError("an array of NumPy", why)
        return made

    def __dlpack__(self, **options: Any) -> Any:
        self.check_untracked("a DLPack capsule")
        return self.elements("a DLPack capsule").__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.elements("a DLPack capsule").__dlpack_device__()

    def check_untracked(self, what: str) -> None:
        """Raise where a conversion would silently lose gradients or a batch."""
        if self.requires_grad or self.level > 0:
            raise TransformedValueError(
                what, "what is recorded would be lost; detach it"
            )

    def __bool__(self) -> bool:
        return bool(self.elements("a truth value"))

    def __int__(self) -> int:
        return int(self._number("an int"))

    def __float__(self) -> float:
        return float(self._number("a float"))

    def __complex__(self) -> complex:
        return complex(self._number("a complex number"))

    def _number(self, what: str) -> Any:
        # NumPy asks for a number where a Tensor is written to one of its arrays.
        if self.level > 0:
            why = "what is recorded of it would be lost; item() says that it may be"
            raise TransformedValueError(what, why)
        return self.elements(what)

    def __format__(self, form: str) -> str:
        """Return one number in some format, or whatever it is as ever."""
        if form and not self.shape:
            return format(self.elements("text").item(), form)
        return super().__format__(form)

    def __index__(self) -> int:
        return self.elements("an index").__index__()  # type: ignore[no-any-return]  # of whatever library

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]  # type: ignore[no-any-return]  # a size

    def __contains__(self, value: Any) -> bool:
        return bool(ops.any(ops.eq(self, value)))

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("an array without dimensions cannot be iterated over")
        return (ops.select(self, 0, n) for n in range(self.shape[0]))

    def __getitem__(self, index: Any) -> Any:
        return read(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        write(self, index, value)
