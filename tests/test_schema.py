"""What a schema says is read from its text, and printed back as it was."""

from __future__ import annotations

import copy
import pickle
import time
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from keyslot.runtime.errors import SchemaError
from keyslot.runtime.schema import (
    BASE_TYPES,
    AliasSet,
    Argument,
    BaseType,
    FunctionSchema,
    ListType,
    OptionalType,
    Word,
    parse_schema,
)

TENSOR = BaseType("Tensor")
INT = BaseType("int")
DATA = Path(__file__).parent / "data"
ACCEPTED = [
    line
    for line in (DATA / "schemas.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def parse_argument(text: str) -> Argument:
    """Return the one argument written."""
    (argument,) = parse_schema(f"f({text}) -> ()").arguments
    return argument


def parse_or_refuse(text: str) -> FunctionSchema | SchemaError:
    """Return the schema, or the error; any other error is one of the parser."""
    try:
        return parse_schema(text)
    except SchemaError as error:
        return error


@pytest.mark.parametrize("text", ACCEPTED)
def test_text_is_printed_back(text: str) -> None:
    """Parsing loses nothing: the schema prints as the very text it was read from."""
    assert str(parse_schema(text)) == text


@pytest.mark.parametrize("text", ACCEPTED)
def test_schema_is_a_value(text: str) -> None:
    """Schemas of one text are equal, hash alike, and survive pickle and copy."""
    schema = parse_schema(text)
    again = parse_schema(text)
    assert schema == again
    assert hash(schema) == hash(again)
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert copy.deepcopy(schema) == schema


def test_parts_of_a_schema() -> None:
    """Every part of the text is found in the model."""
    schema = parse_schema(
        "aten::sort.values_stable(Tensor self, *, bool? stable, int dim=-1, "
        "Tensor(a!) values, Tensor(b!) indices) "
        "-> (Tensor(a!) values, Tensor(b!) indices)"
    )
    assert schema.namespace == "aten"
    assert schema.name == "sort"
    assert schema.overload == schema.overload_name == "values_stable"
    assert schema.qualified == "sort.values_stable"
    assert [arg.name for arg in schema.positional] == ["self"]
    assert [arg.name for arg in schema.keyword_only] == [
        "stable",
        "dim",
        "values",
        "indices",
    ]
    assert [arg.name for arg in schema.out] == ["values", "indices"]
    assert schema.arguments == (*schema.positional, *schema.keyword_only)
    assert [arg.has_default for arg in schema.arguments] == [False] * 2 + [
        True,
        False,
        False,
    ]
    assert schema.arguments[1].type == OptionalType(BaseType("bool"))
    assert schema.arguments[3].alias == AliasSet(("a",), is_write=True)
    assert [ret.name for ret in schema.returns] == ["values", "indices"]
    assert schema.returns[1].alias == AliasSet(("b",), is_write=True)


def test_overload_without_a_name() -> None:
    """The overload without a name is called default, and its text has no dot."""
    schema = parse_schema("relu(Tensor self) -> Tensor")
    assert schema.namespace is None
    assert schema.overload == ""
    assert schema.overload_name == "default"
    assert schema.qualified == "relu"


@pytest.mark.parametrize(
    ("text", "inplace", "out", "mutable", "view"),
    [
        ("add(Tensor self) -> Tensor", False, False, False, False),
        ("add_(Tensor(a!) self) -> Tensor(a!)", True, False, True, False),
        ("__ior__(Tensor(a!) self) -> Tensor(a!)", True, False, True, False),
        ("__or__(Tensor self) -> Tensor", False, False, False, False),
        ("f.out(*, Tensor(a!) out) -> Tensor(a!)", False, True, True, False),
        ("view(Tensor(a) self) -> Tensor(a)", False, False, False, True),
        ("split(Tensor(a -> *) self) -> Tensor(a)[]", False, False, False, True),
        ("f(Tensor(a!) x, Tensor y) -> ()", False, False, True, False),
    ],
)
def test_kind_of_a_schema(
    text: str, inplace: bool, out: bool, mutable: bool, view: bool
) -> None:
    """A schema knows whether it is in-place, an out variant, mutable or a view."""
    schema = parse_schema(text)
    assert schema.is_inplace is inplace
    assert schema.is_out is out
    assert schema.is_mutable is mutable
    assert schema.is_view is view


@pytest.mark.parametrize("name", BASE_TYPES)
def test_every_base_type(name: str) -> None:
    """Each base type can be taken and returned, alone, optional and in a list."""
    schema = parse_schema(f"f({name} a, {name}? b, {name}[] c) -> {name}")
    base = BaseType(name)
    assert [arg.type for arg in schema.arguments] == [
        base,
        OptionalType(base),
        ListType(base),
    ]
    assert schema.returns[0].type == base


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("int[2]?", OptionalType(ListType(INT, 2))),
        ("Tensor?[]", ListType(OptionalType(TENSOR))),
        ("Tensor?[]?", OptionalType(ListType(OptionalType(TENSOR)))),
        ("Tensor[][]", ListType(ListType(TENSOR))),
        ("bool[3]", ListType(BaseType("bool"), 3)),
        ("__torch__.torch.classes.a.B", BaseType("__torch__.torch.classes.a.B")),
    ],
)
def test_nested_types(text: str, type: object) -> None:
    """What stands after a type wraps it, from left to right."""
    argument = parse_argument(f"{text} x")
    assert argument.type == type
    assert str(argument.type) == text
    assert str(argument.type.base) == text.rstrip("?[]0123456789")


@pytest.mark.parametrize(
    ("text", "marks", "alias"),
    [
        ("Tensor", (), None),
        ("Tensor(a)", (AliasSet(("a",)),), AliasSet(("a",))),
        ("Tensor(a!)?", (AliasSet(("a",), True),), AliasSet(("a",), True)),
        ("Tensor(a0|b)[]", (AliasSet(("a0", "b")),), AliasSet(("a0", "b"))),
        (
            "Tensor(a -> *)",
            (AliasSet(("a",), after=("*",)),),
            AliasSet(("a",), False, ("*",)),
        ),
        (
            "Tensor(a! -> b|c)",
            (AliasSet(("a",), True, ("b", "c")),),
            AliasSet(("a",), True, ("b", "c")),
        ),
        ("Tensor[](a!)", (None, AliasSet(("a",), True)), AliasSet(("a",), True)),
        (
            "Tensor(a!)[](b)",
            (AliasSet(("a",), True), AliasSet(("b",))),
            AliasSet(("b",)),
        ),
    ],
)
def test_alias_marks(
    text: str, marks: tuple[AliasSet | None, ...], alias: AliasSet | None
) -> None:
    """Marks are kept level by level, and the type is the same without them."""
    argument = parse_argument(f"{text} x")
    plain = "".join(
        part.partition(")")[2] if n else part for n, part in enumerate(text.split("("))
    )
    assert argument.marks == marks
    assert argument.alias == alias
    assert argument.is_write is ("!" in text)
    assert argument.type == parse_argument(f"{plain} x").type


def test_wildcard_is_known() -> None:
    """The mark (*) says that anything may be shared, and asks for no argument."""
    schema = parse_schema("grad(Tensor a) -> Tensor(*)")
    (result,) = schema.returns
    assert result.alias is not None
    assert result.alias.is_wildcard


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Tensor? x=None", None),
        ("bool x=True", True),
        ("int x=-100", -100),
        ("int x=9223372036854775807", 2**63 - 1),
        ("int x=Mean", 1),
        ("float x=1", 1),
        ("float x=1.", 1.0),
        ("float x=.5", 0.5),
        ("float x=-1e-05", -1e-05),
        ("Scalar x=True", True),
        ("complex x=2j", 2j),
        ("int[] x=[]", []),
        ("int[2] x=[-2,-1]", [-2, -1]),
        ("int[2] x=[ 1 , 2 ]", [1, 2]),
        ("int[1] x=[-2,-1]", [-2, -1]),
        ("int[2] x=1", 1),
        ("int[1]? x=None", None),
        ("int[][] x=[[1], [2, 3]]", [[1], [2, 3]]),
        ("str[] x=['a, b', \"]\"]", ["a, b", "]"]),
        ("bool[3] x=[True, False, True]", [True, False, True]),
        ('str x=""', ""),
        ("str x='none'", "none"),
        (r"""str x="\"'\\" """.strip(), "\"'\\"),
        (r"""str x='"\'\\' """.strip(), "\"'\\"),
        (r'str x=" \n\t\f\v"', " \n\t\f\v"),
        ("ScalarType x=long", "long"),
        ("ScalarType? x=4", 4),
        ("Layout? x=strided", "strided"),
        ("MemoryFormat? x=contiguous_format", "contiguous_format"),
        ('Device x="cuda:0"', "cuda:0"),
        ("SymInt[2] x=0", 0),
        ("SymBool x=False", False),
        ("DeviceIndex x=0", 0),
        ("Any x=None", None),
    ],
)
def test_value_of_a_default(text: str, value: object) -> None:
    """A default is a Python value of the right type, and its text is kept."""
    argument = parse_argument(text)
    assert argument.has_default
    assert argument.default == value
    assert isinstance(argument.default, type(value))
    assert argument.default_text == text.split("=", 1)[1]


def test_bare_words_are_told_from_quoted_text() -> None:
    """A bare word is a string of its own class; a quoted one is a plain string."""
    assert type(parse_argument("ScalarType x=long").default) is Word
    assert type(parse_argument("str x='Mean'").default) is str


def test_default_lists_are_not_shared() -> None:
    """Whoever changes the list of a default changes no schema."""
    argument = parse_argument("int[] x=[1]")
    value = argument.default
    assert isinstance(value, list)
    value.append(2)
    assert argument.default == [1]


def test_no_default_is_not_the_default_none() -> None:
    """An argument without a default and one with the default None differ."""
    without, none = parse_schema("f(int? x, int? y=None) -> ()").arguments
    assert not without.has_default
    assert none.has_default
    assert without.default is none.default is None


@pytest.mark.parametrize(
    "text",
    [
        "f(Tensor a,Tensor b)->Tensor",
        "  f ( Tensor a , Tensor b ) -> Tensor  ",
        "f(\n\tTensor a,\n\tTensor b\n) -> Tensor\n",
    ],
)
def test_white_space_is_free(text: str) -> None:
    """Between tokens there may be any white space or none; printing makes it even."""
    assert str(parse_schema(text)) == "f(Tensor a, Tensor b) -> Tensor"


def test_model_is_frozen() -> None:
    """Nothing in a schema can be changed, and no attribute added."""
    schema = parse_schema("f(Tensor x) -> Tensor")
    for part in (schema, schema.arguments[0], schema.returns[0], TENSOR):
        with pytest.raises(FrozenInstanceError):
            part.name = "g"  # type: ignore[misc]
        assert not hasattr(part, "__dict__")


def test_error_has_its_facts() -> None:
    """The error carries text, column and problem, is a ValueError, and pickles."""
    text = "f(Tensor x, Tenser y) -> Tensor"
    with pytest.raises(ValueError) as caught:
        parse_schema(text)
    error = caught.value
    assert isinstance(error, SchemaError)
    assert (error.text, error.column) == (text, 13)
    assert error.problem == "unknown type 'Tenser'. Did you mean Tensor?"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_error_in_a_long_text_shows_its_place() -> None:
    """Of a long schema the message shows what is around the mistake."""
    arguments = ", ".join(f"Tensor argument_{n}" for n in range(100))
    with pytest.raises(SchemaError) as caught:
        parse_schema(f"f({arguments}, Tenser x, {arguments}) -> ()")
    problem, line, caret = str(caught.value).splitlines()
    assert problem == "column 1993: unknown type 'Tenser'. Did you mean Tensor?"
    assert line.startswith("    ...")
    assert line.endswith("...")
    assert line[caret.index("^") :].startswith("Tenser x, ")
    assert len(line) < 120


@pytest.mark.parametrize("space", ["\t", "\n", "\x1b", "\u2028"])
def test_caret_stands_under_the_mistake(space: str) -> None:
    """Tabs, line breaks and control characters do not move the caret."""
    with pytest.raises(SchemaError) as caught:
        parse_schema(f"f({space}Tensor x,{space}Tensor x) -> ()")
    _, line, caret = str(caught.value).splitlines()
    assert caret.index("^") - 4 == caught.value.column - 1
    assert space not in line


@pytest.mark.parametrize(
    "text",
    [
        "f(" + "Tensor(a) x, " * 5_000,
        "f(" + ", ".join(f"Tensor(a) x{n}" for n in range(3_900)) + ") -> Tensor(a)",
        "f(Tensor(a) x) -> (" + ", ".join(["Tensor(a)"] * 5_000) + ")",
        "f(" + ", ".join(f"int[] x{n}=[1, 2]" for n in range(3_000)) + ") -> ()",
        "f(Tensor(" + "|".join(f"a{n}" for n in range(9_000)) + ") x) -> ()",
        "f(Tensor(" + "|".join(f"a{n}" for n in range(9_000)) + "!) self) -> Tensor(*)",
        "f(Tensor" + "[]" * 30_000 + " x) -> ()",
        "f(Tensor" + "?[]" * 20_000 + " x) -> ()",
        "f(int[] x=" + "[" * 60_000,
        "f(str x=" + '\\"' * 30_000,
        "f(str x=" + "'\n" * 30_000,
        "f(int x=" + "1" * 60_000 + ") -> ()",
        "f(float x=" + "1" * 60_000 + ".5) -> ()",
        "f(__torch__" + ".a" * 30_000 + "! x) -> ()",
        "(" * 60_000,
        "f(" + "x" * 60_000 + " y) -> ()",
        " " * 60_000,
        "f" + " " * 60_000 + "(Tenser x) -> ()",
        "f(Tensor x) -> " * 4_000,
        "x" * 1_000_000,
    ],
    ids=lambda text: f"{text[:12]}-{text[-12:]}",
)
def test_absurd_text_is_answered_at_once(text: str) -> None:
    """No text makes the parser slow, or recurse without end."""
    start = time.perf_counter()
    answer = parse_or_refuse(text)
    assert time.perf_counter() - start < 2
    if isinstance(answer, SchemaError):
        assert 1 <= answer.column <= len(text) + 1
        assert len(str(answer)) < 500 or "__torch__" in text


def test_text_that_is_too_long() -> None:
    """A schema longer than the limit is refused without being read."""
    with pytest.raises(SchemaError) as caught:
        parse_schema("x" * 100_000)
    assert caught.value.problem == (
        "the text has 100,000 characters, and a schema may have 65,536"
    )
