"""Run the examples in the text of operators."""

from __future__ import annotations

import doctest
import traceback
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from types import TracebackType
from typing import Any, TypeAlias

from ...codegen.model import Overload
from ...codegen.problems import Located, Problems

_Exception: TypeAlias = tuple[type[BaseException], BaseException, TracebackType]


def check_examples(
    overloads: Iterable[Overload], operators: Any, problems: Problems
) -> int:
    """Run all examples and return how many there are; wrong ones become problems.

    They see the generated package as ``ops`` and under its own name, and NumPy, where
    it is installed, as ``np``.
    """
    names = _names(operators)
    count = 0
    for overload in overloads:
        if overload.derived_from is None and overload.declaration.doc:
            count += _check(overload, names, problems)
    return count


def _names(operators: Any) -> Mapping[str, Any]:
    names = {"ops": operators, operators.__name__.rpartition(".")[2]: operators}
    # A project may do without it.
    with suppress(ImportError):
        names["np"] = import_module("numpy")
    return names


def _check(overload: Overload, names: Mapping[str, Any], problems: Problems) -> int:
    name, place = overload.schema.qualified, overload.declaration.places["doc"]
    parser = doctest.DocTestParser()
    try:
        test = parser.get_doctest(
            overload.declaration.doc, {**names}, name, place.source.file, 0
        )
    except ValueError as error:
        problems.add(place, f"the text of {name} has a malformed example: {error}")
        return 0
    # What fails is collected, nothing printed.
    _Runner(place, problems).run(test, out=lambda _: None)
    return _count(parser.parse(overload.declaration.doc))


def _count(pieces: Iterable[doctest.Example | str]) -> int:
    """Return how many examples there are in a text; one may have many statements.

    Statements are of one example if there are no words between them.
    """
    count, follows_words = 0, True
    for piece in pieces:
        if isinstance(piece, str):
            follows_words = follows_words or bool(piece.strip())
        elif follows_words:
            count, follows_words = count + 1, False
    return count


class _Runner(doctest.DocTestRunner):
    """Runs the examples of one text and reports wrong ones where they stand."""

    def __init__(self, place: Located, problems: Problems) -> None:
        super().__init__(verbose=False, optionflags=doctest.ELLIPSIS)
        self._place = place
        self._problems = problems

    def report_start(self, out: Any, test: doctest.DocTest, example: Any) -> None:
        """Say nothing."""

    def report_success(
        self, out: Any, test: doctest.DocTest, example: Any, got: str
    ) -> None:
        """Say nothing."""

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        """Report an example that prints something else."""
        says = f"prints {_shown(got)}, not {_shown(example.want)}"
        self._report(test, example, says)

    def report_unexpected_exception(
        self,
        out: Any,
        test: doctest.DocTest,
        example: doctest.Example,
        exc_info: _Exception,
    ) -> None:
        """Report an example that raises."""
        error = "".join(traceback.format_exception_only(*exc_info[:2])).strip()
        self._report(test, example, f"raises {error}")

    def _report(
        self, test: doctest.DocTest, example: doctest.Example, says: str
    ) -> None:
        place, source = self._place, self._place.source
        message = f"the example of {test.name} {says}"
        if not source.line(place.line)[place.column - 1 :].startswith("|"):
            # Only in a literal block do the lines of the text follow those of the file.
            self._problems.add(place, message)
            return
        line = place.line + 1 + example.lineno
        text = source.line(line)
        column = len(text) - len(text.lstrip()) + 1
        self._problems.add_line(source, line, column, message)


def _shown(text: str) -> str:
    return repr(text.rstrip("\n")) if text else "nothing"
