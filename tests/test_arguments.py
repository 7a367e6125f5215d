"""The rules about arguments: every row of the tables in docs/arguments.md is true."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, SupportsFloat, TypeVar

import numpy as np
import pytest

from keyslot import Library, errors, explain, register_array_type, rename_backend
from keyslot.transforms.symbolic import ShapeEnv

from .calling import Mine, a, define, last, reports, seen

DOCUMENT = Path(__file__).parent.parent / "docs" / "arguments.md"
TEXT = DOCUMENT.read_text("utf-8")
CELL = re.compile(r"(?<!\\)\|")


def section(heading: str) -> str:
    """Return the text under a heading, up to the next one of its level."""
    _, _, rest = TEXT.partition(f"\n## {heading}\n")
    assert rest, f"{DOCUMENT} has no heading {heading!r}"
    return rest.partition("\n## ")[0]


def rows(heading: str, columns: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the tables under a heading, without the backticks."""
    for line in section(heading).splitlines():
        cells = [cell.strip() for cell in CELL.split(line)[1:-1]]
        if len(cells) == columns and cells[0].startswith("`"):
            yield tuple(cell.replace("\\|", "|").strip("`") for cell in cells)


def schemas(heading: str) -> list[str]:
    """Return the schemas that the text under a heading shows."""
    return re.findall(r"`([^`|]* -> [^`]*)`", section(heading))


def outcome(call: str, names: dict[str, Any]) -> str:
    """Return what a call gives, or why it is refused."""
    try:
        return str(eval(call, names))
    except errors.OverloadError as error:
        # What comes behind a semicolon is what to do about it.
        return f"refused: {error.refusals[0][1].partition(';')[0]}"
    except errors.ArgumentValueError as error:
        return f"refused: {error.problem.partition(': ')[2].partition(': ')[2]}"
    except (errors.NoArrayError, errors.MixedBackendsError) as error:
        first_line = str(error).splitlines()[0]
        return f"refused: {first_line.partition(' ')[2]}"


@pytest.mark.parametrize(("type_", "value", "gets"), [*rows("What each type takes", 3)])
def test_types(library: Library, type_: str, value: str, gets: str) -> None:
    """Each schema type takes the values that the tables list, in the form listed."""
    define(library, f"f(Tensor x, {type_} value) -> Tensor", reports_second)
    check_gets(library, value, gets)


def check_gets(library: Library, value: str, gets: str) -> None:
    """Compare what the kernel of f gets for a value with what a table says."""
    result = outcome(f"f(x, {value})", {"f": library.ops.f, "x": a, "np": np})
    if not gets.startswith("refused: "):
        gets = repr(eval(gets, {"np": np}))
    assert result == gets


@pytest.mark.parametrize(
    ("type_", "value", "tagged", "untagged"), [*rows("What each type takes", 4)]
)
def test_numbers_in_the_place_of_arrays(
    library: Library, type_: str, value: str, tagged: str, untagged: str
) -> None:
    """The tag pointwise lets numbers stand for arrays, in lists and optionals too."""
    schema = f"f(Tensor x, {type_} value) -> Tensor"
    for gets, tags in ((tagged, ("pointwise", "other")), (untagged, ("other",))):
        defined = library.define(schema, tags=tags)
        library.impl("f", reports_second, "NumPy")
        check_gets(library, value, gets)
        defined()


def reports_second(x: Any, value: Any) -> str:
    """Return the second argument as text."""
    return repr(value)


@pytest.mark.parametrize(
    ("type_", "value", "gets", "guard"), [*rows("Symbolic numbers", 4)]
)
def test_symbolic_numbers(
    library: Library, type_: str, value: str, gets: str, guard: str
) -> None:
    """Symbolic numbers pass where the schema has a symbolic type, else are fixed."""
    define(library, f"f(Tensor x, {type_} value) -> Tensor", reports_second)
    env = ShapeEnv()
    (n,) = env.create_symbols((3,), "x")
    names = {"f": library.ops.f, "x": a, "n": n, "np": np}
    assert outcome(f"f(x, {value})", names) == gets
    assert [str(each.condition) for each in env.guards] == [guard][: len(guard)]


def test_symbolic_numbers_in_the_place_of_arrays(library: Library) -> None:
    """Where a number may stand for an array a symbolic one may, with no guard."""
    schema = "f(Tensor x, Tensor value) -> Tensor"
    define(library, schema, reports_second, tags="pointwise")
    env = ShapeEnv()
    (n,) = env.create_symbols((3,), "x")
    assert library.ops.f(a, n) == "s0"
    assert env.guards == []


@pytest.mark.parametrize(("call", "gets"), [*rows("Positions, names and defaults", 2)])
def test_positions_names_and_defaults(library: Library, call: str, gets: str) -> None:
    """Arguments reach the kernel in one form, however the call passes them."""
    (schema,) = schemas("Positions, names and defaults")
    define(library, schema)
    result = outcome(call, {"f": library.ops.f, "x": a})
    if not gets.startswith("refused: "):
        gets = eval(f"seen{gets}", {"seen": seen, "x": a})
    assert result == gets


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("call", "backend"), [*rows("Which library a call belongs to", 2)]
)
def test_libraries(library: Library, call: str, backend: str) -> None:
    """Arrays, scalars and devices decide for the backend that the table names."""
    for schema in schemas("Which library a call belongs to"):
        for key in ("NumPy", "PrivateUse1"):
            op = f"{library.namespace}::{schema.partition('(')[0]}"
            if key == "NumPy":
                library.define(schema, tags="pointwise")
            library.impl(op, reports(key), key)
    arrays = {"a": a, "z": np.array(1.0), "n": np.float64(1.0), "m": Mine()}
    names = {name: getattr(library.ops, name) for name in library.ops}
    assert outcome(call, names | arrays) == backend


@pytest.mark.parametrize(
    ("call", "overload"), [*rows("Which overload a call means", 2)]
)
def test_overloads(library: Library, call: str, overload: str) -> None:
    """The overload that the table names is the one that is called."""
    for schema in schemas("Which overload a call means"):
        name = schema.partition("(")[0]
        answer = reports(name if "." in name else f"{name}.default")
        define(library, schema, answer, tags="pointwise")
    arrays = {"a": a, "z": np.array(1.0), "n": np.float64(1.0)}
    assert outcome(call, {"f": library.ops.f, **arrays}) == overload


class Level(enum.IntEnum):
    """A subclass of int."""

    LOW = 1


class Name(str):
    """A subclass of str."""

    __slots__ = ()


class Real(float):
    """A subclass of float."""

    __slots__ = ()


class Items(list[Any]):
    """A subclass of list."""


class Pair(NamedTuple):
    """A subclass of tuple."""

    first: Any
    second: Any


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("int", Level.LOW),
        ("Scalar", Level.LOW),
        ("str", Name("floor")),
        ("Device", Name("cpu")),
        ("Scalar", Real(0.5)),
        ("int[]", Items([1, 2])),
        ("int[]", Pair(1, 2)),
        ("Tensor[]", Items([a])),
        ("Tensor[]", Pair(a, a)),
    ],
)
def test_subclasses_of_builtins(library: Library, type_: str, value: Any) -> None:
    """A subclass is taken where its base is, and the kernel gets the very object."""
    define(library, f"f(Tensor x, {type_} value) -> Tensor", last)
    assert library.ops.f(a, value) is value


def test_class_attribute_of_an_argument_is_not_asked(library: Library) -> None:
    """An object that only says it is an array is none."""

    class Liar:
        """Says that it is an array."""

        __class__: Any = property(lambda self: np.ndarray)

    define(library, "f(Tensor x) -> Tensor")
    assert isinstance(Liar(), np.ndarray)
    with pytest.raises(errors.OverloadError):
        library.ops.f(Liar())


def test_array_class_that_is_a_tuple(library: Library) -> None:
    """A registered subclass of tuple is an array, and a list of them is a list."""
    define(library, "f(Tensor x) -> Tensor", reports("f"), "PrivateUse1")
    define(library, "cat(Tensor[] xs) -> Tensor", reports("cat"), "PrivateUse1")
    dual = Pair(a, a)
    with pytest.raises(errors.OverloadError):
        library.ops.f(dual)
    with register_array_type(Pair, "PrivateUse1"):
        assert library.ops.f(dual) == "f"
        assert library.ops.cat([dual, dual]) == "cat"
    with pytest.raises(errors.OverloadError):
        library.ops.f(dual)


def test_default_list_is_not_shared(library: Library) -> None:
    """A kernel cannot change what the next call has for a default."""

    def kernel(x: Any, dims: Any, sizes: Any) -> Any:
        return dims, sizes

    schema = "f(Tensor x, int[] dims=[0, 1], int[2] sizes=1) -> Tensor"
    define(library, schema, kernel)
    assert library.ops.f(a) == ((0, 1), (1, 1))
    assert library.ops.f.default.at("NumPy", a) == ((0, 1), (1, 1))


@pytest.mark.parametrize(
    ("declared", "gets"),
    [
        ("int[2] d=3", (3, 3)),
        ("int[2]? d=3", (3, 3)),
        ("SymInt[1]? d=0", (0,)),
        ("bool[2] d=True", (True, True)),
        ("int[2]? d=None", None),
        ("int[2] d=[1, 2]", (1, 2)),
        ("Tensor[] d=[]", ()),
        ("float d=1", 1.0),
        ("float? d=1", 1.0),
        ("float[2] d=1", (1.0, 1.0)),
        ("float[] d=[1, 2]", (1.0, 2.0)),
    ],
)
def test_defaults_have_the_form_of_arguments(
    library: Library, declared: str, gets: object
) -> None:
    """A lone default of a sized list is repeated, whatever the list is wrapped in."""
    define(library, f"f(Tensor x, {declared}) -> Tensor", last)
    assert repr(library.ops.f(a)) == repr(gets)


def test_list_that_contains_itself(library: Library) -> None:
    """A list without end is refused with operator and argument, and quickly."""
    define(library, "f(Tensor[] xs) -> Tensor")
    endless: list[Any] = []
    endless.extend([endless] * 1000)
    with pytest.raises(errors.OverloadError) as caught:
        library.ops.f(endless)
    assert caught.value.refusals[0][1] == (
        "argument 'xs' takes Tensor[], not list[list[list[list[list]]]]"
    )


def test_long_list(library: Library) -> None:
    """A list of 100,000 arrays brings the keys of its items, the last one's too."""
    define(library, "f(Tensor[] xs) -> Tensor", len)
    assert library.ops.f([a] * 100_000) == 100_000
    with pytest.raises(errors.OverloadError):
        library.ops.f([*[a] * 100_000, "no array"])


@pytest.mark.usefixtures("mine")
def test_list_is_looked_at_on_every_call(library: Library) -> None:
    """What one list brought says nothing about the next list."""
    for key in ("NumPy", "PrivateUse1"):
        if key == "NumPy":
            library.define("cat(Tensor[] xs) -> Tensor")
        library.impl("cat", reports(key), key)
    cat = library.ops.cat
    xs: list[Any] = [a]
    assert cat(xs) == "NumPy"
    xs[0] = Mine()
    assert cat(xs) == "PrivateUse1"
    xs.append(a)
    with pytest.raises(errors.MixedBackendsError):
        cat(xs)
    assert cat((a,)) == "NumPy"


def test_name_of_a_backend_is_known_from_the_next_call_on(library: Library) -> None:
    """A device that is a backend's name means it while the name is given."""
    library.define("zeros(int[] size, *, Device? device=None) -> Tensor")
    library.impl("zeros", reports("NumPy"), "NumPy")
    library.impl("zeros", reports("mine"), "PrivateUse1")
    zeros = library.ops.zeros
    assert zeros([1], device="mine") == "NumPy"
    with rename_backend("PrivateUse1", "mine"):
        assert zeros([1], device="mine") == "mine"
    assert zeros([1], device="mine") == "NumPy"


class Base(Mine):
    """A registered class, and below it another one."""


class Derived(Base):
    """A subclass with a registration of its own."""


class Leaf(Derived):
    """A subclass without one."""


def test_nearest_registration_in_the_mro_decides(library: Library) -> None:
    """A class belongs to the nearest registered class among its bases."""
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", reports("base"), "PrivateUse1")
    library.impl("f", reports("derived"), "PrivateUse2")
    f = library.ops.f
    with register_array_type(Base, "PrivateUse1"):
        assert f(Leaf()) == "base"
        with register_array_type(Derived, "PrivateUse2"):
            assert [f(Base()), f(Derived()), f(Leaf())] == ["base"] + ["derived"] * 2
        assert f(Leaf()) == "base"


def test_registering_a_class_again(library: Library) -> None:
    """The newest registration of a class counts; undone in any order, the others."""
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", reports("one"), "PrivateUse1")
    library.impl("f", reports("two"), "PrivateUse2")
    first = register_array_type(Base, "PrivateUse1")
    second = register_array_type(Base, "PrivateUse2")
    assert library.ops.f(Base()) == "two"
    first()
    assert library.ops.f(Base()) == "two"
    second()
    with pytest.raises(errors.OverloadError):
        library.ops.f(Base())


@pytest.mark.parametrize(
    ("cls", "problem"),
    [
        (3, "register_array_type takes a class first, not int"),
        (a, "register_array_type takes a class first, not ndarray"),
        (
            list,
            "list cannot be a class of arrays: schemas have another use for it;"
            " register a subclass",
        ),
        (
            list[int],
            "register_array_type takes a class first, not GenericAlias; list[int] is an"
            " annotation, name the class",
        ),
        (
            np.ndarray[Any, Any],
            "register_array_type takes a class first, not GenericAlias;"
            " numpy.ndarray[typing.Any, typing.Any] is an annotation, name the class",
        ),
        (
            int | str,
            "register_array_type takes a class first, not UnionType; int | str is an"
            " annotation, name the class",
        ),
        (TypeVar("T"), "register_array_type takes a class first, not TypeVar"),
        (
            Any,
            "Any says what arrays look like, and classes that merely do are not found"
            " by it; register the classes themselves",
        ),
        (
            SupportsFloat,
            "SupportsFloat says what arrays look like, and classes that merely do are"
            " not found by it; register the classes themselves",
        ),
        (
            object,
            "object cannot be a class of arrays: schemas have another use for it;"
            " register a subclass",
        ),
    ],
)
def test_what_cannot_be_an_array_class(cls: Any, problem: str) -> None:
    """What is no class, or means something else in schemas, is refused."""
    with pytest.raises(errors.ArrayTypeError) as caught:
        register_array_type(cls, "NumPy")
    assert str(caught.value) == problem
    assert isinstance(caught.value, TypeError)


@pytest.mark.usefixtures("mine")
def test_kernel_for_arrays_of_several_libraries(library: Library) -> None:
    """A kernel that says it takes arrays of several libraries gets them."""
    op = library.define("f(Tensor x, Tensor y) -> Tensor").op
    library.impl(op, reports("mine only"), "PrivateUse1")
    with pytest.raises(errors.MixedBackendsError):
        library.ops.f(a, Mine())
    undo = library.impl(op, reports("both"), "PrivateUse1", override=True, mixed=True)
    assert library.ops.f(a, Mine()) == library.ops.f(Mine(), a) == "both"
    undo()
    with pytest.raises(errors.MixedBackendsError):
        library.ops.f(a, Mine())
    assert explain(library.ops.f, a, Mine()).refusal == (
        "it does not take arrays of NumPy and PrivateUse1 in one call"
    )
