"""Put new files in place so that an import sees the old package or the new one.

The system replaces one file at a time, and a package is many. But ``__init__.py`` is
what every import of the package begins with, so it can switch all of them at once:

1. The new modules are written to a folder inside the cache.
2. ``__init__.py`` becomes the new one with an end that takes the modules from there.
   This one replacement is the switch: old package before it, new package after it.
3. Each file is put in its place, which no import looks at meanwhile.
4. ``__init__.py`` loses that end, and the folder goes.

A run that is killed leaves what it had reached, which imports; the next run mends it.
Where no more than one module changes, its replacement is the switch. Where there is no
package yet, ``__init__.py`` comes last.

``OpNamespace`` sees by the time of ``__init__.py`` that there was a switch, and loads
no further module into a process that imported the package before it.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_INIT: Final = "__init__.py"
#: There is no code in it: the one in its place, old or new, is as good as any.
_INIT_OF_OPS: Final = "ops/__init__.py"
#: Where files wait for their turn.
_STAGED: Final = "staged"
#: Where modules are imported from; two, since a killed run may have left one in use.
_SWITCHES: Final = ("modules-1", "modules-2")
_SECOND: Final = 1_000_000_000

_END: Final = """
# The generator is at work here, or was cut short. Until it has run to its end, modules
# are taken from its cache:
__path__.insert(0, f"{{__path__[0]}}/{place}")
from . import ops

ops.__path__ = [f"{{folder}}/ops" for folder in __path__]
"""


def replace_files(
    folder: Path, cache: Path, files: Mapping[str, str], changed: Iterable[str]
) -> None:
    """Write those files of a package that changed; its lock must be held.

    ``cache`` is the cache of the folder, ``files`` all that the package is to have.
    """
    names = set(changed)
    has_package = (folder / _INIT).exists()
    switches = has_package and sum(name.endswith(".py") for name in names) > 1
    if switches:
        names.add(_INIT)
    moment = _later_than(folder / _INIT)
    _stage(cache / _STAGED, {name: files[name] for name in names})
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    if switches:
        switch = _stage_switch(folder, cache, files, names)
        _put(switch, folder / _INIT, moment)
    for name in sorted(names - {_INIT}):
        _put(cache / _STAGED / name, folder / name, _later_than(folder / name))
    if _INIT in names:
        _put(cache / _STAGED / _INIT, folder / _INIT, moment)


def leftovers(folder: Path, cache: Path) -> list[Path]:
    """Return what a killed run left in the cache, but for what is imported from."""
    names = [_STAGED, *_SWITCHES]
    in_use = _switch_in_use(folder)
    return [
        cache / name for name in names if name != in_use and (cache / name).exists()
    ]


def remove_leftovers(folder: Path, cache: Path) -> None:
    """Remove what a killed run left in the cache, but for what is imported from."""
    for path in leftovers(folder, cache):
        # A process may just be writing bytecode there; then the next run removes it.
        shutil.rmtree(path, ignore_errors=True)


def is_unfinished(folder: Path) -> bool:
    """Whether a run has switched the package and not come to its end."""
    return _switch_in_use(folder) is not None


def _switch_in_use(folder: Path) -> str | None:
    try:
        text = (folder / _INIT).read_text("utf-8", errors="replace")
    except OSError:
        return None
    _, _, end = text.rpartition("__path__.insert")
    return next((name for name in _SWITCHES if f"/{name}" in end), None)


def _stage(place: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def _stage_switch(
    folder: Path, cache: Path, files: Mapping[str, str], names: Iterable[str]
) -> Path:
    """Write what the package is imported from meanwhile; return its ``__init__``."""
    in_use = _switch_in_use(folder)
    place = cache / next(name for name in _SWITCHES if name != in_use)
    modules = {name for name in names if name.endswith(".py")} - {_INIT_OF_OPS}
    staged = {name: files[name] for name in modules}
    staged[_INIT] += _END.format(place=place.relative_to(folder).as_posix())
    _stage(place, staged)
    return place / _INIT


def _put(staged: Path, target: Path, moment: int) -> None:
    os.utime(staged, ns=(moment, moment))
    os.replace(staged, target)


def _later_than(path: Path) -> int:
    """Return the time that a file gets which replaces another.

    It is now, or as much later as it takes to be in another second: Python takes its
    bytecode of the old file for the new one's if size and second are the same.
    """
    now = time.time_ns()
    try:
        old = path.stat().st_mtime_ns
    except OSError:
        return now
    return max(now, (old // _SECOND + 1) * _SECOND)
