"""The fields of a schema file's entries, but for ``func``: how each value is read.

The language is that of PyTorch's ``native_functions.yaml``, with a few things more: the
fields ``doc``, ``mixed_backends``, ``torch``, ``shape``, ``derivatives`` and
``batching``, and kernels as ``module:attribute``. A reader gets a node and gives the
value that the model wants, or None after reporting what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from ..runtime.space import KeySpace
from .expect import (
    expect_flag,
    expect_list,
    expect_map,
    expect_text,
)
from .export_fields import read_export
from .model import KernelReference, Precomputed, UfuncLoop
from .nodes import (
    List,
    Node,
    Scalar,
)
from .problems import unknown
from .rule_fields import read_batching, read_derivatives, read_shape
from .values import (
    NAME,
    OPERATOR,
    Reading,
    keys_of,
    match_text,
    read_choices,
    read_elements,
    read_kernel,
    read_loop,
    read_words,
)

VARIANTS: Final = ("function", "method")
DEVICE_CHECKS: Final = ("NoCheck", "ExactSame")
UFUNC_LOOPS: Final = (
    "CUDAFunctor",
    "CUDAFunctorOnOther",
    "CUDAFunctorOnSelf",
    "CPUScalar",
    "CPUVector",
    "ScalarOnly",
    "Generic",
)
#: What ``ufunc_inner_loop: name (...)`` without the name of a loop means.
UFUNC_DEFAULT: Final = "Generic"

Reader: TypeAlias = Callable[[Node, str, Reading], Any]


def read_text(node: Node, what: str, reading: Reading) -> str | None:
    """Read any text."""
    return expect_text(node, what, reading.problems)


def read_flag(node: Node, what: str, reading: Reading) -> bool | None:
    """Read ``true`` or ``false``."""
    return expect_flag(node, what, reading.problems)


def read_name(node: Node, what: str, reading: Reading) -> str | None:
    """Read an identifier."""
    return match_text(node, what, "a name", NAME, reading)


def read_operator(node: Node, what: str, reading: Reading) -> str | None:
    """Read the name of a function of the same namespace: ``add``, ``add.out``."""
    form = "the name of an operator, such as add.out, without a namespace"
    return match_text(node, what, form, OPERATOR, reading)


def read_operators(node: Node, what: str, reading: Reading) -> tuple[str, ...] | None:
    """Read names of functions, with a comma between them."""
    form = "names of operators with commas between, such as add.out, add.Scalar_out"
    return read_words(node, what, form, OPERATOR, reading)


def read_variants(node: Node, what: str, reading: Reading) -> tuple[str, ...] | None:
    """Read ``function``, ``method`` or both."""
    return read_choices(node, what, "variant", VARIANTS, reading)


def read_device_check(node: Node, what: str, reading: Reading) -> str | None:
    """Read one of ``NoCheck`` and ``ExactSame``."""
    text = expect_text(node, what, reading.problems)
    if text is not None and text not in DEVICE_CHECKS:
        reading.problems.add(node, unknown("device_check", text, DEVICE_CHECKS))
        return None
    return text


def read_tags(node: Node, what: str, reading: Reading) -> tuple[str, ...]:
    """Read one tag or a list of tags, all of them declared."""
    items = node.items if isinstance(node, List) else [node]
    found: list[str] = []
    for item in items:
        tag = expect_text(item, what, reading.problems)
        if tag is None:
            continue
        if tag not in reading.tags:
            reading.problems.add(item, unknown("tag", tag, reading.tags))
        elif tag in found:
            reading.problems.add(item, f"the tag {tag!r} occurs twice")
        else:
            found.append(tag)
    return tuple(found)


def read_keys(node: Node, what: str, reading: Reading) -> tuple[str, ...] | None:
    """Read dispatch keys with commas between, or a list of them."""
    if not isinstance(node, List):
        return tuple(key for key, _ in keys_of(node, what, reading))
    return tuple(key for item in node.items for key, _ in keys_of(item, what, reading))


def read_dispatch(
    node: Node, what: str, reading: Reading
) -> dict[str, KernelReference] | None:
    """Read a mapping of dispatch keys to kernels; several keys may share a line."""
    entries = expect_map(node, what, reading.problems, instead=_as_dispatch(node))
    if entries is None:
        return None
    found: dict[str, KernelReference] = {}
    places: dict[str, tuple[Node, int]] = {}
    for text, value in entries.entries.items():
        kernel = read_kernel(value, f"the kernel at {text}", reading)
        for key, column in keys_of(entries.keys[text], "a dispatch key", reading):
            if kernel is not None and _is_rule(kernel, key, reading.space):
                message = f"{kernel} is a reserved name at {key}: the field {kernel}"
                reading.problems.add(value, f"{message} makes such kernels")
            elif key in found:
                first, there = places[key]
                place = f"{first.source.file}:{first.line}:{there}"
                message = f"a second kernel at {key}, first at {place}"
                reading.problems.add(entries.keys[text], message, column)
            elif kernel is not None:
                found[key] = kernel
                places[key] = (entries.keys[text], column)
    return found


def _is_rule(kernel: KernelReference, key: str, space: KeySpace) -> bool:
    """Whether generated code could not tell a kernel from that of a rule."""
    rule = space.rules.get(str(kernel))
    return rule is not None and rule.key == key


def _as_dispatch(node: Node) -> str:
    """Return what to write in place of a ``dispatch`` that is no mapping."""
    if isinstance(node, Scalar) and node.is_null:
        return "write {} for no kernels, or leave it out for a composite"
    kernel = node.text if isinstance(node, Scalar) and ":" in node.text else "kernel"
    return f"write {{KEY: {kernel}}}, or each KEY: kernel on a line of its own"


def read_names(node: Node, what: str, reading: Reading) -> tuple[str, ...] | None:
    """Read a list of identifiers."""
    items = expect_list(node, what, reading.problems)
    if items is None:
        return None
    names = [read_name(item, what, reading) for item in items]
    return tuple(name for name in names if name is not None)


def read_precomputed(node: Node, what: str, reading: Reading) -> Precomputed | None:
    """Read lines ``argument -> type name, ...``; the last may lack the arrow."""
    items = expect_list(node, what, reading.problems)
    if items is None:
        return None
    replaced: dict[str, tuple[str, ...]] = {}
    added: tuple[str, ...] = ()
    for item in items:
        text = expect_text(item, what, reading.problems)
        if text is None:
            continue
        argument, arrow, elements = text.rpartition(" -> ")
        parsed = read_elements(item, what, elements, reading)
        if arrow:
            replaced[argument] = parsed
        elif item is items[-1]:
            added = parsed
        else:
            message = "only the last line may be without '->', the argument it replaces"
            reading.problems.add(item, message)
    return Precomputed(replaced, added)


def read_ufunc(node: Node, what: str, reading: Reading) -> dict[str, UfuncLoop] | None:
    """Read ``name (dtypes)``, or a mapping of loops to such values."""
    if isinstance(node, Scalar):
        loop = read_loop(node, what, reading)
        return {UFUNC_DEFAULT: loop} if loop is not None else None
    entries = expect_map(node, what, reading.problems)
    if entries is None:
        return None
    found: dict[str, UfuncLoop] = {}
    for name, value in entries.entries.items():
        if name not in UFUNC_LOOPS:
            message = unknown("loop", name, UFUNC_LOOPS)
            reading.problems.add(entries.keys[name], message)
        elif (loop := read_loop(value, what, reading)) is not None:
            found[name] = loop
    return found


FIELDS: Final[Mapping[str, Reader]] = {
    "autogen": read_operators,
    "batching": read_batching,
    "category_override": read_name,
    "cpp_no_default_args": read_names,
    "derivatives": read_derivatives,
    "device_check": read_device_check,
    "device_guard": read_flag,
    "dispatch": read_dispatch,
    "doc": read_text,
    "manual_cpp_binding": read_flag,
    "manual_kernel_registration": read_flag,
    "mixed_backends": read_keys,
    "precomputed": read_precomputed,
    "python_module": read_name,
    "shape": read_shape,
    "structured": read_flag,
    "structured_delegate": read_operator,
    "structured_inherits": read_name,
    "tags": read_tags,
    "torch": read_export,
    "ufunc_inner_loop": read_ufunc,
    "use_const_ref_for_mutable_tensors": read_flag,
    "variants": read_variants,
}
