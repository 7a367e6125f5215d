"""The command ``keyslot codegen``: what it takes, what it says, how it ends."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from .config import Config, make_config
from .counting import counted
from .ending import DONE, FINDING
from .from_torch import LIBRARY, default_output
from .options import FILE, command_options, has_options, read_options
from .path_argument import path_argument
from .problems import Problems
from .run import Result, run

#: What a command line says where there is no configuration file.
_INSTEAD_OF_CONFIG: Final = (
    "schemas",
    "keys",
    "namespace",
    "output",
    "package",
    "kernels",
)
#: A run over more operators than this shows a progress bar.
_MANY: Final = 300
#: No more stale files than this are named.
_NAMED: Final = 5
_DESCRIPTION: Final = """\
Generate Python operators from schemas in YAML, as [tool.keyslot] of the pyproject.toml
in this folder says. With any of the options from --schemas to --kernels that file is
not read: they stand for all of it, and --schemas, --namespace and --output are needed.
"""
_FROM_TORCH: Final = """\
generate the operators of the installed PyTorch, into --output or into your cache, where
`from keyslot.torch import aten` finds them"""
_EPILOG: Final = """\
Ends with 0, with 1 when --check finds that the output is stale, with 2 when the input
is wrong; then nothing is written.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add = parser.add_argument
    path = partial(add, type=path_argument)
    path("--config", metavar="FILE", help=f"read [tool.keyslot] of this, not of {FILE}")
    path("--schemas", metavar="FILE", nargs="+", help="schema files, or patterns")
    path("--keys", metavar="FILE", help="the key space, if it is not keyslot's own")
    add("--namespace", metavar="NAME", help="the namespace of the operators")
    path("--output", metavar="DIR", help="the folder of the generated package")
    add("--package", metavar="NAME", help="what the folder is imported as")
    add("--kernels", metavar="KEY=MODULE", nargs="+", help="where kernels of a key are")
    add("--from-torch", action="store_true", help=_FROM_TORCH)
    add("--check", action="store_true", help="write nothing, say whether it is stale")


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends.

    Raises DeclarationError with every problem of every file, and OSError.
    """
    config = _config(arguments)
    with _no_garbage_collection():
        result = run(config, _progress, check=arguments.check)
    # What is odd in the declarations of a library is not for its users to mend.
    for warning in result.summary.warnings if config.native is None else ():
        print(f"warning: {warning}", file=sys.stderr)
    if arguments.check and result.plan is not None and result.plan.is_stale:
        print(_stale(result, config), file=sys.stderr)
        return FINDING
    print(_report(result, config))
    return DONE


def _config(arguments: argparse.Namespace) -> Config:
    problems = Problems()
    given: dict[str, str | list[str]] = {
        name: value
        for name, value in vars(arguments).items()
        if value is not None and name in _INSTEAD_OF_CONFIG
    }
    if arguments.from_torch:
        given = {"native": LIBRARY, "output": default_output(), **given}
    if arguments.config is not None or not given:
        for name in given:
            problems.add_file(f"--{name}", "cannot be combined with --config")
        options = read_options(Path(arguments.config or FILE), problems)
    else:
        options = command_options(given, problems)
        if has_options(Path(FILE)) and not arguments.from_torch:
            _say_what_is_not_read(problems)
    config = make_config(options, problems) if options is not None else None
    problems.raise_any()
    assert config is not None  # it is None only where there are problems
    return config


def _say_what_is_not_read(problems: Problems) -> None:
    """Say that the command line replaces the configuration, and does not add to it."""
    not_read = "[tool.keyslot] is not read beside options on the command line"
    if problems:
        hint = "give --schemas, --namespace and --output, or no options"
        problems.add_file(FILE, f"{not_read}: {hint}")
    else:
        print(f"note: {FILE}: {not_read}", file=sys.stderr)


@contextmanager
def _no_garbage_collection() -> Generator[None]:
    """Look for no garbage meanwhile: a run keeps all that it makes until its end."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _progress(steps: int) -> Generator[Callable[[], None]]:
    """Show a bar on a terminal, if the run takes long enough to look at it."""
    if steps < _MANY or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("generating operators", total=steps)
        yield lambda: bar.advance(task)


def _stale(result: Result, config: Config) -> str:
    plan = result.plan
    files = [*plan.changed, *plan.obsolete] if plan else []
    named = ", ".join(files[:_NAMED]) + (", ..." if len(files) > _NAMED else "")
    return (
        f"{_shown(config)} is out of date ({counted(len(files), 'file')}: {named}): run"
        f" `{config.update}`."
    )


def _report(result: Result, config: Config) -> str:
    numbers = result.summary
    made = ", ".join(
        (
            counted(numbers.operators, "operator"),
            counted(numbers.overloads, "overload"),
            counted(numbers.kernels, "kernel"),
            counted(numbers.keys, "dispatch key"),
            counted(numbers.aliases, "alias key"),
            counted(len(numbers.warnings), "warning"),
        )
    )
    return f"{made}\n{_shown(config)}: {_changes(result)}"


def _changes(result: Result) -> str:
    plan = result.plan
    if plan is None or not plan.is_stale:
        return "up to date"
    return (
        f"{counted(len(plan.changed), 'file')} written,"
        f" {len(plan.unchanged)} unchanged, {len(plan.obsolete)} removed"
    )


def _shown(config: Config) -> str:
    return f"{config.output.as_posix()}/"
