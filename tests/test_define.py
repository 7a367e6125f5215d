"""Operators defined at run time behave as generated ones."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from keyslot import Library, errors, explain

from .calling import a, define, last, ops, reports, seen


@pytest.mark.parametrize(
    "overload",
    ["add.Tensor", "add.out", "sum.dim_IntList", "cat.default", "zeros.default"],
)
def test_same_as_generated(library: Library, overload: str) -> None:
    """The same schema, generated and defined: names, signature, form of arguments."""
    name, _, rest = overload.partition(".")
    generated = getattr(getattr(ops, name), rest)
    defined = define(library, generated.schema_text)
    for attribute in ("__name__", "__qualname__", "qualified_name", "schema"):
        assert getattr(defined, attribute) == getattr(generated, attribute)
    assert inspect.signature(defined) == inspect.signature(generated)
    assert {*dir(generated)} - {*dir(defined)} <= {"cache_shape"}


def test_doc(library: Library) -> None:
    """The text given with a definition documents the operator and its overload."""
    op = library.define("f(Tensor x) -> Tensor", doc="Do nothing.").op
    assert op.__doc__ == "f(Tensor x) -> Tensor\n\nDo nothing."
    assert library.ops.f.__doc__ == "Do nothing."
    library.define("g(Tensor x) -> Tensor")
    assert library.ops.g.__doc__ == "g(Tensor x) -> Tensor"


def test_names_of_the_function(library: Library) -> None:
    """The function is named as the operator, and says where it belongs."""
    define(library, "f(Tensor x) -> Tensor")
    function = library.ops.f
    assert function.__name__ == "f"
    assert function.__qualname__ == f"ops.{library.namespace}.f"
    assert repr(function).startswith(f"<function ops.{library.namespace}.f at ")


def test_signature_of_the_function(library: Library) -> None:
    """With one overload the function shows its signature, with several its own."""
    define(library, "f.one(Tensor x, *, int n=1) -> Tensor")
    assert str(inspect.signature(library.ops.f)) == "(x, *, n=1)"
    two = library.define("f.two(Tensor x, Tensor y) -> Tensor")
    assert [*inspect.signature(library.ops.f).parameters] == ["args", "kwargs"]
    two()
    assert str(inspect.signature(library.ops.f)) == "(x, *, n=1)"


def test_namespace_in_the_schema(library: Library) -> None:
    """A schema may name its namespace, which has to be that of the Library."""
    op = define(library, f"{library.namespace}::f(Tensor x) -> Tensor")
    assert op.name == f"{library.namespace}::f"
    assert library.ops.f(a) == seen(a)
    library.impl(op.name, reports("again"), "NumPy", override=True)
    library.impl(f"{op.name}.default", last, "AutogradNumPy")
    assert library.ops.f(a) is a


def test_schema_is_checked_before_anything_changes(library: Library) -> None:
    """A schema that is refused leaves no operator behind."""
    for schema in ("f(Tensor x", "f(Tensor x, Tensor x) -> Tensor", "", "f"):
        with pytest.raises(errors.SchemaError):
            library.define(schema)
    assert [*library.ops] == []


def test_tags(library: Library) -> None:
    """Tags are kept as those of generated overloads are; pointwise takes numbers."""
    schema = "f.{}(Tensor x, *, Tensor by_{}) -> Tensor"
    tags = ["view_copy", "pointwise", "view_copy"]
    named = [
        define(library, schema.format("none", "none")),
        define(library, schema.format("one", "one"), tags="pointwise"),
        library.define(schema.format("two", "two"), tags=iter(tags)).op,
    ]
    assert [op.tags for op in named] == [
        (),
        ("pointwise",),
        ("pointwise", "view_copy"),
    ]
    assert [op.takes_numbers for op in named] == [False, True, True]
    assert library.ops.f(a, by_one=2) == seen(a, by_one=2)
    with pytest.raises(errors.OverloadError):
        library.ops.f(a, by_none=2)


def test_what_is_no_tag(library: Library) -> None:
    """Text that is no name and what is no text are refused, and nothing is defined."""
    wrong: list[Any] = ["in place", "", ["pointwise", 3], [["pointwise"]], 3, None]
    for tags in wrong:
        with pytest.raises(errors.LibraryError, match="tag"):
            library.define("f(Tensor x) -> Tensor", tags=tags)
    assert [*library.ops] == []


def test_overload_that_takes_the_number_is_found(library: Library) -> None:
    """A number goes to the overload that has a place for it, whatever comes first."""
    define(library, "f.Tensor(Tensor x, Tensor y) -> Tensor", reports("Tensor"))
    undo = library.define("f.Scalar(Tensor x, Scalar y) -> Tensor")
    library.impl("f.Scalar", reports("Scalar"), "NumPy")
    assert library.ops.f(a, 2) == "Scalar"
    (_, why), (_, chosen) = explain(library.ops.f, a, 2).ranking
    assert why.startswith("argument 'y' takes Tensor, not int; pass an array")
    assert chosen == "exact match"
    undo()
    with pytest.raises(errors.OverloadError):
        library.ops.f(a, 2)
    define(library, "f.both(Tensor x, Tensor y, int n=0) -> Tensor", tags="pointwise")
    assert library.ops.f(a, 2) == seen(a, 2, 0)


def test_many_operators(library: Library) -> None:
    """A thousand operators are as easy as one, and all are gone afterwards."""
    registrations = [
        library.define(f"f{number}(Tensor x) -> Tensor") for number in range(1000)
    ]
    define(library, "last(Tensor x) -> Tensor")
    assert len(library.ops) == 1001
    assert library.ops.last(a) == seen(a)
    for registration in registrations:
        registration()
    assert [*library.ops] == ["last"]


def test_nested_tensor_lists_bring_keys(library: Library) -> None:
    """Arrays in lists of lists decide, as those anywhere else."""
    define(library, "f(Tensor[][] xs) -> Tensor", reports("f"))
    f: Any = library.ops.f
    assert f([[a], []]) == f(((a, a),)) == "f"
    with pytest.raises(errors.NoArrayError):
        f([[], []])


def test_mutated_optional_is_handed_on(library: Library) -> None:
    """An optional that the kernel writes to, left away or not, is the kernel's."""
    schema = "f(Tensor x, Tensor(a!)? buffer=None) -> ()"
    define(library, schema, last)
    assert library.ops.f(a) is None
    assert library.ops.f(a, buffer=a) is a
    assert str(library.ops.f.default.schema) == schema


def test_explicit_default_is_handed_on(library: Library) -> None:
    """A kernel sees every argument, whether the call gave it or not."""
    define(library, "f(Tensor x, int n=1, *, bool m=False) -> Tensor")
    expected = seen(a, 1, m=False)
    assert library.ops.f(a) == library.ops.f(a, 1, m=False) == expected
