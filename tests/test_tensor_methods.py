"""Operators as methods of arrays, and Python's operators."""

from __future__ import annotations

import inspect
import operator
import subprocess
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from keyslot import errors
from keyslot.codegen.nodes import parse_yaml
from keyslot.codegen.problems import Problems
from keyslot.codegen.python_operators import METHODS, parse_operators
from keyslot.generated.tensor_methods import TensorMethods
from keyslot.transforms.tensor import Tensor

from .calling import ops

#: Functions of the module operator.
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
BITWISE = ("and_", "or_", "xor", "lshift", "rshift")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
UNARY = ("neg", "abs")
python: Any = operator

FLOATS: Any = np.array([[1.5, -2.0], [0.5, 3.0]])
OTHERS: Any = np.array([[2.0, 3.0], [-1.0, 0.5]])
INTS: Any = np.array([[5, 6], [7, 12]])


def plain(value: Any) -> npt.NDArray[Any]:
    """Return the NumPy array in a result."""
    return np.asarray(getattr(value, "value", value))


def same(ours: Any, theirs: Any) -> None:
    """Hold a result to that of NumPy, dtype and all."""
    np.testing.assert_array_equal(plain(ours), theirs)
    assert plain(ours).dtype == np.asarray(theirs).dtype


def method_ops() -> dict[str, list[Any]]:
    """Return the overloads with the variant ``method``, by operator."""
    found: dict[str, list[Any]] = {}
    for name in ops:
        for overload in getattr(ops, name).packet.members:
            if "method" in overload.variants:
                found.setdefault(name, []).append(overload)
    return found


def test_every_op_with_the_variant_is_a_method() -> None:
    """The class has a method for each, and no other that has no underscores."""
    public = {name for name in vars(TensorMethods) if not name.startswith("__")}
    assert public == method_ops().keys()
    assert len(public) > 150


def test_methods_take_what_their_overloads_take() -> None:
    """Signatures name every argument but ``self``, in the order of the operator."""
    for name, overloads in method_ops().items():
        parameters = inspect.signature(getattr(TensorMethods, name)).parameters
        taken = {arg.name for each in overloads for arg in each.schema.arguments}
        assert {*parameters} - {"rest"} == taken, name
        assert next(iter(parameters)) == "self"


def test_methods_say_what_they_do() -> None:
    """Each has the first paragraph of its operator's docstring."""
    for name, overloads in method_ops().items():
        doc = inspect.getdoc(getattr(TensorMethods, name)) or ""
        assert doc in [
            inspect.cleandoc(op.__doc__).split("\n\n")[1] for op in overloads
        ]


CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("sum", (), {}),
    ("sum", (0,), {}),
    ("sum", (), {"dim": 1, "keepdim": True}),
    ("sum", (0,), {"dtype": "float32"}),
    ("add", (1, 2), {}),
    ("add", (1,), {"alpha": 2}),
    ("add", (OTHERS,), {"alpha": 2}),
    ("max", (), {}),
    ("var", (0, False), {}),
    ("var", (0,), {"correction": 1}),
    ("clamp", (), {"min": 0}),
    ("transpose", (0, 1), {}),
    ("diagonal", (), {}),
]


@pytest.mark.parametrize(("name", "args", "named"), CALLS)
def test_method_is_the_operator(
    name: str, args: tuple[Any, ...], named: dict[str, Any]
) -> None:
    """A method gives what the function gives, in every form of its arguments."""
    x = Tensor(FLOATS)
    by_method = getattr(x, name)(*args, **named)
    same(by_method, plain(getattr(ops, name)(x, *args, **named)))


def test_self_need_not_come_first() -> None:
    """``x.where(condition, y)`` takes ``x`` where the condition holds."""
    result = Tensor(FLOATS).where(FLOATS > 1, OTHERS)
    same(result, np.where(FLOATS > 1, FLOATS, OTHERS))


@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS])
@pytest.mark.parametrize("other", [OTHERS, 2.0, 2], ids=["array", "float", "int"])
def test_binary_operators_are_numpys(name: str, other: Any) -> None:
    """Two arrays, and an array with a number on either side, give NumPy's result."""
    x, function = Tensor(FLOATS), getattr(python, name)
    with np.errstate(invalid="ignore"):
        same(function(x, other), function(FLOATS, other))
        same(function(other, x), function(other, FLOATS))
        same(function(x, Tensor(OTHERS)), function(FLOATS, OTHERS))


@pytest.mark.parametrize("name", [*BINARY, *BITWISE])
@pytest.mark.parametrize("other", [INTS[::-1], 3], ids=["array", "int"])
def test_binary_operators_of_integers_are_numpys(name: str, other: Any) -> None:
    """The same for integers, which some operators take alone."""
    x, function = Tensor(INTS), getattr(python, name)
    same(function(x, other), function(INTS, other))
    same(function(other, x), function(other, INTS))


@pytest.mark.parametrize("name", UNARY)
def test_unary_operators_are_numpys(name: str) -> None:
    """Operators of one array give NumPy's result."""
    function = getattr(python, name)
    same(function(Tensor(FLOATS)), function(FLOATS))
    same(~Tensor(INTS), ~INTS)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("other", [OTHERS, 2.0], ids=["array", "number"])
def test_in_place_operators_write(name: str, other: Any) -> None:
    """The array itself is changed and is the result."""
    x, theirs = Tensor(FLOATS.copy()), FLOATS.copy()
    function = getattr(python, f"i{name}")
    with np.errstate(invalid="ignore"):
        result = function(x, other)
        theirs = function(theirs, other)
    assert result is x
    same(x, theirs)


def test_matrices_are_multiplied() -> None:
    """``@`` is the product of matrices, from either side."""
    same(Tensor(FLOATS) @ OTHERS, FLOATS @ OTHERS)
    same(FLOATS @ Tensor(OTHERS), FLOATS @ OTHERS)


class Asked:
    """Something that computes with arrays by itself."""

    def __radd__(self, other: object) -> str:
        return "asked"

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment] # as for arrays


def test_other_operands_are_asked() -> None:
    """What is no array and no number has its turn; Python says if there is none."""
    x = Tensor(FLOATS)
    assert x + Asked() == "asked"
    assert (x == Asked()) is True
    assert (x == "text") is False
    assert (x != None) is True  # noqa: E711 # what is compared is the point
    for other in ("text", None, [1.0, 2.0], object()):
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for /"):
            _ = x / other
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for -"):
            _ = other - x


def test_errors_about_arrays_are_told() -> None:
    """Of an operand that operators take it is said what is wrong with it."""
    with pytest.raises(errors.OverloadError, match="keyslot::matmul"):
        _ = Tensor(FLOATS) @ 2
    with pytest.raises(errors.DtypeError, match="bitwise_and"):
        _ = Tensor(FLOATS) & 1
    with pytest.raises(ValueError, match="broadcast"):
        _ = Tensor(FLOATS) + np.ones(3)


def test_arrays_have_a_hash() -> None:
    """Although they are compared element by element."""
    x, y = Tensor(FLOATS), Tensor(FLOATS)
    assert {x: 1, y: 2}[x] == 1


def test_operators_are_loaded_when_they_are_called() -> None:
    """The class loads none; a method loads the module of its operator alone."""
    program = """
import sys
import numpy as np
from keyslot.generated import tensor_methods
from keyslot.transforms.tensor import Tensor
def loaded():
    return [name for name in sys.modules if name.startswith("keyslot.generated.ops.")]
assert not loaded(), loaded()
print(repr(tensor_methods.mul))
Tensor(np.ones(2)) * 2
print(*loaded())
import keyslot
assert tensor_methods.mul is keyslot.ops.mul
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "<mul, which no method has called yet>",
        "keyslot.generated.ops.arithmetic",
    ]


def test_table_of_operators_is_checked() -> None:
    """What is wrong in the table is said with its place."""
    text = """\
__add__: [add]
__sum__: add
__sub__: {op: sub, swap: true}
__mul__: {swapped: maybe}
__div__: {op: [div], with: rounding}
"""
    problems = Problems()
    root = parse_yaml(text, "python_operators.yaml", problems)
    assert root is not None
    parse_operators(root, problems)
    said = [str(problem).splitlines()[0] for problem in problems]
    assert said == [
        "python_operators.yaml:2:1: unknown method '__sum__'."
        " Did you mean __sub__ or __rsub__ or __isub__?",
        "python_operators.yaml:3:20: unknown field 'swap'. Did you mean swapped?",
        "python_operators.yaml:4:10: what __mul__ calls lacks the field 'op'",
        "python_operators.yaml:4:20: 'swapped' must be true or false, not 'maybe'",
        "python_operators.yaml:5:1: unknown method '__div__'.",
        "python_operators.yaml:5:15: 'op' of what __div__ calls must be text,"
        " not a list",
        "python_operators.yaml:5:28: 'with' of what __div__ calls must be a mapping,"
        " not 'rounding'",
    ]


def test_every_method_of_the_table_is_one_of_pythons() -> None:
    """Python's operator module has a function for each, or for what it reflects."""
    for method in METHODS:
        name = method.strip("_")
        known = {name, name.removeprefix("r"), f"{name}_", f"{name[1:]}_"}
        assert any(hasattr(operator, each) for each in known), method


def test_indices_are_whatever_python_takes_for_one() -> None:
    """Integers of NumPy make views; bounds of slices may be arrays with one element."""
    array = np.arange(12.0).reshape(4, 3)
    x = Tensor(array)
    one, two = np.int64(1), Tensor(np.array(2))
    for found, expected in (
        (x[one], array[1]),
        (x[one:two], array[1:2]),
        (x[: np.int8(-1), two:], array[:-1, 2:]),
    ):
        np.testing.assert_array_equal(found.numpy(), expected)
        assert np.shares_memory(found.numpy(), array)
    with pytest.raises(TypeError, match="integer"):
        x[:2.5]


def test_copies_of_scalars_may_be_written_to() -> None:
    """What NumPy computes without dimensions is no array."""
    for x in (np.float64(2.0), Tensor(np.float64(2.0))):
        copy = ops.clone(x)
        ops.mul_(copy, 3)
        assert float(copy) == 6.0
