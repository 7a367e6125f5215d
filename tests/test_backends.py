"""Backends: names of the user's own, array types, and kernels from elsewhere."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from keyslot import (
    DispatchKey,
    DispatchKeySet,
    Library,
    OpOverload,
    below_autograd,
    check_kernels,
    disable_kernel,
    enable_python_dispatcher,
    errors,
    exclude_keys,
    fallthrough,
    include_keys,
    ops,
    register_array_type,
    rename_backend,
)
from keyslot.generated.keys import DISPATCHER, active
from keyslot.runtime.backends import EntryPoints

from .dispatching import Foreign, answer, array, fresh_namespace, names, operator
from .key_spaces import torch_space


class Child(Foreign):
    """A subclass of an array class."""


def test_array_type_and_its_subclasses_bring_their_backend() -> None:
    """Registering a class is all that it takes; the undo takes it back."""
    with operator(PrivateUse1=answer("PrivateUse1")) as (_, op):
        for cls in (Foreign, Child):
            with pytest.raises(errors.OverloadError):
                op(cls())
        undo = register_array_type(Foreign, "PrivateUse1")
        for cls in (Foreign, Child):
            assert op(cls()) == "PrivateUse1"
            keys = names(op.keys_of((cls(),), {}))
            assert "AutogradPrivateUse1" in keys
            assert "PrivateUse1" in keys
        assert repr(undo) == "<live registration: Foreign as PrivateUse1>"
        undo()
        for cls in (Foreign, Child):
            with pytest.raises(errors.OverloadError):
                op(cls())


def test_nearest_registered_class_decides() -> None:
    """A subclass of an array type goes to its nearest registered base, or itself."""
    with operator(Dask=answer("Dask"), NumPy=answer("NumPy")) as (_, op):
        with register_array_type(Foreign, "Dask"):
            assert op(Child()) == "Dask"
            with register_array_type(Child, "NumPy"):
                assert op(Child()) == "NumPy"
                assert op(Foreign()) == "Dask"
            assert op(Child()) == "Dask"
        mine = type("Mine", (np.ndarray,), {})
        assert op(array().view(mine)) == "NumPy"
        with register_array_type(mine, "Dask"):
            assert op(array().view(mine)) == "Dask"


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_registrations_of_one_class_stack(gone: int) -> None:
    """The newest live one is in force, also where two of them name one backend."""
    backends = ["NumPy", "Dask", "NumPy"]
    with operator(Dask=answer("Dask"), NumPy=answer("NumPy")) as (_, op):
        undo = [register_array_type(Foreign, name) for name in backends]
        assert op(Foreign()) == "NumPy"
        undo.pop(gone)()
        assert op(Foreign()) == [b for n, b in enumerate(backends) if n != gone][-1]
        for take_back in undo:
            take_back()
        with pytest.raises(errors.OverloadError):
            op(Foreign())


def test_types_mean_something_else_for_every_cache() -> None:
    """No cache of any state remembers what a type was before."""
    calls: list[Callable[[Any], Any]] = [
        lambda op: op(Foreign()),
        lambda op: op(x=Foreign()),
        lambda op: op.kernel_for(Foreign)(Foreign()),
    ]
    guards = [include_keys, below_autograd, enable_python_dispatcher]
    with operator(Dask=answer("Dask"), NumPy=answer("NumPy")) as (_, op):
        for backend in ("NumPy", "Dask", "NumPy"):
            with register_array_type(Foreign, backend):
                for guard in guards:
                    with guard():
                        assert [call(op) for call in calls] == [backend] * 3


@pytest.mark.parametrize(
    ("backend", "error"),
    [("Nope", errors.UnknownBackendError), ("Autograd", errors.UnknownBackendError)],
)
def test_unknown_backend_is_refused(backend: str, error: type[Exception]) -> None:
    """The error names the space and the nearest backends."""
    with pytest.raises(error):
        register_array_type(Foreign, backend)
    with pytest.raises(errors.UnknownBackendError) as caught:
        rename_backend("numpy", "mine")
    assert str(caught.value).startswith(
        "the key space 'keyslot' has no backend 'numpy'. Did you mean NumPy"
    )


def test_renamed_backend_goes_by_both_names() -> None:
    """In registrations, slots, ``at``, array types and guards; errors say the old."""
    with operator() as (library, op), rename_backend("PrivateUse1", "mylib") as undo:
        assert repr(undo) == "<live registration: PrivateUse1 renamed to mylib>"
        library.impl(op, answer("mine"), "mylib")
        library.impl(op, answer("autograd"), "Autogradmylib")
        with pytest.raises(errors.DuplicateKernelError):
            library.impl(op, answer("again"), "PrivateUse1")
        with register_array_type(Foreign, "mylib"):
            assert op(Foreign()) == "autograd"
            with below_autograd():
                assert op(Foreign()) == "mine"
        for key in ("mylib", "PrivateUse1", DispatchKey.PrivateUse1):
            assert op.at(key, array()) == "mine"
        assert op.mylib is op.PrivateUse1
        library.fallback(answer("fallback"), "Sparsemylib")
        assert op.at("SparsePrivateUse1", array()) == "fallback"


def test_name_that_is_taken_back_is_forgotten_everywhere() -> None:
    """Not even a cached call knows it; another backend may have it then."""
    with operator(PrivateUse1=answer(1), PrivateUse2=answer(2)) as (_, op):
        for backend, expected in (("PrivateUse1", 1), ("PrivateUse2", 2)):
            with rename_backend(backend, "mylib"):
                for guard in (include_keys, enable_python_dispatcher):
                    with guard():
                        assert op.at("mylib", array()) == expected
            with pytest.raises(errors.UnknownKeyError):
                op.at("mylib", array())


@pytest.mark.parametrize(
    "name", ["NumPy", "AutogradNumPy", "Autograd", "Batched", "my lib", ""]
)
def test_impossible_names_are_refused(name: str) -> None:
    """What is a key already, or cannot be part of an attribute."""
    with pytest.raises(ValueError):
        rename_backend("PrivateUse1", name)


def test_names_made_of_the_new_name_are_not_taken_either() -> None:
    """``Other`` would make a second AutogradOther; two names must not overlap."""
    with pytest.raises(ValueError) as caught:
        rename_backend("PrivateUse1", "Other")
    assert str(caught.value) == (
        "'AutogradOther' is the name of a key or backend already"
    )
    with rename_backend("PrivateUse1", "mylib"):
        for name in ("mylib", "Sparsemylib"):
            with pytest.raises(ValueError):
                rename_backend("PrivateUse2", name)


@pytest.mark.parametrize(
    ("device", "backend"),
    [
        ("NumPy", "NumPy"),
        ("numpy", "NumPy"),
        ("DASK", "Dask"),
        ("dask:1", "Dask"),
        ("mylib", "PrivateUse1"),
        ("MYLIB:0", "PrivateUse1"),
        ("privateuse1", "PrivateUse1"),
        ("cpu", None),
        ("", None),
    ],
)
def test_device_names_a_backend(device: str, backend: str | None) -> None:
    """Whatever its case and index; an unknown device names none."""
    with rename_backend("PrivateUse1", "mylib"):
        assert DISPATCHER.backends.of_device(device) == backend


def test_device_decides_where_no_array_does() -> None:
    """A renamed backend is a device from then on, for cached calls too."""
    schema = "f(int n, *, Device? device=None) -> Tensor"
    with operator(schema, NumPy=answer("NumPy"), PrivateUse1=answer("mine")) as (_, op):
        for _ in range(2):
            assert op(1) == "NumPy"
            assert op(1, device="privateuse1") == "mine"
            with rename_backend("PrivateUse1", "mylib"):
                assert op(1, device="mylib") == "mine"


PLUGIN = """
from keyslot import Library
loaded = []
def install():
    loaded.append("call")
    lib = Library({namespace!r}, "IMPL")
    lib.impl("f", lambda x: "plugged in", "PrivateUse3")
    return lib
"""


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Install a distribution with an entry point and a module, for one test."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(DISPATCHER, "entry_points", EntryPoints())
    made: list[str] = []

    def install(text: str, target: str = "install") -> str:
        module = f"plugin_of_{fresh_namespace()}"
        made.append(module)
        (tmp_path / f"{module}.py").write_text(text)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {module}\nVersion: 1.0\n")
        reference = f"{module}:{target}" if target else module
        (info / "entry_points.txt").write_text(
            f"[keyslot.backends]\nPrivateUse3 = {reference}\n"
        )
        return module

    yield install
    for module in made:
        sys.modules.pop(module, None)


def test_entry_point_is_loaded_by_the_first_array(plug: Any) -> None:
    """Once, and not before an array of that backend takes part in a call."""
    with (
        operator(NumPy=answer("NumPy")) as (library, op),
        register_array_type(Foreign, "PrivateUse3"),
    ):
        module = plug(PLUGIN.format(namespace=library.namespace))
        assert op(array()) == "NumPy"
        assert module not in sys.modules
        for _ in range(2):
            assert op(Foreign()) == "plugged in"
            assert op(x=Foreign()) == "plugged in"
        assert sys.modules[module].loaded == ["call"]


def test_entry_point_may_be_a_module(plug: Any) -> None:
    """Importing it is all that happens."""
    with (
        operator() as (library, op),
        register_array_type(Foreign, "PrivateUse3"),
    ):
        text = PLUGIN.format(namespace=library.namespace)
        plug(f"{text}\ninstall()\n", target="")
        assert op(Foreign()) == "plugged in"


def test_entry_point_that_fails_says_so_each_time(plug: Any) -> None:
    """A broken plug-in is not taken for one that brings nothing."""
    with (
        operator(PrivateUse3=answer("mine")) as (_, op),
        register_array_type(Foreign, "PrivateUse3"),
    ):
        plug("import nothing_of_this_name\n")
        for _ in range(2):
            with pytest.raises(ModuleNotFoundError):
                op(Foreign())
        assert op.at("PrivateUse3", Foreign()) == "mine"


def test_entry_point_may_call_operators_while_it_is_loaded(plug: Any) -> None:
    """Its own backend is not loaded a second time by that."""
    with (
        operator() as (library, op),
        register_array_type(Foreign, "PrivateUse3"),
    ):
        text = PLUGIN.format(namespace=library.namespace)
        module = plug(f"{text}\ndef both():\n    install()\n    seen()\n", "both")
        plugin: Any = import_module(module)
        plugin.seen = lambda: plugin.loaded.append(op(Foreign()))
        assert op(Foreign()) == "plugged in"
        assert plugin.loaded == ["call", "plugged in"]


def test_other_threads_wait_for_an_entry_point(plug: Any) -> None:
    """A thread that meets the backend meanwhile does not run without its kernels."""
    threads = 4
    with (
        operator() as (library, op),
        register_array_type(Foreign, "PrivateUse3"),
        ThreadPoolExecutor(threads) as pool,
    ):
        text = PLUGIN.format(namespace=library.namespace)
        plug(f"import time\ntime.sleep(0.1)\n{text}")
        together = threading.Barrier(threads)

        def call(_: int) -> Any:
            together.wait(10)
            return op(Foreign())

        assert [*pool.map(call, range(threads))] == ["plugged in"] * threads


def test_entry_point_and_import_that_wait_for_each_other(
    plug: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that calls an operator is told that it has to wait for itself.

    The plug-in imports the module that another thread is just importing, whose body
    calls an operator and so needs the plug-in.
    """
    monkeypatch.setattr(EntryPoints, "patience", 0.1)
    gate: Any = ModuleType("gate")
    gate.plugin_is_loading, gate.module_is_importing = Event(), Event()
    monkeypatch.setitem(sys.modules, "gate", gate)
    with (
        operator() as (library, op),
        register_array_type(Foreign, "PrivateUse3"),
        ThreadPoolExecutor(2) as pool,
    ):
        gate.call = lambda: op(Foreign())
        (tmp_path / "calls_at_import.py").write_text(CALLS_AT_IMPORT)
        text = PLUGIN.format(namespace=library.namespace)
        plug(f"{IMPORTS_WHAT_CALLS}\n{text}")
        importing = pool.submit(import_module, "calls_at_import")
        assert gate.module_is_importing.wait(10)
        calling = pool.submit(op, Foreign())
        error = importing.exception()
        assert isinstance(error, errors.BackendLoadingError)
        assert str(error) == (
            "another thread is loading what entry points bring for PrivateUse3, and may"
            " wait for a module that this thread is importing; what to do: call"
            " operators after the import, not in the body of the module"
        )
        assert calling.result() == "plugged in"
    sys.modules.pop("calls_at_import", None)


CALLS_AT_IMPORT = """
import gate
if not gate.module_is_importing.is_set():
    gate.module_is_importing.set()
    assert gate.plugin_is_loading.wait(10)
    gate.call()
"""

IMPORTS_WHAT_CALLS = """
import gate
gate.plugin_is_loading.set()
import calls_at_import
"""


def test_two_key_spaces_work_side_by_side() -> None:
    """Operators, states, array types and fallbacks of one mean nothing to the other."""
    dispatcher, library_type, keyset_type = torch_space()
    with (
        library_type(fresh_namespace(), "DEF") as other,
        operator(NumPy=answer("NumPy")) as (_, op),
    ):
        there = other.define("f(Tensor x) -> Tensor").op
        dispatcher.register_array_type(np.ndarray, "CPU")
        other.impl(there, answer("CPU"), "CPU")
        other.fallback(fallthrough, "AutogradCPU")
        for _ in range(2):
            assert (op(array()), there(array())) == ("NumPy", "CPU")
        assert len(there.dispatch_table.cells) == 137
        with include_keys("Functionalize"):
            assert there(array()) == "CPU"
            assert not dispatcher.active
            with pytest.raises(errors.NoKernelError):
                op(array())
        with dispatcher.include_keys("Functionalize"), pytest.raises(RuntimeError):
            there(array())
        with dispatcher.enable_python_dispatcher():
            assert not active
            there.py_impl("CPU")(answer("Python"))
            assert (op(array()), there(array())) == ("NumPy", "Python")
        with other.fallback(answer("fallback"), "AutogradCPU", override=True):
            assert (op(array()), there(array())) == ("NumPy", "fallback")
        assert there.redispatch(keyset_type("CPU"), array()) == "CPU"


def test_guards_are_those_of_their_own_space() -> None:
    """No guard of one space is on for operators of another one, whatever its keys."""
    dispatcher, library_type, _ = torch_space()
    with (
        library_type(fresh_namespace(), "DEF") as other,
        operator(NumPy=answer("NumPy"), Functionalize=answer("F")) as (_, op),
    ):
        there = other.define("f(Tensor x) -> Tensor").op
        dispatcher.register_array_type(np.ndarray, "CPU")
        other.impl(there, answer("CPU"), "CPU")
        other.impl(there, answer("F"), "Functionalize")
        other.fallback(fallthrough, "AutogradCPU")
        with include_keys("Functionalize"):
            assert (op(array()), there(array())) == ("F", "CPU")
        with dispatcher.include_keys("Functionalize"):
            assert (op(array()), there(array())) == ("NumPy", "F")
        other.impl(there, answer(None), "CPU", override=True)
        with check_kernels():
            assert there(array()) is None
        with dispatcher.check_kernels(), pytest.raises(errors.KernelCheckError):
            there(array())


def uses_of_a_key(op: OpOverload, key: Any) -> dict[str, Callable[[], object]]:
    """Return whatever takes a key, by name."""
    return {
        "include_keys": lambda: include_keys(key),
        "exclude_keys": lambda: exclude_keys(key),
        "disable_kernel": lambda: disable_kernel(op, key),
        "register_array_type": lambda: register_array_type(Foreign, key),
        "rename_backend": lambda: rename_backend(key, "mine"),
        "impl": lambda: op.impl(key),
        "py_impl": lambda: op.py_impl(key),
        "Library.impl": lambda: Library(op.namespace, "IMPL").impl("f", answer(0), key),
        "Library.fallback": lambda: Library("any", "IMPL").fallback(answer(0), key),
        "at": lambda: op.at(key, array()),
        "table": lambda: op.table[key],
        "DispatchKeySet": lambda: DispatchKeySet(key),
    }


@pytest.mark.parametrize("use", uses_of_a_key(ops.neg.default, "Meta"))
def test_keys_of_another_space_are_refused(use: str) -> None:
    """Whatever takes a key, though both spaces have one of this name."""
    _, _, keyset_type = torch_space()
    foreign = keyset_type.key_type["Meta"]
    with operator() as (_, op), pytest.raises(errors.MixedSpacesError) as caught:
        uses_of_a_key(op, foreign)[use]()
    assert str(caught.value) == (
        "TorchKey.Meta belongs to another key space than 'keyslot';"
        " keys of two spaces do not mix."
    )


def test_overloads_of_another_space_are_refused() -> None:
    """A Library registers for operators of its own space alone."""
    dispatcher, library_type, _ = torch_space()
    with library_type(fresh_namespace(), "DEF") as other, operator() as (library, op):
        there = other.define("f(Tensor x) -> Tensor").op
        for made, foreign in ((library, there), (other, op)):
            with pytest.raises(errors.NotAnOverloadError) as caught:
                made.impl(foreign, answer(0), "Meta")
            assert str(caught.value) == (
                "an overload or its name is needed, not one of another key space"
            )
    del dispatcher


def test_key_sets_of_another_space_are_refused() -> None:
    """By a redispatch of either side, even where the keys have the same names."""
    dispatcher, library_type, keyset_type = torch_space()
    with (
        library_type(fresh_namespace(), "DEF") as other,
        operator(Meta=answer("Meta")) as (_, op),
    ):
        there = other.define("f(Tensor x) -> Tensor").op
        other.impl(there, answer("Meta"), "Meta")
        for callee, keys in (
            (op, keyset_type("Meta")),
            (there, DispatchKeySet("Meta")),
        ):
            with pytest.raises(errors.KeySetTypeError):
                callee.redispatch(keys, array())
        assert op.redispatch(DispatchKeySet("Meta"), array()) == "Meta"
        assert there.redispatch(keyset_type("Meta"), array()) == "Meta"
    del dispatcher
    gc.collect()


def test_key_sets_know_the_names_given_to_backends() -> None:
    """A kernel that takes the key set may use the name it was registered with."""
    with rename_backend("PrivateUse1", "grid"):
        keys = DispatchKeySet(["grid", "Autogradgrid", "NumPy"])
        assert keys == DispatchKeySet(["PrivateUse1", "AutogradPrivateUse1", "NumPy"])
        assert "grid" in keys
        assert keys.below("grid") == DispatchKeySet("NumPy")
    with pytest.raises(errors.UnknownKeyError):
        DispatchKeySet("grid")
