"""Where keyslot differs from PyTorch on purpose: data, which the documents agree with.

A difference that is not here makes a test fail, and so does one that is here and gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from .comparison import differences, flat
from .op_arguments import Call, call


def any_call(given: Call) -> bool:
    """Accept all calls."""
    return True


def with_arrays(kinds: str) -> Callable[[Call], bool]:
    """Accept calls with an array of one of these kinds, as NumPy names them."""

    def accepts(given: Call) -> bool:
        arrays = flat([*given.args, *given.kwargs.values()], np.ndarray)
        return any(array.dtype.kind in kinds for array in arrays)

    return accepts


@dataclass(frozen=True, slots=True)
class Difference:
    """Calls of some overloads that keyslot answers in another way than PyTorch.

    ``reason`` is what docs/ops.md says of it, ``overloads`` are names or patterns of
    names, ``seen`` matches what is found to differ, and ``example`` is a call of the
    overload ``name`` for which it does.
    """

    reason: str
    overloads: tuple[str, ...]
    seen: str
    name: str
    example: Call
    when: Callable[[Call], bool] = any_call

    def explains(self, name: str, given: Call, found: str) -> bool:
        """Whether a difference that was found is this one."""
        return (
            any(fnmatchcase(name, pattern) for pattern in self.overloads)
            and re.search(self.seen, found) is not None
            and self.when(given)
        )


_VECTOR = np.array([1.5, 2.5])
_SINGLE = _VECTOR.astype("float32")
_HALF = _VECTOR.astype("float16")
_WHOLE = np.array([1, 2])
_SMALL = _WHOLE.astype("int8")
_COMPLEX = _VECTOR.astype("complex64")
_IMAGE = np.zeros((1, 2, 3, 4))

_SHAPE_OF_OUT = (
    "An array given as `out` must have the shape of the result; PyTorch resizes it, "
    "with a warning."
)
_FITS = (
    "A number that a dtype of integers cannot hold, such as 300 or -1 for uint8, is "
    "an `OverflowError`; PyTorch wraps some of them around."
)
_INFINITE = (
    "A number beyond the range of a floating-point dtype becomes infinite, with "
    "NumPy's warning; PyTorch refuses it where it fills, pads, scatters or clamps."
)
_MEMORY_FORMAT = (
    'There is no `"channels_last"`; `empty_strided` makes what that would be.'
)
_COMPARED = (
    "Comparisons compare the values: no int8 equals 257, which for PyTorch is 1 "
    "there."
)
_NO_COMPLEX32 = "float16 with a complex number is complex64: NumPy has no complex32."
_NO_HALF_PARTS = (
    "`complex` and `view_as_complex` take no parts of float16, for the same reason."
)
_LERP = (
    "`lerp` takes no bools, as other operators that subtract; PyTorch does, with a "
    "`weight` without dimensions."
)
_REAL_OUT = (
    "`logsumexp` of complex numbers is not written to an `out` of real ones; PyTorch "
    "drops the imaginary parts."
)
_ALL_OUT = (
    "`all` asks the elements themselves whatever `out` is; PyTorch first makes them of "
    "uint8 for an `out` of that dtype, where 0.5 is 0."
)
_START = "`narrow` takes a number for `start`, and no array with one."
_NO_ELEMENTS = (
    "`softmax` and `log_softmax` refuse integers and complex numbers also where there "
    "are no elements."
)
_HALF_STEPS = (
    "Where nothing else is said, float16 is computed in float16, step by step, so "
    "that `cumsum` and `addmm` round more often than PyTorch."
)
_HALF_VARIANCE = (
    "A variance or `std` of float16 is written to an `out` of any floating-point "
    "dtype; PyTorch refuses all but float16 where it is one number."
)
_UNSIGNED = (
    "Unsigned integers of 16 to 64 bits are promoted by NumPy's rules; PyTorch "
    "refuses to promote most of them."
)
_TRUTH = (
    "Logical operators do not promote: a float64 that is too small for float32 is "
    "true."
)
_ALPHA = (
    "`add` and `sub` do not multiply by an `alpha` of 1. PyTorch does, which makes "
    "NaN of the other part of a complex number with an infinite one."
)
_GELU = "`gelu` of infinity is infinity; PyTorch makes NaN of it in float32."
_RESIZE = (
    "`resize_`, `resize` and its `out` keep the number of elements, for the memory of "
    "a NumPy array cannot grow or shrink while others may see it. An array whose "
    "elements do not lie together is refused; PyTorch takes what lies between."
)
_MASKED = (
    "A mask of uint8 is as good as one of bool. PyTorch, which deprecates it, refuses "
    "it in `index_put` with a single value."
)
_STABLE = (
    "`sort` is stable. PyTorch promises that for `stable=True` alone, and exchanges "
    "equal elements of long arrays."
)

DIFFERENCES = (
    Difference(
        _SHAPE_OF_OUT,
        ("*out",),
        r"keyslot refuses: OutShapeError",
        "add.out",
        call(_VECTOR, _VECTOR, out=np.zeros((3, 2))),
    ),
    Difference(
        _FITS,
        ("*",),
        r"keyslot refuses: OverflowError",
        "add.Scalar",
        call(_SMALL, 300),
    ),
    Difference(
        _INFINITE,
        ("full*", "fill*", "clamp*", "scatter*", "constant_pad_nd*", "index_put*"),
        r"PyTorch refuses: .*cannot be converted to type (float|c10::Half)",
        "full_like",
        call(_SINGLE, 1e300),
    ),
    Difference(
        _MEMORY_FORMAT,
        ("*",),
        r"keyslot refuses: .*memory_format is 'channels_last'",
        "empty.memory_format",
        call(_IMAGE.shape, memory_format="channels_last"),
    ),
    Difference(
        _COMPARED,
        tuple(f"{name}*.Scalar*" for name in ("eq", "ne", "lt", "le", "gt", "ge")),
        r"result array",
        "eq.Scalar",
        call(_SMALL, 257),
        with_arrays("iu"),
    ),
    Difference(
        _NO_COMPLEX32,
        ("*",),
        r"for PyTorch complex32|'ComplexHalf'|complex<c10::Half>",
        "mul.Scalar",
        call(_HALF, 1j),
        with_arrays("f"),
    ),
    Difference(
        _NO_HALF_PARTS,
        ("complex", "view_as_complex"),
        r"keyslot refuses: DtypeError: (the parts have dtypes|.*, not) float16",
        "complex",
        call(_HALF, _HALF),
    ),
    Difference(
        _LERP,
        ("lerp*.Tensor*",),
        r"keyslot refuses: DtypeError: sub takes no (bool|arrays of dtype bool)",
        "lerp.Tensor",
        call(_WHOLE > 1, _WHOLE > 1, np.array(0.5)),
        with_arrays("b"),
    ),
    Difference(
        _REAL_OUT,
        ("logsumexp.out",),
        r"keyslot refuses: DtypeError: out has dtype float\d+, which cannot hold",
        "logsumexp.out",
        call(_COMPLEX, [0], out=np.zeros(())),
        with_arrays("c"),
    ),
    Difference(
        _ALL_OUT,
        ("all.*out",),
        r"(result|argument) .*dtype=uint8",
        "all.all_out",
        call(_VECTOR / 4, out=np.zeros((), "uint8")),
        with_arrays("fc"),
    ),
    Difference(
        _START,
        ("narrow",),
        r"keyslot refuses: OverloadError: .*argument 'start' takes SymInt",
        "narrow",
        call(_VECTOR, 0, np.array(1), 1),
    ),
    Difference(
        _NO_ELEMENTS,
        ("softmax.int", "log_softmax.int", "_softmax", "_log_softmax"),
        r"keyslot refuses: DtypeError: _(log_)?softmax takes floating-point",
        "softmax.int",
        call(_WHOLE[:0], 0),
        with_arrays("biuc"),
    ),
    Difference(
        _HALF_STEPS,
        ("cumsum*", "addmm*"),
        r"dtype=float16",
        "cumsum",
        call(np.full(3000, 0.7, "float16"), 0),
        with_arrays("f"),
    ),
    Difference(
        _HALF_VARIANCE,
        ("std.*out", "var.*out"),
        r"PyTorch refuses: .*std_var_all: Unsupported dtype Half",
        "var.correction_out",
        call(_HALF, out=np.zeros(())),
    ),
    Difference(
        _UNSIGNED,
        ("*",),
        r"PyTorch refuses: .*Promotion for uint16, uint32, uint64 types",
        "add.Tensor",
        call(_WHOLE.astype("uint16"), _WHOLE),
        with_arrays("u"),
    ),
    Difference(
        _TRUTH,
        ("logical_*",),
        r"result array",
        "logical_or",
        call(_SINGLE * 0, np.array(1e-60)),
        with_arrays("f"),
    ),
    Difference(
        _ALPHA,
        ("add*", "sub*"),
        r"result array",
        "add.Tensor",
        call(_COMPLEX.repeat(4), np.full(8, np.inf, "complex64")),
        with_arrays("c"),
    ),
    Difference(
        _GELU,
        ("gelu*",),
        r"result array",
        "gelu",
        call(np.full(8, np.inf, "float32")),
        with_arrays("f"),
    ),
    Difference(
        _RESIZE,
        ("resize*",),
        r"keyslot refuses: ArgumentValueError: (size is|self has elements)",
        "resize_",
        call(_VECTOR, [1]),
    ),
    Difference(
        _MASKED,
        ("index_put*",),
        r"PyTorch refuses: .*masked_fill_ only supports boolean masks",
        "index_put",
        call(_WHOLE, [np.array([0, 1], "uint8")], np.array([5])),
    ),
    Difference(
        _STABLE,
        ("sort", "sort.values"),
        r"(result|argument) array",
        "sort",
        call(np.tile([2, 1], 50)),
    ),
)

#: Differences that no single call shows, and the tests that do.
SHOWN_BY_TESTS = {
    "`conj` of a complex array is a new array; PyTorch gives a view that conjugates "
    "what is read.": "test_conjugates_of_complex_numbers_are_a_new_array",
    "`expand` gives a read-only view where it repeats elements, and so are views of "
    "that one. PyTorch takes some writes there and refuses others; NumPy could not "
    "tell them apart.": "test_expanded_array_is_read_only_where_elements_repeat",
    "A Python number may stand for an array where the overload has the tag "
    "`pointwise`, but not to be written. PyTorch goes by a list of names: it takes one "
    "in all overloads of `add`, `sub`, `mul`, `div`, `copy` and `_to_copy`, and in no "
    "others.": "test_numbers_are_taken_by_other_overloads_than_in_pytorch",
}


def unexpected(name: str, calls: Iterable[Call]) -> Iterator[str]:
    """Yield calls of an overload that differ in ways which are not known, and how."""
    for given in calls:
        for found in differences(name, given):
            if not any(known.explains(name, given, found) for known in DIFFERENCES):
                yield f"{name}{given.args}, {given.kwargs}: {found}"
