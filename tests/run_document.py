"""Run what a Markdown document shows. Use: python tests/run_document.py README.md.

The blocks of a document run from top to bottom, in one interpreter and in one fresh
folder. The word after the backticks says what happens to a block:

``pycon``
    a doctest: what is after ``>>>`` is run, and has to print what is below it;
``console``
    what is after ``$`` is run by the shell, has to succeed, and has to print what is
    below it, if anything is;
anything with ``title="NAME"``
    is written to the file NAME.

Every other block, ``python`` and ``sh`` among them, is only there to be read. In
expected output ``...`` stands for any text, as doctest has it.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FLAGS = doctest.ELLIPSIS
FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w+-]*) *(?P<info>[^\n]*)\n"
    r"(?P<text>.*?)^(?P=indent)(?P=ticks) *$",
    re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'\btitle="([^"]+)"')


class Block(NamedTuple):
    """One fenced block of a document."""

    language: str
    title: str | None
    text: str
    line: int

    @property
    def runs(self) -> bool:
        """Whether the block does something when its document is run."""
        return self.title is not None or self.language in ("console", "pycon")


def read_blocks(document: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a document in order."""
    source = document.read_text("utf-8")
    for match in FENCE.finditer(source):
        title = TITLE.search(match["info"])
        indent = re.compile(f"^{match['indent']}", re.MULTILINE)
        yield Block(
            language=match["language"],
            title=title[1] if title else None,
            text=indent.sub("", match["text"]),
            line=source.count("\n", 0, match.start("text")) + 1,
        )


def run_document(document: Path) -> int:
    """Run the blocks of a document in the current folder; return how many failed."""
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    variables: dict[str, object] = {"__name__": "__main__"}
    failures = 0
    for block in read_blocks(document):
        if block.title is not None:
            target = Path(block.title)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, "utf-8", newline="\n")
        elif block.language == "pycon":
            examples = doctest.DocTestParser().get_examples(block.text)
            # A name of its own: doctest knows the lines of the last one of a name only.
            name = f"{document.name}, line {block.line}"
            test = doctest.DocTest(
                examples, {}, name, str(document), block.line - 1, None
            )
            test.globs = variables
            failures += runner.run(test, clear_globs=False).failed
        elif block.language == "console":
            failures += _run_console(document, block)
    return failures


def _run_console(document: Path, block: Block) -> int:
    """Run the commands of a console block; return how many failed."""
    failures = 0
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        # A command goes on while its lines end in a backslash.
        match = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", part, re.DOTALL)
        assert match is not None, "the pattern takes any text"
        command, expected = match.groups()
        done = subprocess.run(
            command,
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        checker = doctest.OutputChecker()
        if done.returncode or (
            expected.strip() and not checker.check_output(expected, done.stdout, FLAGS)
        ):
            failures += 1
            print(f"{document}, block at line {block.line}:\n    $ {command}")
            print(f"exit {done.returncode}, output:\n{done.stdout}")
    return failures


def main(document: Path) -> int:
    """Run a document in a folder that is removed afterwards."""
    document = document.resolve()
    # Commands find the programs that are installed beside this Python.
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    os.environ["PATH"] = os.pathsep.join(programs)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path[0] = folder
        try:
            return 1 if run_document(document) else 0
        finally:
            os.chdir(document.parent)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
