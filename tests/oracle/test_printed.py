"""What PyTorch prints of its operators, read line by line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from torch import _C
from torch.library import fallthrough_kernel

from keyslot.kernels.torch.printed import (
    PrintedCell,
    Registered,
    read_registrations,
    read_table,
)
from keyslot.kernels.torch.registered import (
    computed_table,
    registered_fallbacks,
    registered_kernels,
)
from keyslot.runtime.errors import UnreadableTextError

from .throwaway import NAMESPACE, defined, operator, registered

DEFINED = """\
name: aten::f.out
schema: aten::f.out(Tensor x, str mode=":: [ boxed ]") -> Tensor
debug: registered at schema.cpp:6
alias analysis kind: FROM_SCHEMA (default)
"""
UNDEFINED = """\
name: aten::f
schema: (none)
"""
FORMS = "(Tensor _0, int[2] _1) -> Tensor _0 [ boxed unboxed ]"


def test_headings_are_no_kernels() -> None:
    """An operator may have no kernels, no schema, or not be there at all."""
    for text in (DEFINED, UNDEFINED, ""):
        assert read_registrations(text) == {}


@pytest.mark.parametrize("headings", [DEFINED, UNDEFINED, ""])
def test_kernels(headings: str) -> None:
    """Kernels are found with and without a schema of their own, at keys and aliases."""
    lines = (
        f"CPU: registered at a.cpp:1 :: {FORMS}",
        "Meta: registered at b.py:2 :: (none) [ boxed ]",
        "BackendSelect: registered at c.cpp:3 :: (none) [ fallthrough boxed ]",
        f"Autograd[alias]: registered at d.cpp:4 :: {FORMS}",
    )
    assert read_registrations("\n".join((headings + lines[0], *lines[1:], ""))) == {
        "CPU": (Registered("registered at a.cpp:1", False),),
        "Meta": (Registered("registered at b.py:2", False),),
        "BackendSelect": (Registered("registered at c.cpp:3", True),),
        "Autograd": (Registered("registered at d.cpp:4", False),),
    }


def test_overridden_kernels() -> None:
    """Kernels that are overridden come after the one in force, the newest first."""
    text = (
        f"CPU: new :: (none) [ boxed ]\nCPU (inactive): old :: {FORMS}\n"
        "CPU (inactive): oldest :: (none) [ fallthrough boxed ]\n"
        "Autograd[alias]: new :: (none) [ fallthrough boxed ]\n"
        "Autograd[alias] (inactive): old :: (none) [ boxed ]\n"
    )
    assert read_registrations(text) == {
        "CPU": (
            Registered("new", False),
            Registered("old", False),
            Registered("oldest", True),
        ),
        "Autograd": (Registered("new", True), Registered("old", False)),
    }


SITES = (
    "",
    "no debug info",
    "registered at <stdin>:1",
    "registered at /home/me/a [b]/f :: g.py:3",
    "registered at x :: (none) [ fallthrough boxed ]:4",
    "CPU: registered at y [kernel]:5",
    "registered at \u2028 \x0c.py:6",
)


@pytest.mark.parametrize("site", SITES)
def test_any_place(site: str) -> None:
    """Files may have brackets and colons in their names; nobody stops them."""
    text = f"CPU: {site} :: (none) [ boxed ]\nMeta: {site} :: {FORMS}\n"
    kernel = Registered(site, False)
    assert read_registrations(text) == {"CPU": (kernel,), "Meta": (kernel,)}
    assert read_table(f"CPU: {site} [kernel]\nMeta: {site} [math kernel]\n") == {
        "CPU": PrintedCell(site, "kernel", False),
        "Meta": PrintedCell(site, "math kernel", False),
    }


def test_cells() -> None:
    """A table has a line for each key that has a kernel, fallthroughs marked."""
    text = (
        "Undefined: fallthrough registered at a.py:1 [math kernel]\n"
        "AutogradOther: ambiguous_autogradother [ambiguous autogradother]\n"
        "Tracer: registered at b.cpp:2 [backend fallback]\n"
    )
    assert read_table(text) == {
        "Undefined": PrintedCell("registered at a.py:1", "math kernel", True),
        "AutogradOther": PrintedCell(
            "ambiguous_autogradother", "ambiguous autogradother", False
        ),
        "Tracer": PrintedCell("registered at b.cpp:2", "backend fallback", False),
    }
    assert read_table("") == {}


@pytest.mark.parametrize(
    "line",
    [
        "(catch all): registered at a.cpp:1 :: (none) [ boxed ]",
        "CPU (newest): registered at a.cpp:1 :: (none) [ boxed ]",
        "CPU: registered at a.cpp:1 [ boxed ]",
        "CPU: registered at a.cpp:1 :: (none)",
    ],
)
def test_unknown_registrations_are_not_skipped(line: str) -> None:
    """A kernel printed in another form is refused, with the line."""
    with pytest.raises(UnreadableTextError) as caught:
        read_registrations(f"{DEFINED}{line}\n")
    assert str(caught.value) == (
        "PyTorch prints a line of an operator's registrations that keyslot.torch cannot"
        f" read: {line!r}; is it the version that keyslot.torch was tested with?"
    )


def test_unknown_cells_are_not_skipped() -> None:
    """A cell printed in another form is refused, with the line."""
    with pytest.raises(UnreadableTextError) as caught:
        read_table("CPU: registered at a.cpp:1\n")
    assert str(caught.value) == (
        "PyTorch prints a line of an operator's table that keyslot.torch cannot read:"
        " 'CPU: registered at a.cpp:1'; is it the version that keyslot.torch was tested"
        " with?"
    )


@pytest.mark.filterwarnings("ignore:Warning only once for all operators")
def test_what_this_pytorch_prints() -> None:
    """All of this as the installed PyTorch prints it, files with odd names included."""
    file = "a [b] :: c"
    site = f"registered at {file}:1"
    with operator() as name:
        below = registered(name, "CPU", print, file)
        above = registered(name, "CPU", fallthrough_kernel, "above")
        assert read_registrations(_C._dispatch_dump(name)) == {
            "CPU": (
                Registered("registered at above:1", True),
                Registered(site, False),
            ),
        }
        assert registered_kernels(name)["CPU"].is_fallthrough
        above._destroy()
        assert registered_kernels(name) == {"CPU": Registered(site, False)}
        assert computed_table(name)["CPU"] == PrintedCell(site, "kernel", False)
        below._destroy()
        assert registered_kernels(name) == {}
    assert computed_table(name) == {}
    assert registered_kernels(name) == {}


def test_kernels_of_what_nobody_defines() -> None:
    """Kernels may be there before the operator is defined, and after it is gone."""
    name = f"{NAMESPACE}::undefined"
    kernel = registered(name, "Autograd", print, "f.py")
    found = {"Autograd": Registered("registered at f.py:1", False)}
    assert registered_kernels(name) == found
    definition = defined(name)
    assert registered_kernels(name) == found
    definition._destroy()
    assert registered_kernels(name) == found
    assert computed_table(name)["AutogradCPU"].rule == "autograd kernel"
    kernel._destroy()
    assert registered_kernels(name) == {}


def test_fallbacks_are_asked_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking defines an operator for the purpose, and leaves nothing behind.

    It is no registration to those who watch for them, and who will ask again.
    """
    monkeypatch.delattr(_C._DispatchModule, "reset")
    before = set(_C._dispatch_get_all_op_names())
    assert registered_fallbacks() == registered_fallbacks()
    assert set(_C._dispatch_get_all_op_names()) == before


def test_a_backend_with_another_name(tmp_path: Path) -> None:
    """PrivateUse1 keeps its name as a key where its backend has been given another."""
    program = tmp_path / "renamed.py"
    program.write_text(
        "import torch\n"
        "from keyslot.kernels.torch.registered import computed_table\n"
        "from keyslot.kernels.torch.registered import registered_kernels\n"
        "torch.utils.rename_privateuse1_backend('mine')\n"
        "library = torch.library.Library('renamed', 'DEF')\n"
        "library.define('f(Tensor x) -> Tensor')\n"
        "library.impl('f', print, 'PrivateUse1')\n"
        "assert {*registered_kernels('renamed::f')} == {'PrivateUse1'}\n"
        "assert computed_table('renamed::f')['PrivateUse1'].rule == 'kernel'\n",
        encoding="utf-8",
    )
    subprocess.run([sys.executable, program], check=True)
