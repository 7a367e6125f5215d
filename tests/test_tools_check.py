"""The command `keyslot check`: what each rule finds, and what it leaves alone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Generator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from keyslot.tools.__main__ import main
from keyslot.tools.check.findings import RULES

from .codegen_cases import CONFIG, make_project

ROOT = Path(__file__).parent.parent
CONFIGURED = f"""{CONFIG}
[tool.keyslot.kernels]
NumPy = "checked_kernels"
CompositeImplicitAutograd = "checked_kernels"
"""
#: Names that modules of these projects have.
PREFIX = "checked_"


@pytest.fixture(autouse=True)
def _forget_modules(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Let each test have kernel modules of its own."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    for name in [name for name in sys.modules if name.startswith(PREFIX)]:
        del sys.modules[name]


class Check:
    """Runs `keyslot check` in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        patch: pytest.MonkeyPatch,
        output: pytest.CaptureFixture[str],
    ) -> None:
        self._folder = folder
        self._patch = patch
        self._output = output
        self.code = -1

    def run(self, files: Mapping[str, str], *arguments: str) -> str:
        """Return what is said of a project, on either channel."""
        make_project(self._folder, {"pyproject.toml": CONFIGURED, **files})
        self._patch.chdir(self._folder)
        self.code = main(["check", *arguments])
        said = self._output.readouterr()
        return said.out + said.err

    def findings(self, files: Mapping[str, str], *arguments: str) -> list[Any]:
        """Return the findings as JSON has them."""
        found: list[Any] = json.loads(self.run(files, "--json", *arguments))["findings"]
        return found

    def op(self, func: str, kernel: str, module: str = "") -> list[tuple[str, str]]:
        """Return the rules and messages for one operator with a kernel at NumPy."""
        entry = f"- func: {func}\n  dispatch:\n    NumPy: {kernel}\n"
        files = {"ops.yaml": entry, "checked_kernels.py": module}
        return [(each["rule"], each["message"]) for each in self.findings(files)]


@pytest.fixture
def check(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Check:
    """Return what runs the command on the files of a project."""
    return Check(tmp_path, monkeypatch, capsys)


def test_what_is_right_is_left_alone(check: Check) -> None:
    """Where all fits, the command counts what it looked at and ends with 0."""
    files = {
        "ops.yaml": "- func: add(Tensor self, *, Scalar by=1) -> Tensor\n",
        "checked_kernels.py": "def add(self, *, by=1):\n    return self + by\n",
    }
    assert check.run(files) == "1 overload, 1 kernel: 0 errors, 0 warnings\n"
    assert check.code == 0


def test_finding_stands_at_its_entry(check: Check) -> None:
    """A finding has a place in the YAML with a caret, and says what to do."""
    entry = (
        "- func: neg(Tensor self) -> Tensor\n  dispatch:\n    NumPy: numpy:Negative\n"
    )
    assert check.run({"ops.yaml": entry}) == (
        "kernel-import: 1 error\n"
        "ops.yaml:3:5: numpy:Negative: module 'numpy' has no attribute 'Negative'\n"
        "        NumPy: numpy:Negative\n"
        "        ^\n"
        "  Did you mean negative?\n"
        "\n"
        "1 overload, 1 kernel: 1 error, 0 warnings\n"
    )
    assert check.code == 1


def test_shipped_operators_are_clean() -> None:
    """Keyslot's own declarations and kernels fit, and no kernel is left over."""
    if not (ROOT / "pyproject.toml").is_file():
        pytest.skip("not a clone")
    command = ("check", "--unused", "--rules", "--backend", "NumPy")
    done = subprocess.run(
        [sys.executable, "-m", "keyslot.tools", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith(" kernels: 0 errors, 0 warnings\n")


# --- kernels that are not there -------------------------------------------------------


def test_functions_for_pytorch_are_looked_up(check: Check) -> None:
    """What is named below `torch` must be there, and takes what a kernel takes."""
    entry = """\
- func: scale(Tensor self, Scalar by) -> Tensor
  dispatch: {NumPy: scale}
  torch:
    kernels:
      CUDA, MPS: checked_rules:on_device
    shape: checked_rules:shape
    backward: checked_rules:backwards
    setup_context: checked_rules:keep
    vmap: checked_missing:batched
"""
    rules = (
        "def on_device(self, by):\n    return self\n\n\n"
        "def shape(self):\n    return self.shape\n\n\n"
        "def backward(ctx, grad):\n    return grad, None\n\n\n"
        "def keep(ctx, inputs, output):\n    pass\n"
    )
    kernels = "def scale(self, by):\n    return self * by\n"
    files = {
        "ops.yaml": entry,
        "checked_rules.py": rules,
        "checked_kernels.py": kernels,
    }
    found = check.findings(files)
    assert [(each["rule"], each["line"]) for each in found] == [
        ("module-import", 9),
        ("kernel-import", 7),
        ("signature", 6),
    ]


def test_bare_name_needs_a_module(check: Check) -> None:
    """A name without a configured module can be looked up nowhere."""
    files = {
        "ops.yaml": "- func: neg(Tensor self) -> Tensor\n  dispatch:\n    CuPy: neg\n"
    }
    (found,) = check.findings(files)
    assert found["rule"] == "no-module"
    assert found["message"] == (
        "no module is configured in which neg at CuPy could be looked up"
    )


def test_kernel_must_be_callable(check: Check) -> None:
    """A number is no kernel."""
    assert check.op("neg(Tensor self) -> Tensor", "numpy:pi") == [
        (
            "kernel-import",
            "numpy:pi: a kernel must be callable; numpy:pi is float",
        )
    ]


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("raise RuntimeError('no GPU\\nmore')\n", "RuntimeError: no GPU"),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("def (:\n", "SyntaxError: "),
        ("1 .real_part\n", "AttributeError: "),
        ("import nowhere\n", "ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_module_that_fails_is_one_finding(check: Check, module: str, why: str) -> None:
    """Whatever a module of kernels raises is told once, at its first kernel."""
    entries = (
        "- func: zeta(Tensor self) -> Tensor\n- func: abs(Tensor self) -> Tensor\n"
    )
    files = {"ops.yaml": entries, "checked_kernels.py": module}
    (found,) = check.findings(files)
    assert (found["rule"], found["line"]) == ("module-import", 1)
    says = f"checked_kernels, with 2 kernels, cannot be imported: {why}"
    assert found["message"].startswith(says)
    assert check.code == 1


def test_missing_output_is_asked_for(check: Check) -> None:
    """Kernels that import the generated package need it to be generated first."""
    files = {
        "ops.yaml": "- func: neg(Tensor self) -> Tensor\n",
        "checked_kernels.py": "import demo_ops.ops\n",
    }
    (found,) = check.findings(files)
    assert found["hint"].startswith("Run `keyslot codegen` first")


def test_library_that_is_not_installed_is_no_finding(check: Check) -> None:
    """Kernels of an array library that is missing here are named as not checked."""
    text = (
        "- func: neg(Tensor self) -> Tensor\n  dispatch:\n    CuPy: cupy.x:negative\n"
    )
    said = check.run({"ops.yaml": text})
    assert said.splitlines()[0] == (
        "not checked: cupy.x, with 1 kernel: cupy is not installed here"
    )
    assert check.code == 0


def test_what_modules_print_is_kept_apart(check: Check) -> None:
    """A module that prints does not spoil the JSON on standard output."""
    files = {
        "ops.yaml": "- func: neg(Tensor self) -> Tensor\n",
        "checked_kernels.py": "print('{')\ndef neg(self): ...\n",
    }
    said = check.run(files, "--json")
    assert json.loads(said.removesuffix("{\n"))["errors"] == 0


# --- kernels that do not fit ----------------------------------------------------------

ADD = "add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"


@pytest.mark.parametrize(
    "takes",
    [
        "self, other, *, alpha",
        "self, other, alpha=1",
        "a, b, /, *, alpha=1",
        "*args, **kwargs",
        "self, other, *, alpha=1, more=None",
    ],
)
def test_kernel_fits_if_the_call_does(check: Check, takes: str) -> None:
    """Positional arguments may have any names, keyword-only ones need theirs."""
    assert check.op(ADD, "add", f"def add({takes}): ...\n") == []


@pytest.mark.parametrize(
    ("takes", "why"),
    [
        ("self", "too many positional arguments"),
        ("self, other", "got an unexpected keyword argument 'alpha'"),
        ("self, other, *, beta=1", "got an unexpected keyword argument 'alpha'"),
        ("self, other, third, *, alpha", "missing a required argument: 'third'"),
        ("self, *, other, alpha", "too many positional arguments"),
        ("self, alpha, /, other", ""),
    ],
)
def test_kernel_must_take_what_it_is_given(check: Check, takes: str, why: str) -> None:
    """Missing, extra and misplaced arguments are found before any call fails."""
    ((rule, message),) = check.op(ADD, "add", f"def add({takes}): ...\n")
    assert rule == "signature"
    assert message.startswith(f"add: checked_kernels:add takes ({takes}): {why}")


def test_kernel_with_key_set_takes_it_first(check: Check) -> None:
    """A kernel that is marked so gets the key set before its arguments."""
    module = "from keyslot import with_keyset\n@with_keyset\ndef neg({}): ...\n"
    schema = "neg(Tensor self) -> Tensor"
    assert check.op(schema, "neg", module.format("keyset, self")) == []
    del sys.modules["checked_kernels"]
    ((rule, _),) = check.op(schema, "neg", module.format("self"))
    assert rule == "signature"


@pytest.mark.parametrize(
    ("schema", "kernel", "why"),
    [
        ("f(Tensor a, Tensor b) -> Tensor", "add", ""),
        (
            "f.out(Tensor a, Tensor b, *, Tensor(a!) out) -> Tensor(a!)",
            "add",
            "",
        ),
        ("f_(Tensor(a!) a, Tensor b) -> Tensor(a!)", "add", ""),
        ("f(Tensor a) -> Tensor", "add", "is a ufunc of 2 inputs, not of 1"),
        (
            "f(Tensor a, Tensor b) -> Tensor",
            "exp",
            "is a ufunc of 1 inputs: b would be written",
        ),
        (
            "f(Tensor a, Tensor b, *, Scalar alpha=1) -> Tensor",
            "add",
            "is a ufunc without an argument 'alpha'",
        ),
    ],
)
def test_ufunc_takes_its_inputs(
    check: Check, schema: str, kernel: str, why: str
) -> None:
    """A ufunc of NumPy says how many inputs it has, though it has no signature."""
    found = check.op(schema, f"numpy:{kernel}")
    name = schema.partition("(")[0]
    expected = [("signature", f"{name}: numpy:{kernel} {why}")] if why else []
    assert found == expected


def test_function_without_a_signature_is_trusted(check: Check) -> None:
    """Of many functions written in C, Python knows no parameters."""
    assert check.op("f(Tensor a, Scalar b) -> Tensor", "builtins:max") == []


def test_swapped_arguments_are_found(check: Check) -> None:
    """Arguments given by position go wrong silently in a kernel with another order."""
    schema = "sum(Tensor self, int dim, bool keepdim) -> Tensor"
    assert check.op(schema, "f", "def f(self, keepdim, dim): ...\n") == [
        (
            "argument-order",
            "sum: checked_kernels:f takes (self, keepdim, dim), in another order than"
            " the schema",
        )
    ]


@pytest.mark.parametrize(
    ("declared", "default", "shown"),
    [
        ("Scalar by=1", "2", "1"),
        ("Scalar by=1", "1.0", "1"),
        ("bool by=False", "0", "False"),
        ("int[2] by=1", "(1, 2)", "1"),
        ("str by='sum'", "'mean'", "'sum'"),
    ],
)
def test_other_default_is_found(
    check: Check, declared: str, default: str, shown: str
) -> None:
    """A kernel that is handed out should be called like the operator."""
    schema = f"f(Tensor self, {declared}) -> Tensor"
    assert check.op(schema, "f", f"def f(self, by={default}): ...\n") == [
        (
            "default",
            f"f: checked_kernels:f has the default by={default}, the schema {shown}",
        )
    ]


@pytest.mark.parametrize(
    ("declared", "default"),
    [
        ("int[2] by=1", "1"),
        ("int[2] by=1", "[1, 1]"),
        ("float by=2", "2.0"),
        ("Tensor? by=None", "None"),
        ("str by='sum'", "'sum'"),
        ("Scalar by", "3"),
    ],
)
def test_same_default_is_left_alone(check: Check, declared: str, default: str) -> None:
    """A default may be as the schema has it, or as kernels get it."""
    schema = f"f(Tensor self, {declared}) -> Tensor"
    assert check.op(schema, "f", f"def f(self, by={default}): ...\n") == []


# --- kernels that calls do not find ---------------------------------------------------

TWO_BACKENDS = """\
- func: neg(Tensor self) -> Tensor
  dispatch:
    NumPy: numpy:negative
    CuPy: cupy:negative
- func: abs(Tensor self) -> Tensor
  dispatch:
    NumPy: numpy:absolute
- func: twice(Tensor self) -> Tensor
- func: by_hand(Tensor self) -> Tensor
  dispatch: {}
"""
TWICE = {"checked_kernels.py": "def twice(self): ...\n"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], ["abs has no kernel for CuPy"]),
        (["--backend", "NumPy"], []),
        (
            ["--backend", "CuPy", "--backend", "Meta"],
            ["neg has no kernel for Meta", "abs has no kernel for CuPy, Meta"],
        ),
    ],
)
def test_missing_kernels_are_found(
    check: Check, arguments: list[str], says: list[str]
) -> None:
    """Asked for are the backends that have kernels, or those named.

    A composite serves them all; an entry without kernels gets them from a program.
    """
    found = check.findings({"ops.yaml": TWO_BACKENDS, **TWICE}, *arguments)
    assert [each["message"] for each in found] == says
    assert {each["rule"] for each in found} <= {"missing-kernel"}


def test_a_backend_that_lacks_many_kernels_is_one_line(check: Check) -> None:
    """The first kernel for a second library is no reason for a page of warnings."""
    entry = (
        "- func: f{0}(Tensor self) -> Tensor\n  dispatch:\n    {1}: numpy:negative\n"
    )
    keys = ["NumPy, CuPy", *["NumPy"] * 11]
    ops = "".join(entry.format(n, key) for n, key in enumerate(keys))
    says = "ops.yaml:4:9: 11 of 12 overloads have no kernel for CuPy; f1 is the first"
    said = check.run({"ops.yaml": ops})
    assert says in said
    assert said.count("no kernel for") == 1
    assert said.endswith("0 errors, 1 warning\n")
    for arguments in (["--backend", "CuPy"], ["--json"]):
        assert check.run({"ops.yaml": ops}, *arguments).count("no kernel for") == 11


def test_fallthrough_is_no_kernel(check: Check) -> None:
    """A key that calls pass over computes nothing."""
    entry = "- func: neg(Tensor self) -> Tensor\n  dispatch:\n    CuPy: fallthrough\n"
    (found,) = check.findings({"ops.yaml": entry}, "--backend", "CuPy")
    assert found["rule"] == "missing-kernel"


WARNED = {
    "unreachable-kernel": (
        "- func: f(Tensor self) -> Tensor\n  dispatch:\n"
        "    NumPy, BatchedDecomposition, Batched: f\n",
        "f: no call reaches the kernel at BatchedDecomposition: Batched comes before"
        " it",
    ),
    "hidden-composite": (
        "- func: f(Tensor self) -> Tensor\n  dispatch:\n"
        "    NumPy, CompositeImplicitAutograd: f\n",
        "f: CompositeImplicitAutograd gives way at AutogradNumPy because of NumPy:"
        " calls that record gradients find no kernel there",
    ),
    "autograd-only": (
        "- func: f(Tensor self) -> Tensor\n  dispatch:\n    Autograd: f\n",
        "f: there is a kernel at Autograd only: calls below it find none",
    ),
    "companion": (
        "- func: f(Tensor self) -> Tensor\n"
        "- func: f_(Tensor(a!) self, Scalar by) -> Tensor(a!)\n",
        "no overload of f takes the arguments of f_",
    ),
    "not-derived": (
        "- func: f(Tensor self) -> Tensor\n  autogen: f.out\n",
        "f.out is not derived, for f is a composite; from a kernel at"
        " CompositeExplicitAutograd it would be",
    ),
    "dotted-name": (
        "- func: f(Tensor self) -> Tensor\n  dispatch:\n    NumPy: numpy.sin\n",
        "numpy.sin is looked up in the kernel module of NumPy; for one of the module"
        " numpy write numpy:sin",
    ),
}


@pytest.mark.parametrize("rule", WARNED)
def test_warnings_of_the_generator_are_findings(check: Check, rule: str) -> None:
    """What the generator warns of is reported under a rule of its own."""
    text, message = WARNED[rule]
    found = check.findings({"ops.yaml": text})
    assert [each["message"] for each in found if each["rule"] == rule] == [message]


# --- array types ----------------------------------------------------------------------

KEYS = """\
name: small
backends: [Mine, Absent]
functionalities:
  - Dense: "{{backend}}"
groups:
  backend: [Dense]
array_types:
  Mine: {types}
  Absent: not_installed_anywhere:Array
array_functionalities: [Dense]
"""
LIBRARY = """\
class Array: ...
Array.__module__ = "checked_library.core"
number = 1
"""


@pytest.mark.parametrize(
    ("types", "says"),
    [
        ("checked_library.core:Array", []),
        ("[checked_library.core:Array, checked_library.old:Array]", []),
        (
            "checked_library:Arrray",
            [
                "checked_library:Arrray is nowhere, so no argument is of this type:"
                " module 'checked_library' has no attribute 'Arrray'"
            ],
        ),
        (
            "[checked_library:Array]",
            [
                "checked_library:Array calls itself checked_library.core:Array, and by"
                " that name types are matched"
            ],
        ),
        (
            "checked_library:number",
            ["checked_library:number is no class but of type int"],
        ),
    ],
)
def test_array_types_must_be_somewhere(
    check: Check, types: str, says: list[str]
) -> None:
    """A misspelt class of an installed library never matches, and nothing else says so.

    Others of a library where one is right may be those of its other releases.
    """
    files = {
        "pyproject.toml": f'{CONFIG}keys = "keys.yaml"\n',
        "keys.yaml": KEYS.format(types=types),
        "ops.yaml": "- func: f(Tensor self) -> Tensor\n  dispatch: {}\n",
        "checked_library/__init__.py": "from .core import Array, number\n",
        "checked_library/core.py": LIBRARY,
    }
    found = check.findings(files)
    assert [each["message"] for each in found] == says
    assert {each["rule"] for each in found} <= {"array-type"}
    assert all(each["file"] == "keys.yaml" for each in found)


# --- rules for transforms -------------------------------------------------------------

RULED = {
    "ops.yaml": """\
- func: mul(Tensor self, Tensor other) -> Tensor
  dispatch: {NumPy: numpy:multiply}
  shape: checked_rules:mul
  derivatives:
    self: grad * other.conj()
    other: mul(grad, selves(self)) + top_level(grad)
  batching: checked_rules:point
- func: mul_(Tensor(a!) self, Tensor other) -> Tensor(a!)
  dispatch: {NumPy: checked_rules:mul_}
""",
    "checked_rules.py": """\
def mul(self):
    return self
def mul_(self, other):
    return self
def pointwise(call): ...
def selfs(x): ...
""",
    "pyproject.toml": f"""{CONFIG}
[tool.keyslot.rules]
derivatives = "checked_rules"
""",
}


def test_rules_are_looked_up(check: Check) -> None:
    """Rules must be there and take what they are given, and so must their functions.

    A companion has the same rules, of which nothing is said twice.
    """
    found = check.findings(RULED)
    assert [(each["rule"], each["line"], each["column"]) for each in found] == [
        ("kernel-import", 7, 13),
        ("signature", 3, 10),
        ("formula", 6, 22),
        ("formula", 6, 38),
    ]
    assert [each["message"] for each in found] == [
        "checked_rules:point: module 'checked_rules' has no attribute 'point'",
        "mul: checked_rules:mul takes (self): too many positional arguments",
        "mul: the formula of other calls 'selves', which is no operator and no function"
        " of checked_rules",
        "mul: the formula of other calls 'top_level', which is no operator and no"
        " function of checked_rules",
    ]
    assert found[2]["hint"] == "Did you mean selfs?"


def test_operators_without_rules_are_found_if_asked_for(check: Check) -> None:
    """Composites need none, nor does what has kernels at the keys of the rules."""
    entries = """\
- func: f(Tensor self) -> Tensor
  autogen: f.out
  dispatch: {NumPy: numpy:sin}
- func: f_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    NumPy, Meta: numpy:sin
- func: g(Tensor self) -> Tensor
  dispatch: {CompositeImplicitAutograd: numpy:sin}
- func: h(Tensor self) -> Tensor
  dispatch:
    CompositeExplicitAutograd, BatchedDecomposition: numpy:sin
  derivatives: {output_differentiability: [False]}
- func: i.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch: {NumPy: numpy:sin}
  batching: numpy:sin
"""
    arguments = ["--ignore", "missing-kernel"]
    assert check.findings({"ops.yaml": entries}, *arguments) == []
    found = check.findings({"ops.yaml": entries}, *arguments, "--rules")
    assert {each["rule"] for each in found} == {"missing-rule"}
    assert [each["message"] for each in found] == [
        "f has no rule shape and no rule derivatives and no rule batching",
        "f_ has no rule derivatives and no rule batching",
        "i.out has no rule shape",
    ]
    assert found[2]["hint"] == "Abstract arrays cannot go through it."


# --- functions that nothing names -----------------------------------------------------


def test_unused_kernels_are_found_if_asked_for(check: Check) -> None:
    """Public functions of a module of kernels are kernels, its helpers and imports not.

    The modules are those configured and, inside of these, those that names go through.
    """
    files = {
        "ops.yaml": "- func: f(Tensor x) -> Tensor\n  dispatch:\n    NumPy: more.f\n",
        "checked_kernels/__init__.py": (
            "from . import more, shared, user\nfrom .more import left_over\n"
        ),
        "checked_kernels/more.py": (
            "from os.path import join\nfrom .shared import help_all\n"
            "def f(self): ...\ndef _helper(): ...\nclass Kind: ...\n"
            "def left_over(self): ...\ndef used(self): ...\n"
        ),
        "checked_kernels/shared.py": "def help_all(): ...\n",
        "checked_kernels/user.py": "from .more import used\n",
    }
    assert check.findings(files) == []
    assert check.findings(files, "--unused") == [
        {
            "severity": "warning",
            "rule": "unused-kernel",
            "file": "checked_kernels/more.py",
            "line": 6,
            "column": 1,
            "message": "checked_kernels.more:left_over is the kernel of no operator",
            "hint": "",
        }
    ]


# --- the command ----------------------------------------------------------------------


def test_rules_can_be_ignored(check: Check) -> None:
    """A rule that is ignored finds nothing, and nothing is left to fail for."""
    files = {"ops.yaml": WARNED["companion"][0]}
    arguments = ["--ignore", "companion", "--ignore", "module-import"]
    assert check.findings(files, *arguments) == []
    assert check.code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["--ignore", "compannion"],
            "there is no rule 'compannion'. Did you mean companion?",
        ),
        (["--backend", "Numpi"], "there is no backend 'Numpi'. Did you mean NumPy?"),
        (["--config", "none.toml"], "none.toml: there is no such file; run the"),
    ],
)
def test_wrong_names_are_refused(check: Check, arguments: list[str], says: str) -> None:
    """What there is not ends the command with 2."""
    text = "- func: f(Tensor self) -> Tensor\n  dispatch: {}\n"
    assert check.run({"ops.yaml": text}, *arguments).startswith(says)
    assert check.code == 2


class Terminal(StringIO):
    """Standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_terminal_gets_the_same_in_colours(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words and lines are those of plain text, however long they are."""
    kernel = "some_module_with_a_long_name" * 6
    files = {
        "ops.yaml": "- func: f(Tensor self) -> Tensor\n  dispatch:\n"
        f"    NumPy: {kernel}:f\n"
    }
    plain = check.run(files)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["check"]) == 1
    coloured = terminal.getvalue()
    assert coloured.startswith("\x1b[1;31mmodule-import: 1 error")
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_wrong_declarations_are_refused(check: Check) -> None:
    """What the generator refuses is refused here, in the same words."""
    said = check.run({"ops.yaml": "- fun: f(Tensor self) -> Tensor\n"})
    assert said.startswith("ops.yaml:1:3: missing field func\n")
    assert check.code == 2


def test_kernels_of_pytorch_are_not_checked(check: Check) -> None:
    """A package of PyTorch's own operators has no kernels that could be looked at."""
    said = check.run(
        {
            "pyproject.toml": CONFIG + 'native = "torch"\n',
            "ops.yaml": "- func: twice(Tensor self) -> Tensor\n",
        }
    )
    assert said == "the kernels are those of torch: there is nothing to check\n"
    assert check.code == 2


def test_document_describes_every_rule() -> None:
    """The table in docs/tools.md has each rule, with its severity."""
    text = (ROOT / "docs" / "tools.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning) \|", text, re.M)
    assert rows == [*RULES.items()]
