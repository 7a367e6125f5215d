"""Fields of an overload beside its signature and kernels, as text to compare."""

from __future__ import annotations

from collections.abc import Iterator

from ...codegen.model import Export, Overload, Rules


def fields_of(overload: Overload) -> dict[str, str]:
    """Return what an overload says, by names for messages; what is empty is left out.

    Rules are its own or those of its companion.
    """
    fields = {
        "derived from": overload.derived_from,
        "mixed_backends": ", ".join(overload.mixed_backends),
        "tags": ", ".join(overload.tags),
        "variants": ", ".join(sorted(overload.variants)),
        **dict(_rules(overload.rules)),
        **dict(_export(overload)),
    }
    return {name: value for name, value in fields.items() if value}


def _rules(rules: Rules) -> Iterator[tuple[str, str]]:
    if rules.shape is not None:
        yield "shape", str(rules.shape)
    if rules.batching is not None:
        parameters = ", ".join(rules.batching.parameters)
        rule = str(rules.batching.rule)
        yield "batching", f"{rule}({parameters})" if parameters else rule
    if rules.derivatives is not None:
        for name, formula in rules.derivatives.formulas.items():
            yield f"derivative of {name}", formula
        flags = map(str, rules.derivatives.output_differentiability)
        yield "output_differentiability", ", ".join(flags)


def _export(overload: Overload) -> Iterator[tuple[str, str]]:
    export = overload.declaration.torch
    if overload.derived_from is not None or export is None:
        return
    yield "torch", "true" if isinstance(export, Export) else "false"
    if isinstance(export, Export):
        for field, reference in export.references.items():
            yield f"torch: {field}", str(reference)
        for argument, formula in export.derivatives.items():
            yield f"torch: backward of {argument}", formula
