"""Errors of calls and registrations: what they say, what they are, that they pickle."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

import keyslot
from keyslot import Library, errors, transforms

from .calling import Mine, a, ops

CASES = Path(__file__).parent / "data" / "call_errors.txt"
#: Errors that calls do not raise, and where they are tested.
ELSEWHERE = {
    "BackendLoadingError",  # test_backends.py
    "DeclarationError",  # test_keyspace_yaml.py
    "DtypeError",  # test_numpy_kernels.py
    "KernelImportError",  # test_generated_kernels.py
    "KeySpaceError",  # test_keys.py
    "MixedSpacesError",  # test_keyset.py
    "NativeOperatorError",  # test_native.py
    "OutShapeError",  # test_numpy_kernels.py
    "ArgumentIndexError",  # test_refusals.py
    "DivisionByZeroError",  # test_numpy_pointwise_kernels.py
    "PackageChangedError",  # test_codegen_killed.py
    "FormulaError",  # test_formula.py
    "ComplexSizeError",  # test_shape_env.py
    "GraphBackendError",  # test_graph_running.py
    "GraphDrawingError",  # test_graph_drawing.py
    "GraphInputError",  # test_graph_running.py
    "GraphKernelError",  # test_graph_compile.py
    "GraphSizeError",  # test_graph_printing.py
    "GuardError",  # test_shape_env.py
    "MixedShapeEnvsError",  # test_shape_env.py
    "FunctionalWriteError",  # test_functionalize.py
    "NoFunctionalCompanionError",  # test_functionalize.py
    "SharedInputsError",  # test_functionalize.py
    "NoGradientError",  # oracle/test_export_tracing.py
    "NotExportedOperatorError",  # oracle/test_export_rules.py
    "NotExportedError",  # oracle/test_export_registration.py
    "UnreadableTextError",  # oracle/test_printed.py
}


def cases() -> Iterator[tuple[str, str, str]]:
    """Yield title, program and recorded error of each case."""
    _, *parts = re.split(r"^=== (.*)\n", CASES.read_text("utf-8"), flags=re.MULTILINE)
    for title, program, _, says in zip(*[iter(parts)] * 4, strict=True):
        yield title, program, says.strip()


def failure(program: str) -> errors.KeyslotError:
    """Run a program that fails, and return the error."""
    names: dict[str, Any] = {name: getattr(keyslot, name) for name in keyslot.__all__}
    with Library("shop", "DEF") as lib:
        names |= {"lib": lib, "define": lib.define, "a": a, "m": Mine()}
        names["transforms"] = transforms
        with pytest.raises(errors.KeyslotError) as caught:
            exec(compile(program, "shop.py", "exec"), names)
    return caught.value


def base(error: BaseException) -> str:
    """Return the built-in exception that an error also is."""
    own = (cls for cls in type(error).__mro__ if cls.__module__ == "builtins")
    return next(cls.__name__ for cls in own if cls is not Exception)


def report(error: BaseException) -> str:
    """Return an error as the case file has it."""
    message = str(error).replace(str(Path(__file__)), "test_dispatch_errors.py")
    message = re.sub(r"(test_dispatch_errors\.py):\d+", r"\1", message)
    return f"{type(error).__name__}, {base(error)}\n{message}"


@pytest.mark.usefixtures("mine")
def test_errors_are_as_recorded(update_cases: bool) -> None:
    """Class and whole message of each failure are those of the case file."""
    text = CASES.read_text("utf-8")
    now = text[: text.index("\n=== ") + 1]
    now += "\n".join(
        f"=== {title}\n{program}=== says\n{report(failure(program))}\n"
        for title, program, _ in cases()
    )
    if update_cases:
        CASES.write_text(now, "utf-8", newline="\n")
    else:
        assert now == text


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("title", "program"), [(title, program) for title, program, _ in cases()]
)
def test_errors_pickle_and_copy(title: str, program: str) -> None:
    """Every error keeps its class, its facts and its message in any kind of copy."""
    error = failure(program)
    made = [
        pickle.loads(pickle.dumps(error, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    ]
    for again in (*made, copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert vars(again) == vars(error)
        assert str(again) == str(error)


@pytest.mark.usefixtures("mine")
def test_no_context_of_our_own() -> None:
    """No error says that it came while another one, of a lookup, was handled."""
    raised = [failure(program) for _, program, _ in cases()]
    assert [e for e in raised if e.__context__ and not e.__suppress_context__] == []


def test_every_class_has_a_case() -> None:
    """The case file knows every class of errors that calls and registrations raise."""
    shown = {says.partition(",")[0] for _, _, says in cases()}
    abstract = {"KeyslotError", "DispatchError"}
    assert shown.isdisjoint(ELSEWHERE)
    assert shown | ELSEWHERE | abstract == set(exported_errors())


def exported_errors() -> Iterator[str]:
    """Yield the names of the classes of errors in ``keyslot.errors``."""
    for name in errors.__all__:
        value = getattr(errors, name)
        if isinstance(value, type) and issubclass(value, errors.KeyslotError):
            yield name


def test_all_errors_are_exported() -> None:
    """``keyslot.errors`` has every class of errors there is, in sorted order."""
    assert list(errors.__all__) == sorted(errors.__all__)
    for found in iter_modules(errors.__path__, f"{errors.__name__}."):
        for name, value in vars(import_module(found.name)).items():
            if isinstance(value, type) and issubclass(value, Exception):
                assert getattr(errors, name) is value


@pytest.mark.parametrize("exp", [ops.exp, ops.exp.default])
def test_context_of_the_user_is_kept(exp: Any) -> None:
    """An operator that fails where an error is handled says so, and nothing else."""
    handled = ZeroDivisionError("mine")

    def handling() -> None:
        try:
            raise handled
        except ZeroDivisionError:
            exp("no array")

    with pytest.raises(errors.OverloadError) as caught:
        handling()
    assert caught.value.__context__ is handled
    with pytest.raises(errors.OverloadError) as caught:
        exp("no array")
    assert caught.value.__context__ is None


def test_message_is_made_when_it_is_read(library: Library) -> None:
    """An error that is caught and dropped costs no text."""
    library.define("exp(Tensor self) -> Tensor")
    with pytest.raises(errors.NoKernelError) as caught:
        library.ops.exp(a)
    error = caught.value
    assert error.facts.key == "NumPy"
    assert error.facts.keys == ("NumPy",)
    assert [fact.name for fact in error.facts.arguments] == ["self"]
    assert not any("\n" in str(part) for part in error.args)
