"""Kill the generator at one moment after another, and say what each kill left.

A program. It is told what to do, `kill` or `import`, the folder of a project whose
output is that of its old schemas, and a folder with the new schemas. It prints a line
of JSON for each kill, or for each import while the generator goes from old to new and
back. Generator and importer are processes of their own, forked from this one to save
them the imports.
"""

from __future__ import annotations

import gc
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from keyslot.codegen.__main__ import main

#: What is imported late, once for all processes.
for late in ("codegen.frontend", "codegen.generate", "generated.keys"):
    import_module(f"keyslot.{late}")
OPERATIONS = frozenset(
    ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.utime", "os.scandir")
)
#: How many runs are killed before they touch a file of the output, and by the clock.
BEFORE, BY_TIME = 40, 12
#: How many runs there are while other processes import; the last one makes the new.
WRITTEN = 25
REPORT = Path("report.json")


def run_forked(work: Callable[[], int], seconds: float | None = None) -> int:
    """Run something in a process of its own, and kill that after some seconds.

    Returns its code, or minus the signal that ended it.
    """
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def generate() -> int:
    """Run the generator in this folder."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        return main(["codegen"])


def generate_until(last: int) -> int:
    """Run the generator, which kills itself before its file operation ``last``."""
    count = 0

    def hook(event: str, _: tuple[Any, ...]) -> None:
        nonlocal count
        if event in OPERATIONS:
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    return generate()


def count_operations() -> int:
    """Run the generator; report when it first locks its output, and its last one."""
    found: list[bool] = []

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in OPERATIONS:
            found.append(str(args[0]).endswith("lock"))

    sys.addaudithook(hook)
    code = generate()
    REPORT.write_text(json.dumps([found.index(True), len(found)]))
    return code


def import_and_call() -> int:
    """Import the package, call all operators and report what they return."""
    sys.path.insert(0, os.getcwd())
    try:
        package: Any = import_module("demo_ops")
        said = {name: getattr(package, name)(np.ones(1)) for name in package}
    except Exception as error:
        said = {"error": repr(error)}
    REPORT.write_text(json.dumps(said))
    return 0


def contents(folder: Path) -> dict[str, str]:
    """Return the text of every file in a folder, without what makes things faster."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".pyc", ".json")
    }


class Killer:
    """Kills runs in a project, each of which would change the old output to the new."""

    def __init__(self, project: Path, schemas: Path) -> None:
        os.chdir(project)
        run_forked(import_and_call)  # so that there is bytecode of the old modules
        shutil.copytree("demo_ops", "old")
        for path in project.glob("*.yaml"):
            path.unlink()
        shutil.copytree(schemas, project, dirs_exist_ok=True)
        start = time.monotonic()
        run_forked(count_operations)
        self._duration = time.monotonic() - start
        self._first, self._count = json.loads(REPORT.read_text())
        self._clean = contents(Path("demo_ops"))

    def kill_all(self, chosen: random.Random) -> Iterator[dict[str, Any]]:
        """Kill runs at all kinds of moments, and yield what each left."""
        early = [chosen.randrange(1, self._first) for _ in range(BEFORE)]
        for last in [*early, *range(self._first, self._count + 1)]:
            yield self._kill([last])
        for last in range(self._first, self._count + 1, 3):
            # The run that mends what was left is killed too.
            yield self._kill([last, chosen.randrange(self._first, self._count)])
        for _ in range(BY_TIME):
            yield self._kill([chosen.uniform(0, self._duration)])

    def _kill(self, moments: list[int | float]) -> dict[str, Any]:
        """Kill one run after the other, at an operation or after some seconds."""
        shutil.rmtree("demo_ops")
        shutil.copytree("old", "demo_ops")
        ended: list[int] = []
        imported: list[Any] = []
        for moment in moments:
            if isinstance(moment, int):
                ended.append(run_forked(partial(generate_until, moment)))
            else:
                ended.append(run_forked(generate, moment))
            imported.append(import_in_process())
        mended = run_forked(generate) == 0 and contents(Path("demo_ops")) == self._clean
        return {"at": moments, "ended": ended, "imported": imported, "mended": mended}


def rewrite(schemas: tuple[Path, Path]) -> int:
    """Run the generator over two sets of schemas in turn."""
    for count in range(WRITTEN):
        for path in Path().glob("*.yaml"):
            path.unlink()
        for path in schemas[count % 2].glob("*.yaml"):
            shutil.copy(path, path.name)
        generate()
    return 0


def import_all_the_while(project: Path, new: Path) -> Iterator[dict[str, Any]]:
    """Import while the generator goes from old to new and back; yield what works.

    The first import is of the old package and the last of the new, with no run by them.
    """
    os.chdir(project)
    old = Path("old_schemas")
    old.mkdir()
    for path in project.glob("*.yaml"):
        shutil.copy(path, old)
    yield import_in_process()
    writer = os.fork()
    if writer == 0:
        os._exit(rewrite((new, old.absolute())))
    while os.waitpid(writer, os.WNOHANG) == (0, 0):
        yield import_in_process()
    yield import_in_process()


def import_in_process() -> dict[str, Any]:
    """Import and call in a process of its own; return what it reports."""
    run_forked(import_and_call)
    said: dict[str, Any] = json.loads(REPORT.read_text())
    return said


if __name__ == "__main__":
    what, *folders = sys.argv[1:]
    gc.freeze()  # a fork copies what the collector touches
    if what == "kill":
        said = Killer(*map(Path, folders)).kill_all(random.Random(0))
    else:
        said = import_all_the_while(*map(Path, folders))
    for each in said:
        print(json.dumps(each))
