"""One run of the generator, from configuration to files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from .cache import read_cache, write_cache
from .config import Config
from .outputs import Plan, make_plan, refuse_foreign, write_files
from .problems import Problems
from .stamp import Summary, fingerprint, make_state, read_stamp, write_stamp

if TYPE_CHECKING:
    from .model import Operators

_STAMP: Final = "stamp.json"
_CHUNKS: Final = "chunks.json"

#: Makes, of the number of steps, a context whose value is called at each step.
Progress: TypeAlias = Callable[[int], AbstractContextManager[Callable[[], None]]]


@dataclass(frozen=True, slots=True)
class Result:
    """What a run made; no plan means that there was nothing to do."""

    summary: Summary
    plan: Plan | None


def run(config: Config, progress: Progress, *, check: bool) -> Result:
    """Generate what is not up to date; with ``check`` only say what that is.

    Raises DeclarationError with every problem of every file.
    """
    generator = fingerprint()
    state = make_state(config, generator)
    summary = read_stamp(read_cache(config.output, _STAMP), state)
    if summary is not None:
        return Result(summary, None)
    return _generate(config, generator, progress, check=check)


def _generate(
    config: Config, generator: str, progress: Progress, *, check: bool
) -> Result:
    # Only now what takes time to import: a run with nothing to do needs none of it.
    from .chunks import Chunks
    from .frontend import Findings, load_operators
    from .generate import generate

    findings = Findings(Problems(), warnings=Problems(limit=None))
    operators = load_operators(config, findings)
    findings.problems.raise_any()
    assert operators is not None  # it is None only where there are problems
    chunks = Chunks(generator, read_cache(config.output, _CHUNKS))
    with progress(len(operators.packets)) as advance:
        files = generate(operators, config, chunks, advance)
    plan = (make_plan if check else write_files)(config.output, files)
    refuse_foreign(config.output, plan)
    summary = _summarize(operators, findings.warnings)
    if not check:
        if chunks.changed:
            write_cache(config.output, _CHUNKS, chunks.dump())
        stamp = write_stamp(make_state(config, generator), summary)
        write_cache(config.output, _STAMP, stamp)
    return Result(summary, plan)


def _summarize(operators: Operators, warnings: Problems) -> Summary:
    overloads = list(operators.overloads)
    return Summary(
        operators=len(operators.packets),
        overloads=len(overloads),
        kernels=sum(len(overload.kernels) for overload in overloads),
        keys=len(operators.space.keys),
        aliases=len(operators.space.aliases),
        warnings=tuple(map(str, warnings)),
    )
