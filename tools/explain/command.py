"""``keyslot explain``: what an operator is, or why a call goes where it goes."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Final

from ...codegen.counting import counted
from ...codegen.ending import DONE, FINDING
from ...runtime.errors import NoArrayError, OverloadError
from ...runtime.explain import Explanation, explain_types
from ...runtime.native import NativeOverload
from ..console import Cell, add_json_argument, print_json, print_line
from ..facts import KernelFacts, OverloadFacts, kernel_facts, overload_facts
from ..inputs import InputError
from ..operators import Operator, find_operator
from ..project import add_package_argument
from .given_types import read_types

_EPILOG: Final = """\
A type is a builtin one, module:Class, or the name of a class of arrays that the key
space declares. list[int] is a list of ints, and dim=int gives an argument by name. Ends
with 0, with 1 for a call that reaches no kernel, with 2 when the input is wrong.
"""
_CHOICE: Final = """\
A call takes the overload whose types are nearest to those given; among equals, the
first in this order."""


@dataclass(frozen=True, slots=True)
class OperatorAnswer:
    """The answer of ``keyslot explain OP``."""

    op: str
    #: In the order in which they are tried.
    overloads: tuple[OverloadFacts, ...]


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """The answer of ``keyslot explain OP TYPES``."""

    op: str
    types: tuple[str, ...]
    #: None where no overload takes the arguments.
    explanation: Explanation | None
    #: The kernel that is called, None where none is.
    kernel: KernelFacts | None
    #: The message of the error in which the call ends, None where it is made.
    error: str | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes to its parser."""
    parser.epilog = _EPILOG
    parser.add_argument("op", metavar="OP", help="an operator, or one overload of it")
    parser.add_argument(
        "types", metavar="TYPE", nargs="*", help="the type of each argument of a call"
    )
    add_json_argument(parser)
    add_package_argument(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Run the command; return how the process ends."""
    operator = find_operator(arguments.package, arguments.op)
    if not arguments.types:
        answer = explain_operator(operator)
        show = print_json if arguments.json else _print_operator
        show(answer)
        return DONE
    call = explain_call(operator, arguments.types)
    show_call = print_json if arguments.json else _print_call
    show_call(call)
    return DONE if call.error is None else FINDING


def explain_operator(operator: Operator) -> OperatorAnswer:
    """Return what the overloads of an operator are."""
    return OperatorAnswer(
        operator.name, tuple(overload_facts(op) for op in operator.overloads)
    )


def explain_call(operator: Operator, types: list[str]) -> CallAnswer:
    """Return why a call with arguments of these types goes where it goes.

    Raises InputError for what means no type.
    """
    first = operator.overloads[0]
    if isinstance(first, NativeOverload):
        raise InputError(
            f"where a call of {operator.name} goes is told by its arrays, not by their"
            f" types: call {first.name}.explain(...) in a program"
        )
    given = read_types(first.dispatcher.space, types)
    try:
        explanation = explain_types(operator.calls, given.types, given.names)
    except (OverloadError, NoArrayError) as error:
        return CallAnswer(operator.name, tuple(types), None, None, str(error))
    kernel = None if explanation.error else _called(operator, explanation)
    return CallAnswer(
        operator.name, tuple(types), explanation, kernel, explanation.error
    )


def _called(operator: Operator, explanation: Explanation) -> KernelFacts | None:
    """Return the kernel that a call reaches."""
    op = next(op for op in operator.overloads if op.name == explanation.op)
    place = op.dispatcher.space.index(explanation.chosen.key)
    kernel = op.dispatch_table.kernel(place)
    return None if kernel is None else kernel_facts(kernel)


def _print_operator(answer: OperatorAnswer) -> None:
    count = len(answer.overloads)
    print_line(Cell(answer.op, "bold"), f", {counted(count, 'overload')}")
    if count > 1:
        print(_CHOICE)
    for overload in answer.overloads:
        print()
        _print_overload(overload)


def _print_overload(overload: OverloadFacts) -> None:
    print_line(Cell(overload.schema, "bold"))
    if overload.summary:
        print_line("  ", overload.summary)
    if overload.derived_from:
        print_line("  derived from ", overload.derived_from)
    declaration = overload.declaration
    place = str(declaration or overload.declared_in)
    link = declaration.link if declaration else None
    print_line("  declared in ", Cell(place, link=link))
    if not overload.kernels:
        print_line("  no kernel at any key")
    for kernel in overload.kernels:
        print_line("  ", Cell(kernel.key, "cyan"), ": ", *_kernel_parts(kernel))
    for rule, text in overload.rules.items():
        print_line("  ", rule, ": ", text)


def _kernel_parts(kernel: KernelFacts) -> list[str | Cell]:
    source = kernel.source
    if source is None:
        return [kernel.kernel]
    return [Cell(kernel.kernel, link=source.link), f", {source}"]


def _print_call(answer: CallAnswer) -> None:
    if answer.explanation is not None:
        for line in str(answer.explanation).splitlines():
            label, colon, rest = line.partition(": ")
            is_label = bool(colon) and not line.startswith(" ")
            print_line(Cell(label, "bold" if is_label else ""), colon, rest)
    if answer.kernel is not None:
        print_line(Cell("kernel", "bold"), ": ", *_kernel_parts(answer.kernel))
    if answer.error is not None:
        print_line(Cell("the call ends in an error", "bold red"), ":")
        for line in answer.error.splitlines():
            print_line("  ", line)
