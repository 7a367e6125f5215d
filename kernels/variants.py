"""In-place and ``out=`` kernels made of the kernel that returns a new array, and back.

For kernels that have no way of their own to write into a given array; a NumPy function
that takes ``out`` needs none of this.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

from ..runtime.writing import check_exact, check_result, write_result

Kernel = Callable[..., Any]


def in_place(kernel: Kernel, *dropped: str) -> Kernel:
    """Return the kernel that writes the result to its first argument and returns it.

    ``dropped`` names arguments of ``kernel`` that the in-place schema does not have.
    """

    @wraps(kernel)
    def write_to_self(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        write_result("self", self, kernel(self, *args, **kwargs))
        return self

    return _described(write_to_self, kernel, f"{kernel.__name__}_", (), dropped)


def on_copy(kernel: Kernel, copied: Callable[[Any], Any]) -> Kernel:
    """Return the kernel that leaves its first argument as it is and changes a copy.

    ``kernel`` writes to its first argument and returns it; ``copied`` makes the copy.
    """

    @wraps(kernel)
    def change_copy(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return kernel(copied(self), *args, **kwargs)

    return _described(change_copy, kernel, kernel.__name__.removesuffix("_"), (), ())


def out(
    kernel: Kernel, *names: str, dropped: tuple[str, ...] = (), casting: bool = False
) -> Kernel:
    """Return the kernel that writes the results to the arrays given for them.

    ``names`` are those of these arguments, ``out`` by default; several results go to
    as many arrays, which are returned as a tuple. All are checked before the first is
    written. They need the very dtypes of the results, or with ``casting`` such as can
    hold them: which of the two it is differs among PyTorch's operators.
    """
    written = names or ("out",)
    check = check_result if casting else check_exact

    @wraps(kernel)
    def write_to_out(*args: Any, **kwargs: Any) -> Any:
        outs = tuple([kwargs.pop(name) for name in written])
        made = kernel(*args, **kwargs)
        results = made if len(written) > 1 else (made,)
        for name, array, result in zip(written, outs, results, strict=True):
            check(name, array, result)
        for array, result in zip(outs, results, strict=True):
            array[...] = result
        return outs if len(written) > 1 else outs[0]

    return _described(write_to_out, kernel, f"{kernel.__name__}_out", written, dropped)


def _described(
    made: Kernel,
    kernel: Kernel,
    name: str,
    written: tuple[str, ...],
    dropped: tuple[str, ...],
) -> Kernel:
    """Name a kernel after the one it is made of and give it a true signature."""
    described: Any = made
    described.__name__ = described.__qualname__ = name
    described.__doc__ = f"{kernel.__name__}, with its results in other arrays."
    old = signature(kernel)
    kept = [p for name, p in old.parameters.items() if name not in dropped]
    new = [Parameter(name, Parameter.KEYWORD_ONLY) for name in written]
    described.__signature__ = old.replace(parameters=[*kept, *new])
    return made
