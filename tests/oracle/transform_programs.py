"""Random programs of two arrays, and random compositions of transforms around them.

Each is written once and built for keyslot and for `torch.func`. All functions take two
arrays of one shape and return one of this shape, so that they compose in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final, NamedTuple

import torch

from keyslot import ops, transforms

#: A function of two arrays.
Function = Callable[[Any, Any], Any]


class Library(NamedTuple):
    """What programs are built with: how an operator is called, and the transforms."""

    call: Callable[..., Any]
    transforms: Any
    #: Returns the function that a trace of another one is; PyTorch's runs untraced.
    traced: Callable[[Function, str], Function]


def _call_keyslot(name: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    return getattr(ops, name)(x, *args, **kwargs)


def _call_torch(name: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    function = getattr(torch, name, None)
    if function is None:
        return getattr(x, name)(*args, **kwargs)
    return function(x, *args, **kwargs)


def _traced(function: Function, mode: str) -> Function:
    return lambda x, y: transforms.make_fx(function, mode)(x, y)(x, y)


KEYSLOT: Final = Library(_call_keyslot, transforms, _traced)
TORCH: Final = Library(_call_torch, torch.func, lambda function, mode: function)


# --- programs -------------------------------------------------------------------------

#: One line of a program: it gets how to call operators, the array so far, the other
#: one, and the name of a smooth function.
Step = Callable[[Callable[..., Any], Any, Any, str], Any]


# What is written to depends on both arrays: keyslot refuses to write what is
# differentiated to memory that is not.
def _write(call: Callable[..., Any], x: Any, y: Any, name: str) -> Any:
    # A copy: what NumPy computes without dimensions is a scalar, and never written to.
    made = call("clone", call("mul", x, call(name, y)))
    call("mul_", made, call(name, x))
    return made


def _write_to_view(call: Callable[..., Any], x: Any, y: Any, name: str) -> Any:
    made = call("sub", x, y)
    if not made.shape:
        return made
    call("mul_", call("select", made, 0, 0), 3.0)
    call("add_", call("select", made, -1, -1), call(name, call("select", y, -1, 0)))
    return made


def _along(name: str) -> Step:
    """Return a step along the last dimension, where there is one."""
    return lambda call, x, y, _: call(name, x, -1) if x.shape else x


def _sum_of_rows(call: Callable[..., Any], x: Any, y: Any, name: str) -> Any:
    if not x.shape:
        return x
    return call("mul", y, call("unsqueeze", call("sum", x, [-1]), -1))


def _flipped(call: Callable[..., Any], x: Any, y: Any, name: str) -> Any:
    return call("flip", x, [0]) if x.shape else x


def _noise(call: Callable[..., Any], x: Any, y: Any, name: str) -> Any:
    # Random numbers, of which nothing is left: there is no seed in common.
    return call("add", x, call("floor", call("rand", [*x.shape])))


#: Steps for complex numbers too.
SMOOTH_STEPS: Final[dict[str, Step]] = {
    "function": lambda call, x, y, name: call(name, x),
    "product": lambda call, x, y, name: call("mul", x, call(name, y)),
    "sum": lambda call, x, y, name: call("add", x, call("sin", y), alpha=2),
    "quotient": lambda call, x, y, name: call(
        "div", x, call("add", call("mul", y, y), 3.0)
    ),
    "running sum": _along("cumsum"),
    "sums of rows": _sum_of_rows,
    "flip": _flipped,
    "write": _write,
    "write to a view": _write_to_view,
}
#: Steps for real numbers.
REAL_STEPS: Final[dict[str, Step]] = {
    **SMOOTH_STEPS,
    "maximum": lambda call, x, y, name: call("maximum", x, call("mul", y, 0.5)),
    "choice": lambda call, x, y, name: call(
        "where", call("gt", x, 0.1), call(name, x), y
    ),
    "softmax": _along("softmax"),
    "noise": _noise,
}
_FUNCTIONS: Final = ("sin", "cos", "exp", "tanh", "sigmoid", "square")


class Program(NamedTuple):
    """The steps of a program, each with the name of a function."""

    steps: tuple[tuple[str, str], ...]

    @classmethod
    def random(cls, rng: Random, kind: str) -> Program:
        """Return a program for "real" or "complex" numbers."""
        steps = [*(REAL_STEPS if kind == "real" else SMOOTH_STEPS)]
        chosen = [
            (rng.choice(steps), rng.choice(_FUNCTIONS))
            for _ in range(rng.randint(1, 4))
        ]
        return cls(tuple(chosen))

    def build(self, library: Library) -> Function:
        """Return the program as a function over the operators of a library."""

        def function(x: Any, y: Any) -> Any:
            for step, name in self.steps:
                x = REAL_STEPS[step](library.call, x, y, name)
            return x

        return function


# --- transforms -----------------------------------------------------------------------

#: Returns a transformed function; the number chooses among its forms.
Wrap = Callable[[Library, Function, int], Function]


def _total(library: Library, array: Any) -> Any:
    """Return one real number that depends on all elements."""
    call = library.call
    if array.dtype in (torch.complex128, "complex128"):
        array = call("add", call("real", array), call("imag", array), alpha=0.5)
    return call("sum", array)


def _grad(library: Library, f: Function, form: int) -> Function:
    argnums = form % 2
    return library.transforms.grad(  # type: ignore[no-any-return]  # of a library
        lambda x, y: _total(library, f(x, y)), argnums=argnums
    )


def _grad_of_both(library: Library, f: Function, form: int) -> Function:
    def function(x: Any, y: Any) -> Any:
        total = lambda x, y: _total(library, f(x, y))  # noqa: E731 - one line
        one, other = library.transforms.grad(total, argnums=(0, 1))(x, y)
        return library.call("sub", one, other)

    return function


def _grad_with_aux(library: Library, f: Function, form: int) -> Function:
    def total(x: Any, y: Any) -> tuple[Any, Any]:
        value = f(x, y)
        return _total(library, value), {"value": value}

    def function(x: Any, y: Any) -> Any:
        transform = library.transforms
        if form % 2:
            grad, aux = transform.grad(total, has_aux=True)(x, y)
        else:
            grad, (_, aux) = transform.grad_and_value(total, has_aux=True)(x, y)
        return library.call("add", grad, aux["value"])

    return function


def _vmap(library: Library, f: Function, form: int) -> Function:
    randomness = ("same", "different")[form % 2]

    def function(x: Any, y: Any) -> Any:
        if not x.shape:
            return f(x, y)
        dim = form % len(x.shape)
        whole = form % 3 == 0
        in_dims = (dim, None if whole else dim)
        y = library.call("select", y, dim, 0) if whole else y
        mapped = library.transforms.vmap(f, in_dims, dim, randomness=randomness)
        return mapped(x, y)

    return function


def _vmap_moving(library: Library, f: Function, form: int) -> Function:
    """Map over the first dimension of a pytree, and put it last and back again."""

    def function(x: Any, y: Any) -> Any:
        if not x.shape:
            return f(x, y)
        mapped = library.transforms.vmap(
            lambda pair: (f(pair["x"], pair["y"]), pair["x"]),
            in_dims=({"x": 0, "y": 0},),
            out_dims=(-1, 0),
            randomness="same",
        )
        last, first = mapped({"x": x, "y": y})
        return library.call("add", library.call("movedim", last, -1, 0), first)

    return function


def _jvp(library: Library, f: Function, form: int) -> Function:
    def function(x: Any, y: Any) -> Any:
        tangents = (library.call("cos", x), y)
        primal, tangent = library.transforms.jvp(f, (x, y), tangents)
        return tangent if form % 2 else library.call("add", primal, tangent)

    return function


def _vjp(library: Library, f: Function, form: int) -> Function:
    def function(x: Any, y: Any) -> Any:
        result, pull_back = library.transforms.vjp(f, x, y)
        one, other = pull_back(library.call("sin", result))
        return library.call("add", one, other)

    return function


def _jacobian(name: str) -> Wrap:
    def wrap(library: Library, f: Function, form: int) -> Function:
        def function(x: Any, y: Any) -> Any:
            matrix = getattr(library.transforms, name)(f, argnums=form % 2)(x, y)
            dims = [*range(len(x.shape), 2 * len(x.shape))]
            return library.call("sum", matrix, dims) if dims else matrix

        return function

    return wrap


def _functionalize(library: Library, f: Function, form: int) -> Function:
    remove = ("mutations", "mutations_and_views")[form % 2]
    return library.transforms.functionalize(  # type: ignore[no-any-return]  # of a library
        f, remove=remove
    )


def _make_fx(library: Library, f: Function, form: int) -> Function:
    return library.traced(f, ("real", "fake", "symbolic")[form % 3])


#: Transforms for complex numbers too.
SMOOTH_WRAPS: Final[dict[str, Wrap]] = {
    "grad": _grad,
    "grad of both": _grad_of_both,
    "grad with aux": _grad_with_aux,
    "vmap": _vmap,
    "vmap moving": _vmap_moving,
    "jvp": _jvp,
    "vjp": _vjp,
    "make_fx": _make_fx,
}
#: Transforms for real numbers.
REAL_WRAPS: Final[dict[str, Wrap]] = {
    **SMOOTH_WRAPS,
    "jacrev": _jacobian("jacrev"),
    "jacfwd": _jacobian("jacfwd"),
    # PyTorch's loses writes to views of complex numbers.
    "functionalize": _functionalize,
}
_MOST_WRAPS: Final = 3


class Composition(NamedTuple):
    """A program and the transforms around it, the innermost first."""

    program: Program
    wraps: tuple[tuple[str, int], ...]

    @classmethod
    def random(cls, rng: Random, kind: str) -> Composition:
        """Return a composition for "real" or "complex" numbers."""
        names = [*(REAL_WRAPS if kind == "real" else SMOOTH_WRAPS)]
        count = rng.randint(1, _MOST_WRAPS)
        wraps = [(rng.choice(names), rng.randrange(6)) for _ in range(count)]
        return cls(Program.random(rng, kind), tuple(wraps))

    def build(self, library: Library) -> Function:
        """Return it as a function over the operators and transforms of a library."""
        function = self.program.build(library)
        for name, form in self.wraps:
            function = REAL_WRAPS[name](library, function, form)
        return function
