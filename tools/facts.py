"""What is declared and registered of an overload, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..runtime.trace import kernel_name
from .sources.operators import declaration_source, kernel_source
from .sources.source import Source

if TYPE_CHECKING:
    from ..runtime.kernel import Kernel
    from ..runtime.op import OpOverload


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """One kernel of an overload."""

    #: The runtime or alias key it is registered at.
    key: str
    #: ``module:name``.
    kernel: str
    #: The file that registers it.
    site: str
    #: Where its function is written, if that is Python.
    source: Source | None


@dataclass(frozen=True, slots=True)
class OverloadFacts:
    """What an overload is, and the kernels it has."""

    #: ``mul.Tensor``.
    name: str
    schema: str
    #: The first paragraph of its documentation.
    summary: str
    #: The overload it was derived from, if it was.
    derived_from: str | None
    #: The file that declares it, and the line if that can be found.
    declared_in: str
    declaration: Source | None
    kernels: tuple[KernelFacts, ...]
    #: The rules by which transforms know it: ``shape``, ``derivatives``, ``batching``.
    rules: dict[str, str]


def overload_facts(op: OpOverload) -> OverloadFacts:
    """Return what is declared and registered of an overload."""
    return OverloadFacts(
        name=op.qualified_name,
        schema=op.schema_text,
        summary=op.summary,
        derived_from=op.derived_from,
        declared_in=op.origin,
        declaration=declaration_source(op),
        kernels=tuple(
            kernel_facts(kernel) for kernel in op.dispatch_table.kernels.values()
        ),
        rules=dict(_rules(op)),
    )


def _rules(op: OpOverload) -> Iterator[tuple[str, str]]:
    if op.shape_rule is not None:
        yield "shape", op.shape_rule
    if op.derivatives:
        yield "derivatives", f"of {', '.join(op.derivatives)}"
    elif op.output_differentiability:
        yield "derivatives", "none"
    if op.batching_rule is not None:
        parameters = ", ".join(op.batching_parameters)
        yield "batching", op.batching_rule + (f"({parameters})" if parameters else "")


def kernel_facts(kernel: Kernel) -> KernelFacts:
    """Return what is to be said of a kernel."""
    name, site = kernel_name(kernel), str(kernel.site)
    return KernelFacts(kernel.key, name, site, kernel_source(kernel))
