"""Rules that one declaration must keep by itself.

They are those of PyTorch's generator, without the ones that name single operators.
Each rule is a function that yields ``(field, message)`` for every breach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from ..runtime.resolver import IMPLICIT, SERVE_UNDEFINED
from ..runtime.schema import AliasSet
from .checking import Checking
from .kernels import UFUNC_KEYS
from .model import Declaration, at_key

Breach: TypeAlias = tuple[str, str]
Rule: TypeAlias = Callable[[Declaration], Iterator[Breach]]

_SEEDED: Final = "nondeterministic_seeded"
#: Generated code looks at arguments one inside the other, which Python bounds.
_MAX_ARGUMENTS: Final = 64


def check_declaration(declaration: Declaration, checking: Checking) -> None:
    """Report every rule that a declaration breaks."""
    for rule in RULES:
        for field, message in rule(declaration):
            checking.add(declaration, field, message)
    if _SEEDED in checking.known_tags:
        for field, message in _generator_is_tagged(declaration):
            checking.add(declaration, field, message)


def _arguments_are_few(declaration: Declaration) -> Iterator[Breach]:
    count = len(declaration.schema.arguments)
    if count > _MAX_ARGUMENTS:
        yield "func", f"a function has at most {_MAX_ARGUMENTS} arguments, not {count}"


def _out_is_a_function(declaration: Declaration) -> Iterator[Breach]:
    if declaration.schema.is_out and declaration.variants != ("function",):
        yield "variants", "an out= function is no method: take out 'method'"


def _method_has_self(declaration: Declaration) -> Iterator[Breach]:
    names = [argument.name for argument in declaration.schema.arguments]
    if "method" in declaration.variants and "self" not in names:
        yield "variants", "a method is called on the argument 'self', and there is none"


def _structured_is_out(declaration: Declaration) -> Iterator[Breach]:
    is_out = declaration.schema.is_out
    if declaration.structured and not is_out:
        message = "'structured' stands at the out= function; write structured_delegate"
        yield "structured", message
    if declaration.structured_delegate is not None and is_out:
        message = "an out= function delegates to no other; write structured"
        yield "structured_delegate", message


def _structured_guards_devices(declaration: Declaration) -> Iterator[Breach]:
    structured = declaration.structured or declaration.structured_delegate is not None
    if structured and not declaration.device_guard:
        yield "device_guard", "structured kernels always guard the device"


def _needs_structured(declaration: Declaration) -> Iterator[Breach]:
    if declaration.structured:
        return
    fields = {
        "structured_inherits": declaration.structured_inherits is not None,
        "precomputed": declaration.precomputed is not None,
        "ufunc_inner_loop": bool(declaration.ufunc_inner_loop),
    }
    for field, is_used in fields.items():
        if is_used:
            yield field, f"{field!r} needs 'structured: True' beside it"


def _precomputed_replaces_arguments(declaration: Declaration) -> Iterator[Breach]:
    names = [argument.name for argument in declaration.schema.arguments]
    replaced = declaration.precomputed.replaced if declaration.precomputed else ()
    for name in replaced:
        if name not in names:
            yield "precomputed", f"the schema has no argument {name!r} to replace"


def _module_functions_are_no_methods(declaration: Declaration) -> Iterator[Breach]:
    if declaration.python_module is not None and "method" in declaration.variants:
        yield "variants", "a function of a Python module is no method"


def _manual_has_no_dispatch(declaration: Declaration) -> Iterator[Breach]:
    if declaration.manual_kernel_registration and declaration.dispatch is not None:
        message = "kernels that are registered by hand are not listed here"
        yield "dispatch", message


def _one_composite(declaration: Declaration) -> Iterator[Breach]:
    composites = [key for key in declaration.dispatch or () if key in SERVE_UNDEFINED]
    if len(composites) > 1:
        named = " and ".join(sorted(composites))
        message = f"one composite kernel serves all backends, here are {named}"
        yield at_key(composites[-1]), message


def _composite_is_not_structured(declaration: Declaration) -> Iterator[Breach]:
    if declaration.structured and IMPLICIT in (declaration.dispatch or ()):
        yield at_key(IMPLICIT), f"a structured kernel cannot be {IMPLICIT}"


def _ufunc_has_no_other_kernel(declaration: Declaration) -> Iterator[Breach]:
    for key in UFUNC_KEYS if declaration.ufunc_inner_loop else ():
        if key in (declaration.dispatch or ()):
            yield at_key(key), f"ufunc_inner_loop makes the kernel at {key}"


def _excluded_defaults_exist(declaration: Declaration) -> Iterator[Breach]:
    defaults = [arg.name for arg in declaration.schema.arguments if arg.has_default]
    for name in declaration.cpp_no_default_args:
        if name not in defaults:
            yield "cpp_no_default_args", f"no argument {name!r} with a default"


def _const_ref_has_no_out(declaration: Declaration) -> Iterator[Breach]:
    if declaration.use_const_ref_for_mutable_tensors and declaration.schema.is_out:
        field = "use_const_ref_for_mutable_tensors"
        yield field, "out= arguments cannot be passed by constant reference"


def _mixed_backends_have_kernels(declaration: Declaration) -> Iterator[Breach]:
    for key in declaration.mixed_backends:
        if key not in (declaration.dispatch or ()):
            message = f"no kernel at {key} that could take several libraries' arrays"
            yield "mixed_backends", message


def _out_is_returned(declaration: Declaration) -> Iterator[Breach]:
    """Plain ``out`` tensors are handed back in their order, lists of them never are."""
    schema = declaration.schema
    if not schema.is_out:
        return
    given = [arg for arg in schema.out if not arg.name.startswith("_scratch_")]
    if any(str(arg.type) != "Tensor" for arg in schema.out):
        if schema.returns:
            yield "func", "an out= function that fills lists returns nothing: write ()"
    elif [arg.alias for arg in given] != [ret.alias for ret in schema.returns]:
        wanted = ", ".join(f"Tensor{arg.alias}" for arg in given)
        wanted = wanted if len(given) == 1 else f"({wanted})"
        yield "func", f"an out= function returns what it fills: write -> {wanted}"


def _out_is_written(declaration: Declaration) -> Iterator[Breach]:
    """What a call gives as ``out=`` is there to be written to.

    torchgen takes such a function for one that returns something new, and overlooks
    that the mark is missing. Attention has a positional ``out`` that it only reads.
    """
    schema = declaration.schema
    is_named_out = schema.overload == "out" or schema.overload.endswith("_out")
    for arg in schema.arguments:
        is_out = arg.name == "out" and arg.type.base.name == "Tensor"
        if is_out and not arg.is_write and (arg.keyword_only or is_named_out):
            right = replace(arg, marks=(AliasSet(("a",), is_write=True),))
            message = f"argument 'out' is not marked as written to: write *, {right}"
            yield "func", message


def _generator_is_tagged(declaration: Declaration) -> Iterator[Breach]:
    takes = any(
        arg.type.base.name == "Generator" for arg in declaration.schema.arguments
    )
    if takes and _SEEDED not in declaration.tags:
        message = f"a function that takes a Generator needs the tag {_SEEDED}"
        yield "tags", message


RULES: Final[tuple[Rule, ...]] = (
    _arguments_are_few,
    _out_is_a_function,
    _method_has_self,
    _structured_is_out,
    _structured_guards_devices,
    _needs_structured,
    _precomputed_replaces_arguments,
    _module_functions_are_no_methods,
    _manual_has_no_dispatch,
    _one_composite,
    _composite_is_not_structured,
    _ufunc_has_no_other_kernel,
    _excluded_defaults_exist,
    _const_ref_has_no_out,
    _mixed_backends_have_kernels,
    _out_is_returned,
    _out_is_written,
)
