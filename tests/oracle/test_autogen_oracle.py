"""The generator reads PyTorch's declarations as PyTorch's own generator does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import black
import pytest
from torchgen.gen import ParsedYaml, parse_native_yaml
from torchgen.model import NativeFunction

from keyslot.codegen.config import Config, make_config
from keyslot.codegen.formatting import tidy, tidy_all
from keyslot.codegen.frontend import Findings, load_operators
from keyslot.codegen.kernels import UFUNC_KEYS
from keyslot.codegen.model import Operators, Overload
from keyslot.codegen.options import command_options
from keyslot.codegen.problems import Problems
from keyslot.codegen.run import run
from keyslot.codegen.view_names import name_packets
from keyslot.runtime import errors
from keyslot.runtime.calls import GeneralCalls
from keyslot.runtime.derived import DERIVED
from keyslot.runtime.schema import FunctionSchema, parse_schema
from keyslot.runtime.schema_kinds import kind_of

from ..codegen_cases import no_progress
from ..installed import make_installed

ROOT = Path(__file__).parents[2]
NATIVE = Path(str(files("torchgen"))) / "packaged" / "ATen" / "native"
KEYS = ROOT / "schemas" / "torch" / "keys.yaml"

#: Tags that torchgen adds to whatever the schema says they fit.
IMPLIED = {"inplace", "out", "pt2_compliant_tag"}


def config(output: Path) -> Config:
    """Return the configuration that generates PyTorch's operators into a folder."""
    problems = Problems()
    given: dict[str, str | list[str]] = {
        "schemas": [str(NATIVE / "native_functions.yaml")],
        "keys": str(KEYS),
        "namespace": "aten",
        "output": str(output),
    }
    options = command_options(given, problems)
    assert options is not None
    made = make_config(options, problems)
    assert made is not None
    return made


@cache
def ours() -> Operators:
    """Return the operators as this generator reads them."""
    findings = Findings(Problems(), Problems())
    operators = load_operators(config(Path("aten_ops")), findings)
    assert operators is not None, str(findings.problems)
    return operators


@cache
def theirs() -> ParsedYaml:
    """Return what torchgen makes of the same file."""
    return parse_native_yaml(
        str(NATIVE / "native_functions.yaml"), str(NATIVE / "tags.yaml")
    )


@cache
def overloads() -> dict[str, Overload]:
    """Return our functions by name."""
    packets = ours().packets
    found = [overload for packet in packets for overload in packet.overloads]
    return {overload.schema.qualified: overload for overload in found}


@cache
def natives() -> dict[str, NativeFunction]:
    """Return torchgen's functions by name."""
    return {str(native.func.name): native for native in theirs().native_functions}


def kernels(name: str) -> dict[str, str]:
    """Return the kernels that torchgen has for a function."""
    operator = natives()[name].func.name
    indices = theirs().backend_indices.items()
    return {
        key.name: index.index[operator].kernel
        for key, index in indices
        if operator in index.index
    }


def test_functions_are_those_of_torchgen() -> None:
    """All 3,101 functions have the names and schemas of torchgen's expansion."""
    assert len(overloads()) == 3101
    mine = {name: str(overload.schema) for name, overload in overloads().items()}
    assert mine == {name: str(native.func) for name, native in natives().items()}


def test_derived_functions_are_those_of_torchgen() -> None:
    """The same functions are derived, from functions that are there."""
    derived = {n for n, overload in overloads().items() if overload.derived_from}
    assert derived == {n for n, f in natives().items() if "generated" in f.tags}
    sources = {overload.derived_from for overload in overloads().values()}
    assert sources - {None} <= overloads().keys()


def test_kinds_are_those_of_torchgen() -> None:
    """Functional, in-place, mutable, out= and scratch are the same functions."""
    mine = {name: kind_of(o.schema).name for name, o in overloads().items()}
    assert mine == {
        name: native.func.kind().name.upper() for name, native in natives().items()
    }


def test_declared_fields_are_read_as_torchgen_reads_them() -> None:
    """Every field of every entry has the value that torchgen has for it."""
    for name, overload in overloads().items():
        entry, native = overload.declaration, natives()[name]
        if overload.derived_from:
            continue
        assert set(entry.variants) == {variant.name for variant in native.variants}
        assert set(entry.autogen) == set(map(str, native.autogen))
        assert {*entry.tags} - IMPLIED == native.tags - IMPLIED
        assert entry.structured == native.structured
        assert entry.structured_delegate == _text(native.structured_delegate)
        assert entry.structured_inherits == native.structured_inherits
        assert entry.device_check == native.device_check.name
        assert entry.device_guard == native.device_guard
        assert entry.python_module == native.python_module
        assert entry.category_override == native.category_override
        assert set(entry.cpp_no_default_args) == native.cpp_no_default_args
        assert entry.manual_cpp_binding == native.manual_cpp_binding
        assert entry.manual_kernel_registration == native.manual_kernel_registration
        assert (
            entry.use_const_ref_for_mutable_tensors
            == native.use_const_ref_for_mutable_tensors
        )
        assert {*entry.ufunc_inner_loop} == {
            key.name for key in native.ufunc_inner_loop
        }
        assert _precomputed(overload) == _precomputed_there(native)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _precomputed(overload: Overload) -> tuple[Mapping[str, object], list[str]]:
    found = overload.declaration.precomputed
    if found is None:
        return {}, []
    return {k: list(v) for k, v in found.replaced.items()}, list(found.added)


def _precomputed_there(
    native: NativeFunction,
) -> tuple[Mapping[str, object], list[str]]:
    found = native.precomputed
    if found is None:
        return {}, []
    replaced = {name: list(map(str, args)) for name, args in found.replace.items()}
    return replaced, list(map(str, found.add))


def test_kernels_are_those_of_torchgen() -> None:
    """Each function has kernels at the same keys, under the same names.

    Two differences are meant: a derived function has no kernel of a name, the runtime
    makes it, and a delegating function also says which kernels its delegate brings.
    """
    for name, overload in overloads().items():
        mine = {key: str(kernel) for key, kernel in overload.kernels.items()}
        if overload.derived_from:
            assert mine == dict.fromkeys(kernels(name), DERIVED)
            continue
        delegate = overload.declaration.structured_delegate
        brought = (
            _structured_keys(delegate) - kernels(name).keys() if delegate else set()
        )
        named = {key: kernel for key, kernel in mine.items() if key not in brought}
        assert named == kernels(name)
        assert mine.keys() - named.keys() == brought


def _structured_keys(name: str) -> set[str]:
    native = natives()[name]
    return {
        key.name
        for key, index in theirs().backend_indices.items()
        if native.func.name in index.index and index.index[native.func.name].structured
    }


def test_loops_make_the_kernels_that_torchgen_makes() -> None:
    """The one operator with inner loops has kernels at the keys that loops are for."""
    (name,) = (n for n, o in overloads().items() if o.declaration.ufunc_inner_loop)
    assert {*UFUNC_KEYS} <= kernels(name).keys() == overloads()[name].kernels.keys()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the generated package of all of PyTorch's operators."""
    output = tmp_path_factory.mktemp("torch") / "aten_ops"
    summary = run(config(output), no_progress, check=False).summary
    assert (summary.operators, summary.overloads) == (1585, 3101)
    return output


def test_package_has_every_operator(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package imports, and each operator has the overloads that were declared."""
    monkeypatch.setattr(sys, "path", [str(package.parent), *sys.path])
    ops: Any = import_module(package.name)
    # Nothing but the namespace itself is loaded by the import.
    loaded = {name for name in sys.modules if name.startswith(f"{package.name}.")}
    assert loaded == set()
    found = {f"{name}.{o}" for name in ops for o in getattr(ops, name).overloads()}
    schemas = [overload.schema for overload in overloads().values()]
    assert found == {f"{s.name}.{s.overload_name}" for s in schemas}


class Array:
    """An array class that all of PyTorch's backends' operators are tried with."""

    ndim = 2


VALUES: dict[str, Any] = {
    **dict.fromkeys(("int", "SymInt", "DeviceIndex"), 3),
    **dict.fromkeys(("bool", "SymBool"), True),
    "Tensor": Array(),
    "Scalar": 2.5,
    "float": 1.5,
}


def value_of(kind: Any) -> Any:
    """Return a value that a schema's type takes."""
    if kind.kind == "optional":
        return value_of(kind.element)
    if kind.kind == "list":
        return [value_of(kind.element)] * 2
    return VALUES.get(kind.base.name, "opaque")


def overload_reached(call: Any, args: list[Any], kwargs: dict[str, Any]) -> str:
    """Return which overload a call comes to; none has a kernel, and the error says."""
    try:
        return f"result {call(*args, **kwargs)}"
    except errors.KernelImportError as error:
        return error.op
    except errors.DispatchError as error:
        return error.facts.op
    except (errors.NoArrayError, errors.OverloadError) as error:
        return type(error).__name__


def resolving(calls: GeneralCalls) -> Any:
    """Return a function that resolves each call, past generated branches."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return calls.call(args, kwargs)

    return call


def test_function_means_the_overload_that_resolution_finds(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever branch a call takes: by position, by name, with and without defaults."""
    monkeypatch.setattr(sys, "path", [str(package.parent), *sys.path])
    ops: Any = import_module(package.name)
    keys: Any = import_module(f"{package.name}.keys")
    wrong: list[str] = []
    with keys.register_array_type(Array, "CPU"):
        for op in (op for name in ops for op in getattr(ops, name).packet.members):
            packet = getattr(ops, op.qualified_name.partition(".")[0]).packet
            resolution = resolving(GeneralCalls(packet.name, packet.members))
            for everything in (False, True):
                given = [
                    arg
                    for arg in op.schema.arguments
                    if everything or not arg.has_default
                ]
                args = [value_of(arg.type) for arg in given if not arg.keyword_only]
                named = {arg.name: value_of(arg.type) for arg in given}
                kwargs = {a.name: named[a.name] for a in given if a.keyword_only}
                for form in ((args, kwargs), ([], named)):
                    found = overload_reached(packet.function, *form)
                    general = overload_reached(resolution, *form)
                    if found != general:
                        wrong.append(f"{op.name}: {found}, not {general}")
    assert wrong == []


def test_package_is_as_black_would_have_it(package: Path) -> None:
    """Black, given whole modules, changes nothing; the largest would take long."""
    modules = sorted(package.rglob("*.py"), key=lambda path: path.stat().st_size)
    total = 0
    for path in modules:
        text = path.read_text("utf-8")
        total += len(text)
        if total > 400_000:
            break
        assert tidy(text) == tidy_all(text) == text
    assert total > 400_000


def test_stubs_are_as_black_would_have_them(package: Path) -> None:
    """Black, given whole stubs, changes nothing."""
    stubs = sorted(package.rglob("*.pyi"))
    for path in stubs[::6]:
        text = path.read_text("utf-8")
        assert black.format_str(text, mode=black.Mode(is_pyi=True)) == text
    assert len(stubs) == len([*(package / "ops").glob("*.py")]) - 1


def test_stubs_pass_the_strictest_type_checks(package: Path) -> None:
    """Mypy has nothing against the stubs of all operators, in strict mode."""
    if find_spec("mypy") is None:
        pytest.skip("mypy comes with the extra dev")
    installed = package.parent / "installed"
    make_installed(installed)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file="]
    done = subprocess.run(
        [*command, *map(str, (package / "ops").glob("*.pyi"))],
        env={"MYPYPATH": str(installed), "PATH": ""},
        cwd=package.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_names_in_a_module_are_each_given_once() -> None:
    """No two operators of PyTorch share the name of a cache or a class."""
    names = name_packets(ours().packets)
    stems = [stem for own in names.values() for stem in own.stems.values()]
    assert len(stems) == len(set(stems))


def test_schemas_survive_being_printed() -> None:
    """Every schema, derived ones too, parses back to itself."""
    for overload in overloads().values():
        schema: FunctionSchema = overload.schema
        assert parse_schema(str(schema)) == schema
