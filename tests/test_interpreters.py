"""Several copies of keyslot in one process: each has operators and state of its own."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

DEFINE = """
import keyslot
from keyslot import Library, include_keys, register_array_type

class Grid:
    pass

register_array_type(Grid, "PrivateUse1")
library = Library("mine", "DEF")
f = library.define("f(Tensor x) -> str").op
library.impl(f, lambda x: NAME, "PrivateUse1")
library.impl(f, lambda x: "included", "Functionalize")
"""


def run(script: str) -> list[str]:
    """Run a script in a process of its own; return the lines that it prints."""
    text = f"DEFINE = {DEFINE!r}\n{dedent(script)}"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", text],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_interpreters_in_one_process() -> None:
    """Each imports, defines and dispatches; no guard of one is on in another."""
    assert run("""
        import sys
        if sys.version_info >= (3, 13):
            import _interpreters as interpreters
        else:
            import _xxsubinterpreters as interpreters
        NAME = "main"
        exec(DEFINE)
        with include_keys("Functionalize"):
            for name in ("one", "two"):
                other = interpreters.create()
                call = "print(f(Grid()), flush=True)"
                lines = [f"NAME = {name!r}", DEFINE, call, "library.close()"]
                failed = interpreters.run_string(other, "\\n".join(lines))
                assert failed is None, failed
                interpreters.destroy(other)
            print(f(Grid()))
        print(f(Grid()))
        """) == ["one", "two", "included", "main"]


def test_keyslot_is_imported_twice() -> None:
    """Where `sys.modules` was emptied, as by test runners, both copies still work."""
    assert run("""
        import sys
        copies = []
        for NAME in ("first", "second"):
            names = {"NAME": NAME}
            exec(DEFINE, names)
            copies.append(names)
            for name in [*sys.modules]:
                if name.partition(".")[0] == "keyslot":
                    del sys.modules[name]
        first, second = copies
        assert first["keyslot"] is not second["keyslot"]
        for here, there in (copies, copies[::-1]):
            with here["include_keys"]("Functionalize"):
                print(here["f"](here["Grid"]()), there["f"](there["Grid"]()))
        first["library"].close()
        print(second["f"](second["Grid"]()))
        """) == ["included second", "included first", "second"]


def test_shipped_operators_are_imported_twice() -> None:
    """Generated operators load from the modules of their own copy, also late."""
    assert run("""
        import sys
        import numpy
        copies = []
        for _ in range(2):
            import keyslot
            copies.append(keyslot)
            for name in [*sys.modules]:
                if name.partition(".")[0] == "keyslot":
                    del sys.modules[name]
        x = numpy.array([1.0])
        for keyslot in copies:
            print(keyslot.ops.neg(x), keyslot.ops.square(x))
        """) == ["[-1.] [1.]", "[-1.] [1.]"]
