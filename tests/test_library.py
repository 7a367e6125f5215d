"""Library: registration at run time, its undo, and its end."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keyslot import (
    DispatchKey,
    Library,
    below_autograd,
    errors,
    fallthrough,
    include_keys,
    ops,
    rename_backend,
)

from .calling import Mine, a, define, last, reports, seen


def sites(op: Any) -> dict[str, str]:
    """Return where the kernel at each key of an overload was registered."""
    return {key: str(k.site) for key, k in op.dispatch_table.kernels.items()}


def test_kernels_of_one_library_end_with_it(library: Library) -> None:
    """Leaving the block of a Library undoes all that it registered, and only that."""
    define(library, "f(Tensor x) -> Tensor", reports("first"))
    f = library.ops.f
    with Library(library.namespace, "IMPL") as added:
        added.impl("f", reports("second"), "NumPy", override=True)
        added.impl("f", reports("third"), "AutogradNumPy")
        added.fallback(reports("fourth"), "Python")
        assert f(a) == "third"
    assert f(a) == "first"
    assert [*f.default.dispatch_table.kernels] == ["NumPy"]
    with Library(library.namespace, "IMPL") as again:
        again.fallback(reports("fifth"), "Python")


def test_library_ends_when_its_block_fails(library: Library) -> None:
    """An exception leaves no registration behind either."""
    define(library, "f(Tensor x) -> Tensor", reports("before"))
    added = Library(library.namespace)
    added.impl("f", reports("inside"), "NumPy", override=True)
    with pytest.raises(ZeroDivisionError), added:
        raise ZeroDivisionError
    assert library.ops.f(a) == "before"


def test_library_that_nobody_holds(library: Library) -> None:
    """What a function registers stays when the function's Library is out of reach."""
    namespace = library.namespace
    library.define("f(Tensor x) -> Tensor")

    def register() -> None:
        Library(namespace, "IMPL").impl("f", reports("kept"), "NumPy")

    register()
    gc.collect()
    assert library.ops.f(a) == "kept"


def test_every_registration_has_its_undo(library: Library) -> None:
    """Each method that registers returns an undo, which works once and says so."""
    defined = library.define("f(Tensor x) -> Tensor")
    kernel = library.impl("f", last, "NumPy")
    fallback = library.fallback(last, "Python")
    registrations = [fallback, kernel, defined]
    assert repr(kernel) == f"<live registration: {library.namespace}::f at NumPy>"
    for registration in registrations:
        assert registration.is_live
        registration()
        registration()
        assert not registration.is_live
    assert repr(kernel) == f"<undone registration: {library.namespace}::f at NumPy>"
    assert "f" not in library.ops


def test_undo_as_a_block(library: Library) -> None:
    """A registration holds for a block where it is used as a context manager."""
    define(library, "f(Tensor x) -> Tensor", reports("before"))
    with library.impl("f", reports("inside"), "NumPy", override=True):
        assert library.ops.f(a) == "inside"
    assert library.ops.f(a) == "before"


def test_overrides_form_a_stack(library: Library) -> None:
    """The newest kernel counts; undone in any order, the others stay in theirs."""
    define(library, "f(Tensor x) -> Tensor", reports(0))
    undo = {
        n: library.impl("f", reports(n), "NumPy", override=True) for n in range(1, 4)
    }
    f = library.ops.f
    assert f(a) == 3
    undo[2]()
    assert f(a) == 3
    undo[3]()
    assert f(a) == 1
    undo[1]()
    assert f(a) == 0


def test_duplicate_names_both_sites(library: Library) -> None:
    """A second kernel at a key is refused with both places, and changes nothing."""
    define(library, "f(Tensor x) -> Tensor", reports("first"))
    assert library.ops.f(a) == "first"
    with pytest.raises(errors.DuplicateKernelError) as caught:
        library.impl("f", reports("second"), "NumPy")
    error = caught.value
    assert error.first == sites(library.ops.f.default)["NumPy"]
    source = Path(__file__).read_text("utf-8").splitlines()
    file, line = error.second.removesuffix(f" ({library})").rsplit(":", 1)
    assert file == __file__
    assert (
        source[int(line) - 1] == '        library.impl("f", reports("second"), "NumPy")'
    )
    assert library.ops.f(a) == "first"


def test_override_names_the_kernel_it_replaced(library: Library) -> None:
    """A refusal speaks of the kernel at its key, whatever was registered elsewhere."""
    op = define(library, "f(Tensor x) -> Tensor")
    library.impl("f", last, "AutogradNumPy")
    library.impl("f", last, "NumPy", override=True)
    with pytest.raises(errors.DuplicateKernelError) as caught:
        library.impl("f", last, "AutogradNumPy")
    assert caught.value.first == sites(op)["AutogradNumPy"]
    assert caught.value.key == "AutogradNumPy"


def test_failed_registration_changes_nothing(library: Library) -> None:
    """Whatever is refused, tables, caches and the Library are as they were."""
    op = define(library, "f(Tensor x) -> Tensor", reports("f"))
    assert library.ops.f(a) == "f"
    before = repr(op.table)
    refused: list[Callable[[], object]] = [
        lambda: library.impl("f", None, "Torch"),
        lambda: library.impl("f", last, "Torchh"),
        lambda: library.impl("g", last, "Torch"),
        lambda: library.impl("f", last, "NumPy"),
        lambda: library.fallback(last, "Autograd"),
        lambda: library.define("f(Tensor x) -> Tensor"),
        lambda: library.define("f.two(Tensor x) -> "),
    ]
    for wrong in refused:
        with pytest.raises(errors.KeyslotError):
            wrong()
        assert repr(op.table) == before
        assert library.ops.f(a) == "f"
        assert library.ops.f.overloads() == ["default"]


@pytest.mark.parametrize("key", ["NumPy", DispatchKey.NumPy])
def test_keys_as_members_and_as_names(library: Library, key: Any) -> None:
    """A key is taken as an enum member or as its name, everywhere."""
    op = define(library, "f(Tensor x) -> Tensor", reports("f"), key)
    assert op.at(key, a) == "f"
    assert op.table[key].key == "NumPy"
    library.fallback(reports("fallback"), key)
    op.impl(key, override=True)(reports("override"))
    assert op(a) == "override"


def test_alias_keys(library: Library) -> None:
    """A kernel at an alias key serves the keys behind it that have none."""
    op = define(library, "f(Tensor x) -> Tensor", reports("autograd"), "Autograd")
    library.impl("f", reports("numpy"), "NumPy")
    assert op(a) == "autograd"
    library.impl("f", reports("own"), "AutogradNumPy")
    assert op(a) == "own"
    with below_autograd():
        assert op(a) == "numpy"


def test_fallthrough_passes_a_key_over(library: Library) -> None:
    """At a fallthrough the next key is taken, and after its undo the key again."""
    op = define(library, "f(Tensor x) -> Tensor", reports("autograd"), "AutogradNumPy")
    library.impl("f", reports("numpy"), "NumPy")
    assert op(a) == "autograd"
    with library.impl("f", fallthrough, "AutogradNumPy", override=True):
        assert op(a) == "numpy"
        assert op.table["AutogradNumPy"].kind == "fallthrough"
    assert op(a) == "autograd"


def test_fallback_serves_every_operator(library: Library) -> None:
    """A backend fallback is called with the operator that has no kernel at the key."""

    def fallback(op: Any, *args: Any, **kwargs: Any) -> str:
        return f"{op.__name__}{seen(*args, **kwargs)}"

    op = define(library, "f(Tensor x, int n=1, *, int m=2) -> Tensor")
    # No operator has a kernel of its own there.
    key = "PythonTLSSnapshot"
    with library.fallback(fallback, key), include_keys(key):
        late = define(library, "g(Tensor x) -> Tensor")
        assert op(a) == f"f_default{seen(a, 1, m=2)}"
        assert late(a) == f"g_default{seen(a)}"
        assert ops.exp(a) == f"exp_default{seen(a)}"
    assert op(a) == seen(a, 1, m=2)


def test_fallback_is_replaced_and_comes_back(library: Library) -> None:
    """A second fallback needs ``override``; its undo brings back the first."""
    op = library.define("f(Tensor x) -> Tensor").op
    library.fallback(reports("one"), "Python")
    with pytest.raises(errors.DuplicateKernelError):
        library.fallback(reports("two"), "Python")
    with library.fallback(reports("three"), "Python", override=True):
        assert op.at("Python", a) == "three"
    assert op.at("Python", a) == "one"


def test_a_backend_s_own_name(library: Library) -> None:
    """The name that a backend is given is known in the names of all its keys."""
    library.define("f(Tensor x) -> Tensor")
    with rename_backend("PrivateUse2", "mylib") as renamed:
        library.impl("f", reports("dense"), "mylib")
        library.impl("f", reports("autograd"), "Autogradmylib")
        op = library.ops.f.default
        assert op.at("mylib", a) == op.at("PrivateUse2", a) == "dense"
        assert op.AutogradPrivateUse2(a) == "autograd"
        assert repr(renamed) == "<live registration: PrivateUse2 renamed to mylib>"
    with pytest.raises(errors.UnknownKeyError):
        library.impl("f", last, "mylib")
    assert op.at("PrivateUse2", a) == "dense"


def test_kinds_of_libraries() -> None:
    """One Library defines a namespace, others add to it; then the name is free."""
    with Library("kinds", "DEF") as owner:
        with pytest.raises(errors.LibraryError):
            Library("kinds", "DEF")
        with Library("kinds") as fragment, Library("kinds", "IMPL") as kernels:
            fragment.define("f(Tensor x) -> Tensor")
            kernels.impl("f", reports("f"), "NumPy")
            assert owner.ops.f(a) == "f"
            assert (fragment.kind, kernels.kind) == ("FRAGMENT", "IMPL")
        assert "f" not in owner.ops
    with Library("kinds", "DEF"):
        pass


def test_repr_of_a_library(library: Library) -> None:
    """It names namespace, kind and site, and says when it is closed."""
    text = repr(library)
    assert text.startswith(f"<Library({library.namespace!r}, 'DEF') from ")
    library.close()
    assert repr(library).startswith(f"<closed Library({library.namespace!r}, 'DEF')")


USES_OF_A_LIBRARY: list[Callable[[Library], object]] = [
    lambda closed: closed.define("f(Tensor x) -> Tensor"),
    lambda closed: closed.impl("f", last, "NumPy"),
    lambda closed: closed.py_impl("f", last, "NumPy"),
    lambda closed: closed.fallback(last, "NumPy"),
    lambda closed: closed.__enter__(),
]


@pytest.mark.parametrize("use", USES_OF_A_LIBRARY)
def test_closed_library(library: Library, use: Any) -> None:
    """A closed Library refuses every use but being closed again."""
    library.close()
    library.close()
    with pytest.raises(errors.ClosedLibraryError):
        use(library)


USES: list[Callable[[Any, Any], Any]] = [
    lambda op, f: op(a),
    lambda op, f: op(x=a),
    lambda op, f: f(a),
    lambda op, f: f(x=a),
    lambda op, f: op.at("NumPy", a),
    lambda op, f: op.redispatch(op.dispatcher.keyset_type("NumPy"), a),
    lambda op, f: op.NumPy,
    lambda op, f: op.Python,
    lambda op, f: op.table,
    lambda op, f: op.explain(a),
    lambda op, f: f.explain(a),
    lambda op, f: op.kernel_for(type(a)),
    lambda op, f: op.decompose(a),
    lambda op, f: op.impl("Torch")(last),
    lambda op, f: op.py_impl("Torch")(last),
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("warm", [False, True])
def test_operator_after_its_library(library: Library, use: Any, warm: bool) -> None:
    """A handle that outlives its Library says which operator and Library are gone."""
    op = define(library, "f(Tensor x) -> Tensor")
    f = library.ops.f
    if warm:
        for earlier in USES[:-2]:
            earlier(op, f)
    library.close()
    with pytest.raises(errors.OperatorRemovedError) as caught:
        use(op, f)
    assert (caught.value.op, caught.value.library) == (op.name, str(library))
    assert repr(op) == f"<OpOverload {op.name}>"
    assert op.__doc__ == "f(Tensor x) -> Tensor"


def test_operator_of_the_same_name_later(library: Library) -> None:
    """A new operator has nothing to do with the one that had its name before."""
    first = library.define("f(Tensor x) -> Tensor")
    library.impl("f", reports("old"), "NumPy")
    old, old_function = first.op, library.ops.f
    first()
    define(library, "f(Tensor x, int n=1) -> Tensor", reports("new"))
    assert library.ops.f(a) == library.ops.f(a, 2) == "new"
    for gone in (old, old_function):
        with pytest.raises(errors.OperatorRemovedError):
            gone(a)


@pytest.mark.usefixtures("mine")
def test_a_kernel_may_register_and_define(library: Library) -> None:
    """What a kernel registers holds from the next call on."""

    def kernel(x: Any) -> str:
        library.impl("f", reports("later"), "NumPy", override=True)
        define(library, "g(Tensor x) -> Tensor", reports("g"))
        return f"now, {library.ops.g(x)}"

    define(library, "f(Tensor x) -> Tensor", kernel)
    assert [library.ops.f(a), library.ops.f(a)] == ["now, g", "later"]


def test_sites_without_looking_into_modules(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where something was registered is read off the frame; no module is touched."""

    class Lazy:
        def __getattr__(self, name: str) -> Any:
            raise ImportError("an unrelated module that fails to import")

    lazy: Any = Lazy()
    monkeypatch.setitem(sys.modules, "lazy_and_broken", lazy)
    op = define(library, "f(Tensor x) -> Tensor")
    assert sites(op)["NumPy"].startswith(str(Path(__file__).parent / "calling.py"))


ENTRY = """
from keyslot import Library

LOADED = []

def register():
    LOADED.append(1)
    Library("brought", "IMPL").impl("f", lambda x: "brought", "PrivateUse3")
"""


def test_entry_point_brings_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A distribution's kernels for a backend are loaded when it first appears."""
    metadata = tmp_path / "brings_kernels-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: brings-kernels\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[keyslot.backends]\nPrivateUse3 = brings_kernels:register\n"
    )
    (tmp_path / "brings_kernels.py").write_text(ENTRY)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with Library("brought", "DEF") as library:
        op = define(library, "f(Tensor x) -> Tensor", reports("numpy"))
        dispatcher = op.dispatcher
        assert op(a) == "numpy"
        assert "brings_kernels" not in sys.modules
        with dispatcher.register_array_type(Mine, "PrivateUse3"):
            assert op(Mine()) == op(Mine()) == "brought"
        assert importlib.import_module("brings_kernels").LOADED == [1]
