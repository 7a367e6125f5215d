"""Random text never breaks the parser, and random schemas print what they are."""

from __future__ import annotations

import pickle

from hypothesis import example, given
from hypothesis import strategies as st

from keyslot.runtime.errors import SchemaError
from keyslot.runtime.schema import (
    BASE_TYPES,
    AliasSet,
    Argument,
    BaseType,
    FunctionSchema,
    ListType,
    OptionalType,
    Return,
    Type,
    parse_schema,
)

WRITE = AliasSet(("a",), is_write=True)
BASES = (*BASE_TYPES.values(), BaseType("__torch__.torch.classes.a.B"))
TENSOR = BASE_TYPES["Tensor"]
WRITABLE: tuple[Type, ...] = (TENSOR, ListType(TENSOR))
SIZED = ("SymInt", "bool", "float", "int")

# --- text -----------------------------------------------------------------------------

WORDS = """
    ( ) [ ] [2] ? * , . :: -> ! | = " ' \\ - 1 -1 .5 1e-05 2j 007 1e999 $ é ...
    f f_ aten out self x y a b Tensor int bool Scalar str Dict Any None True Mean long
    __torch__ __torch__.torch.classes.a.B "text" 'it' (a) (a!) (a|b) (*)
"""
PHRASES = (
    " ",
    ", ",
    ") -> ",
    "Tensor x",
    "Tensor(a!) self",
    "*, ",
    "int y=1",
    "\n",
    "\0",
)
FRAGMENTS = st.sampled_from([*WORDS.split(), *PHRASES])


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Draw a good schema in which a few places were changed."""
    text = (
        "aten::add_.out(Tensor(a!) self, Tensor?[] other, int[2] dim=[0, -1], *, "
        "Scalar alpha=1, str mode='none', Tensor(b -> *)[] more) -> Tensor(a!)"
    )
    for _ in range(draw(st.integers(1, 3))):
        first = draw(st.integers(0, len(text)))
        last = draw(st.integers(first, min(first + 6, len(text))))
        text = text[:first] + draw(FRAGMENTS | st.just("")) + text[last:]
    return text


def parse_or_refuse(text: str) -> FunctionSchema | SchemaError:
    """Return the schema, or the error; any other error is one of the parser."""
    try:
        return parse_schema(text)
    except SchemaError as error:
        return error


@given(st.text() | st.lists(FRAGMENTS, max_size=40).map("".join) | damaged())
@example("f(Tensor x) -> Tensor\u2028")
@example("f(str x='\ud800') -> ()")
@example("f(int x=\u0663) -> ()")
def test_random_text(text: str) -> None:
    """Any text is a schema that prints and parses again, or a located SchemaError."""
    answer = parse_or_refuse(text)
    if isinstance(answer, SchemaError):
        assert 1 <= answer.column <= len(text) + 1
        assert str(answer).startswith(f"column {answer.column}: {answer.problem}\n")
    else:
        assert "".join(str(answer).split()) == "".join(text.split())
        assert parse_schema(str(answer)) == answer
        assert all(arg.default == arg.default for arg in answer.arguments)


# --- schemas --------------------------------------------------------------------------

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,7}", fullmatch=True)
PLAIN_NAMES = NAMES.filter(lambda name: name not in ("None", "True", "False"))
OVERLOADS = NAMES.filter(lambda name: name != "default" and name[:2] != "__")
FUNCTIONAL_NAMES = NAMES.map(lambda name: name.rstrip("_") + "_v")
SCALARS = {
    "Any": st.sampled_from(["None", "1", "'x'"]),
    "Device": st.sampled_from(["'cpu'", '"cuda:0"']),
    "DeviceIndex": st.integers(0, 7).map(str),
    "Layout": st.just("strided"),
    "MemoryFormat": st.just("preserve_format"),
    "Scalar": st.integers(-9, 9).map(str) | st.floats(0, 1e300).map(repr),
    "ScalarType": st.sampled_from(["long", "float", "bool", "4"]),
    "SymBool": st.sampled_from(["True", "False"]),
    "SymInt": st.integers(-(2**63), 2**63 - 1).map(str),
    "bool": st.sampled_from(["True", "False"]),
    "complex": st.sampled_from(["2j", "-0.5j", "1"]),
    "float": st.floats(allow_nan=False, allow_infinity=False).map(repr),
    "int": st.integers(-(2**63), 2**63 - 1).map(str) | st.just("Mean"),
    "str": st.text(st.characters(exclude_characters="\\'\n")).map("'{}'".format),
}


def types() -> st.SearchStrategy[Type]:
    """Draw types, nested a few levels deep."""

    def wrap(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
        plain = inner.filter(lambda type: not isinstance(type, OptionalType))
        sized = st.sampled_from(SIZED).map(BASE_TYPES.__getitem__)
        return (
            inner.map(ListType)
            | plain.map(OptionalType)
            | st.builds(ListType, sized, st.integers(1, 6))
        )

    return st.recursive(st.sampled_from(BASES), wrap, max_leaves=3)


def defaults(type: Type) -> st.SearchStrategy[str]:
    """Draw texts of defaults that a type can have; it may have none."""
    if isinstance(type, OptionalType):
        return st.just("None") | defaults(type.element)
    if isinstance(type, BaseType):
        return SCALARS.get(type.name, st.nothing())
    item = defaults(type.element)
    if type.size is not None:
        return item | st.lists(item, min_size=type.size, max_size=type.size).map(listed)
    items = st.just([]) if item.is_empty else st.lists(item, max_size=3)
    return items.map(listed)


def listed(items: list[str]) -> str:
    """Return the text of a list."""
    return f"[{', '.join(items)}]"


@st.composite
def arguments(draw: st.DrawFn, taken: tuple[str, ...] = ()) -> list[Argument]:
    """Draw arguments that are not written to, in an order that a schema may have."""
    names = draw(st.lists(PLAIN_NAMES, max_size=5, unique=True))
    star = draw(st.integers(0, len(names)))
    result: list[Argument] = []
    for place, name in enumerate(names):
        type = draw(types())
        mark = draw(st.none() | st.just(AliasSet((f"a{place}", "z"), after=("*",))))
        text = draw(st.none() | defaults(type))
        if place < star and result and result[-1].has_default and text is None:
            star = place
        if name not in taken:
            marks = () if mark is None else (mark,)
            result.append(Argument(name, type, marks, place >= star, text))
    return result


@st.composite
def functional(draw: st.DrawFn) -> FunctionSchema:
    """Draw a schema that writes to nothing; results may share what arguments have."""
    args = draw(arguments())
    shared = [AliasSet(mark.before[:1]) for arg in args for mark in arg.marks if mark]
    marks = st.sampled_from([None, AliasSet(("*",)), *shared])
    results = [
        Return(name, draw(types()), () if (mark := draw(marks)) is None else (mark,))
        for name in draw(
            st.just([None]) | st.just([None, None]) | st.lists(NAMES, unique=True)
        )
    ]
    return FunctionSchema(
        draw(st.none() | NAMES),
        draw(FUNCTIONAL_NAMES),
        draw(st.just("") | OVERLOADS),
        tuple(args),
        tuple(results),
    )


@st.composite
def inplace(draw: st.DrawFn) -> FunctionSchema:
    """Draw a schema that writes to its self and returns it, or nothing."""
    owner = Argument("self", draw(st.sampled_from(WRITABLE)), (WRITE,))
    args = (owner, *draw(arguments(taken=("self",))))
    results = draw(st.sampled_from([(), (Return(None, owner.type, owner.marks),)]))
    name = draw(FUNCTIONAL_NAMES) + "_"
    return FunctionSchema(None, name, draw(st.just("") | OVERLOADS), args, results)


@st.composite
def out(draw: st.DrawFn) -> FunctionSchema:
    """Draw a schema that writes its results to arguments given for them."""
    count = draw(st.integers(1, 3))
    marks = [AliasSet((f"o{place}",), is_write=True) for place in range(count)]
    names = [f"out{place}" for place in range(count)]
    args = [
        *draw(arguments(taken=tuple(names))),
        *(
            Argument(name, TENSOR, (mark,), keyword_only=True)
            for name, mark in zip(names, marks, strict=True)
        ),
    ]
    results = tuple(Return(None, TENSOR, (mark,)) for mark in marks)
    returned = draw(st.sampled_from([(), results]))
    name = draw(FUNCTIONAL_NAMES)
    return FunctionSchema("aten", name, "out", tuple(args), returned)


@given(functional() | inplace() | out())
def test_random_schema(schema: FunctionSchema) -> None:
    """A schema built from the model prints, and its text parses to an equal schema."""
    again = parse_schema(str(schema))
    assert again == schema
    assert hash(again) == hash(schema)
    assert str(again) == str(schema)
    assert pickle.loads(pickle.dumps(again)) == schema
    assert [arg.default for arg in again.arguments] == [
        arg.default for arg in schema.arguments
    ]
