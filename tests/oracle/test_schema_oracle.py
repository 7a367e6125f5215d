"""The schema language holds against PyTorch: its YAML, its parsers, its operators."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from typing import Any

import pytest
import torch
import yaml
from torchgen.model import FunctionSchema as TorchgenSchema

from keyslot.runtime.errors import SchemaError
from keyslot.runtime.schema import Default, FunctionSchema, Word, parse_schema

# Why schemas that PyTorch's runtime has are refused, as their messages tell it.
REASONS = {
    # Operators of TorchScript's interpreter: containers of any type, futures, enums.
    "a type of TorchScript": re.compile(r"is a type of TorchScript"),
    # Operators that take or return anything, any number of times, again TorchScript's.
    "variable arguments": re.compile(r"^'\.\.\.' is for TorchScript"),
    "tuples": re.compile(r"takes and returns no tuples"),
    # The rest is declared wrongly there, by torchgen's rules.
    "in-place without a mark": re.compile(r"names an in-place operator"),
    "out that is positional": re.compile(r"neither self nor keyword-only"),
    "doubled argument": re.compile(r"a second argument"),
}

# How many schemas that is, of those that `import torch` registers (2.13.0, CPU).
REFUSED = {
    "a type of TorchScript": 159,
    "variable arguments": 44,
    "tuples": 6,
    "in-place without a mark": 21,
    "out that is positional": 31,
    "doubled argument": 1,
}
# The namespaces that hold them. prims, aten's tensor operators and so on: none.
NAMESPACES = {
    "a type of TorchScript": {"aten", "prim", "profiler"},
    "variable arguments": {"aten", "prim", "static_runtime"},
    "tuples": {"aten"},
    "in-place without a mark": {"aten", "c10d", "inductor"},
    "out that is positional": {"inductor", "quantized", "symm_mem"},
    "doubled argument": {"static_runtime"},
}


def native_schemas() -> list[str]:
    """Return the func of every entry of the installed native_functions.yaml."""
    folder = files("torchgen") / "packaged" / "ATen" / "native"
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = (folder / "native_functions.yaml").read_text("utf-8")
    return [entry["func"] for entry in yaml.load(text, Loader=loader)]


def runtime_schemas() -> list[str]:
    """Return, as printed, the schema of every operator that `import torch` registers.

    A fresh process is asked: other tests import more of PyTorch.
    """
    program = (
        "import torch\nfor schema in torch._C._jit_get_all_schemas(): print(schema)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    # Builds for GPUs register operators of their own, some in types of C++.
    return sorted(s for s in {*done.stdout.splitlines()} if not s.startswith("cuda::"))


NATIVE = native_schemas()


def test_native_functions_print_back() -> None:
    """All 2,584 schemas of native_functions.yaml are read and printed unchanged."""
    assert len(NATIVE) == 2_584
    assert [func for func in NATIVE if str(parse_schema(func)) != func] == []


def test_native_functions_read_as_torchgen_reads_them() -> None:
    """Names, arguments, types, defaults, marks and results are torchgen's."""
    for func in NATIVE:
        ours, theirs = parse_schema(func), TorchgenSchema.parse(func)
        assert ours.name == str(theirs.name.name)
        assert ours.overload == theirs.name.overload_name
        assert ours.is_inplace == theirs.name.name.inplace
        assert ours.is_out == theirs.is_out_fn()
        assert ours.is_mutable == theirs.is_mutable
        assert [arg.name for arg in ours.out] == [
            arg.name for arg in theirs.arguments.out
        ]
        positional = theirs.arguments.flat_positional
        assert [arg.name for arg in ours.positional] == [arg.name for arg in positional]
        arguments = list(theirs.schema_order_arguments())
        for arg, other in zip(ours.arguments, arguments, strict=True):
            assert arg.name == other.name
            assert str(arg.type) == str(other.type)
            assert arg.default_text == other.default
            assert_same_mark(arg.alias, other.annotation)
        for result, other in zip(ours.returns, theirs.returns, strict=True):
            assert result.name == other.name
            assert str(result.type) == str(other.type)
            assert_same_mark(result.alias, other.annotation)


def assert_same_mark(ours: Any, theirs: Any) -> None:
    """Compare one alias mark with torchgen's annotation."""
    assert (ours is None) == (theirs is None)
    if theirs is not None:
        assert ours.before == theirs.alias_set
        assert ours.is_write == theirs.is_write
        assert ours.after == theirs.alias_set_after


def test_native_functions_read_as_the_runtime_reads_them() -> None:
    """PyTorch's own parser finds the same arguments, defaults and results."""
    for func in NATIVE:
        ours, theirs = parse_schema(func), torch._C.parse_schema(func)
        assert ours.overload == theirs.overload_name
        assert ours.is_mutable == theirs.is_mutable
        assert len(ours.returns) == len(theirs.returns)
        for arg, other in zip(ours.arguments, theirs.arguments, strict=True):
            assert arg.name == other.name
            assert arg.keyword_only == other.kwarg_only
            assert arg.has_default == other.has_default_value()
            if arg.has_default:
                assert same_default(arg.default, other.default_value)


def same_default(ours: Default, theirs: Any) -> bool:
    """Return whether PyTorch has the value that ours stands for."""
    if isinstance(ours, Word):
        # The runtime has the numbers of C++ enums.
        return bool(theirs == {"contiguous_format": 0, "long": 4}[ours])
    if isinstance(theirs, list) and not isinstance(ours, list):
        return all(item == ours for item in theirs)
    return bool(ours == theirs)


def test_runtime_schemas() -> None:
    """Of PyTorch's registered schemas all are read but those of the list above."""
    read = 0
    refused: Counter[str] = Counter()
    namespaces: dict[str, set[str]] = {reason: set() for reason in REASONS}
    for text in runtime_schemas():
        try:
            schema = parse_schema(text)
        except SchemaError as error:
            (reason,) = [
                name for name, words in REASONS.items() if words.search(error.problem)
            ]
            refused[reason] += 1
            namespaces[reason].add(text.split("::")[0])
        else:
            read += 1
            assert str(schema) == text
            assert_runtime_agrees(schema)
    assert read == 4_112
    assert refused == REFUSED
    assert namespaces == NAMESPACES


def assert_runtime_agrees(schema: FunctionSchema) -> None:
    """Hold the mutability of each argument against that of the registered operator."""
    theirs = torch._C._get_schema(f"{schema.namespace}::{schema.name}", schema.overload)
    assert schema.is_mutable == theirs.is_mutable
    for arg, other in zip(schema.arguments, theirs.arguments, strict=True):
        assert arg.name == other.name
        assert arg.has_default == other.has_default_value()
        assert arg.is_write == (other.alias_info is not None and other.is_write)


# What docs/schema-language.md says about the other two parsers.
STRICTER = [
    # schema, accepted by torchgen, accepted by PyTorch's runtime
    ("f(Tensor x,) -> Tensor", True, False),
    ("f(Tensor x,, Tensor y) -> ()", True, False),
    ("f(Tensor x, Tensor x) -> Tensor", True, True),
    ("f(*, *, Tensor x) -> Tensor", False, True),
    ("f(Tensor x, *) -> Tensor", False, True),
    ("f(int x=1, Tensor y) -> Tensor", True, False),
    ("f(int x=1.5) -> Tensor", True, True),
    ("f(bool x=2) -> Tensor", True, True),
    ("f(int x=True) -> Tensor", True, True),
    ("f(Tensor x=None) -> Tensor", True, True),
    ("f(float x=inf) -> Tensor", True, False),
    ("f(ScalarType x=bogus) -> Tensor", True, False),
    ("f(int x=007) -> Tensor", True, True),
    ("f(int[2] x=[1, 2, 3]) -> Tensor", False, True),
    ("f(int[0] x) -> Tensor", False, True),
    ("f(Tensor[2] x) -> Tensor", True, True),
    ("f(Tensor?? x) -> Tensor", True, True),
    ("f(Tensor! x) -> Tensor", False, True),
    ("f(Tensor(*!) x) -> Tensor", False, True),
    ("f(int(a!) x) -> Tensor", False, True),
    ("f(Tensor x) -> Tensor(a)", True, True),
    ("f(Tensor(a!) x) -> Tensor(a)", True, True),
    ("f(Tensor(a) x) -> Tensor(a!)", False, True),
    ("f_(Tensor self) -> Tensor", False, True),
    ("f_(Tensor(a!) self) -> Tensor", False, True),
    ("f.out(Tensor x, *, Tensor(a!) out) -> Tensor", False, True),
    ("f.out(Tensor x, Tensor(a!) out) -> Tensor(a!)", False, True),
    ("f(Tensor x)) -> Tensor", True, False),
    ("f(Tensor x) -> (Tensor)", False, True),
    ("f(Tensor x) -> (Tensor y, Tensor y)", True, True),
    ("f.a.b(Tensor x) -> Tensor", True, False),
    ("f.default(Tensor x) -> Tensor", True, False),
    ("f-g(Tensor x) -> Tensor", True, False),
    ("a::b::f(Tensor x) -> Tensor", True, False),
    ("f(Tensor None) -> Tensor", True, False),
    ("f(str x=abc) -> Tensor", True, False),
    ("f(DimVector x) -> Tensor", True, False),
]
WIDER = [
    # what keyslot takes and one of the two does not
    ("f(Tensor x,Tensor y)->Tensor", False, True),
    ("f(Tensor(a0!) x) -> ()", False, True),
    ("f(Tensor x) -> Tensor(*)", False, True),
    ("f(Tensor[](a!) x) -> ()", False, True),
    ("f(Tensor(a)[](b) x) -> ()", False, True),
    ("f(Tensor(a|b!) x) -> ()", False, True),
    ("f(complex x=2j) -> Tensor", False, True),
    ("f(Any x) -> Any", False, True),
    ("f_(Tensor(a!) x) -> Tensor(a!)", False, True),
    ("f_(Tensor(a!) self) -> ()", False, True),
    ("f(int x=1.5) -> Tensor".replace("int", "Scalar"), True, True),
    ("f(bool[] x=[True, False]) -> ()", False, True),
    ("f(int[]? x=[1]) -> ()", True, False),
    ("f(int[][] x=[[1], [2]]) -> ()", False, False),
    ('f(str[] x=["a"]) -> ()', True, False),
    ("f(Tensor[] x=[]) -> ()", True, False),
    ("f(SymBool x=True) -> ()", True, False),
    ("f(Dimname x) -> ()", False, False),
    ("f(__torch__.torch.classes.a.B x) -> ()", True, False),
]


def accepts(parse: Any, text: str) -> bool:
    """Return whether a parser of PyTorch takes a schema."""
    try:
        parse(text)
    except (AssertionError, RuntimeError, ValueError, IndexError):
        return False
    return True


@pytest.mark.parametrize(("text", "torchgen", "runtime"), STRICTER)
def test_stricter(text: str, torchgen: bool, runtime: bool) -> None:
    """Some is refused that one of PyTorch's two parsers lets through, or both do."""
    with pytest.raises(SchemaError):
        parse_schema(text)
    assert accepts(TorchgenSchema.parse, text) is torchgen
    assert accepts(torch._C.parse_schema, text) is runtime


@pytest.mark.parametrize(("text", "torchgen", "runtime"), WIDER)
def test_wider(text: str, torchgen: bool, runtime: bool) -> None:
    """Some is read and printed back that one of PyTorch's two parsers refuses."""
    assert str(parse_schema(text)).replace(" ", "") == text.replace(" ", "")
    assert accepts(TorchgenSchema.parse, text) is torchgen
    assert accepts(torch._C.parse_schema, text) is runtime
