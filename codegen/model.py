"""The model: what the YAML declares, as data.

A ``Declaration`` is one entry of a schema file, field by field. An ``Overload`` is one
operator overload that comes out of it: the declared one, or one that ``autogen``
derives from it. Nothing here knows how either is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from ..runtime.derived import DERIVED
from ..runtime.schema import FunctionSchema
from ..runtime.space import KeySpace
from .problems import Located

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


#: The kernel that is never called.
FALLTHROUGH: Final = "fallthrough"
#: Names that are kernels without any module.
BUILT_IN: Final = (FALLTHROUGH, DERIVED)


@dataclass(frozen=True, slots=True)
class KernelReference:
    """A kernel as YAML names it: ``numpy:multiply``, ``mul`` or ``fallthrough``."""

    #: The module that has it; None where none is given or configured.
    module: str | None
    name: str
    #: Whether the operator's field of this name makes it, with the key space's help.
    by_rule: bool = False

    @property
    def is_built_in(self) -> bool:
        """Whether the kernel comes with the runtime, or with the key space."""
        return self.by_rule or (self.module is None and self.name in BUILT_IN)

    @property
    def is_fallthrough(self) -> bool:
        """Whether it is the kernel that is never called."""
        return self.module is None and self.name == FALLTHROUGH

    def __str__(self) -> str:
        return self.name if self.module is None else f"{self.module}:{self.name}"


@dataclass(frozen=True, slots=True)
class Precomputed:
    """What the meta function of a structured kernel hands to the kernel itself.

    Each element is the text ``type name``.
    """

    #: Argument of the schema -> the elements that stand in for it.
    replaced: Mapping[str, tuple[str, ...]]
    #: Elements in addition to the arguments.
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UfuncLoop:
    """The inner loop of an elementwise operator, and the dtypes that it is made for."""

    name: str
    dtypes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivatives:
    """What an entry says of the derivatives of its operator."""

    #: ``self``, ``self, other`` or a result -> formula.
    formulas: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    #: Whether each result may have a gradient; all of them where it is empty.
    output_differentiability: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Batching:
    """A batching rule, and what it is told: names of arguments or of operators."""

    rule: KernelReference
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of an overload, by which transforms know it."""

    shape: KernelReference | None = None
    derivatives: Derivatives | None = None
    batching: Batching | None = None
    #: The module with the functions that formulas call beside operators.
    derivative_functions: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What an entry says of its operator as one of PyTorch's."""

    #: PyTorch's key -> kernel.
    kernels: Mapping[str, KernelReference] = field(default_factory=lambda: NOTHING)
    #: The rule for the shapes of results.
    shape: KernelReference | None = None
    #: The backward function, and the one that keeps what it needs.
    backward: KernelReference | None = None
    setup_context: KernelReference | None = None
    #: Argument -> the formula of its gradient.
    derivatives: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    #: The batching function.
    vmap: KernelReference | None = None

    @property
    def references(self) -> Mapping[str, KernelReference]:
        """Every function that is named, by where it stands below ``torch``."""
        named = {
            "shape": self.shape,
            "backward": self.backward,
            "setup_context": self.setup_context,
            "vmap": self.vmap,
        }
        kernels = {f"kernels.{key}": kernel for key, kernel in self.kernels.items()}
        return kernels | {field: each for field, each in named.items() if each}


def in_export(field: str) -> str:
    """Return under what ``places`` has the place of a field below ``torch``."""
    return f"torch.{field}"


def in_formula(argument: str) -> str:
    """Return under what ``places`` has the place of the formula of a gradient."""
    return in_export(f"backward.{argument}.formula")


def in_derivatives(name: str) -> str:
    """Return under what ``places`` has the place of an argument or result there."""
    return f"derivatives.{name}"


def at_derivative(key: str) -> str:
    """Return under what ``places`` has the place of the formula of a derivative."""
    return f"derivatives.{key}.formula"


def at_key(key: str) -> str:
    """Return under what ``places`` has the place of a dispatch key."""
    return f"dispatch.{key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One entry of a schema file. Fields have the names they have in YAML."""

    schema: FunctionSchema
    #: The file, as messages and headers name it.
    origin: str
    #: Where the value of each field stands, and each dispatch key.
    places: Mapping[str, Located]
    doc: str = ""
    variants: tuple[str, ...] = ("function",)
    #: Key or alias key -> kernel; None where the entry has no such field.
    dispatch: Mapping[str, KernelReference] | None = None
    mixed_backends: tuple[str, ...] = ()
    autogen: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    shape: KernelReference | None = None
    derivatives: Derivatives | None = None
    batching: Batching | None = None
    #: None where the entry does not say whether it is exported, False where it is not.
    torch: Export | Literal[False] | None = None
    structured: bool = False
    structured_delegate: str | None = None
    structured_inherits: str | None = None
    precomputed: Precomputed | None = None
    ufunc_inner_loop: Mapping[str, UfuncLoop] = field(default_factory=lambda: NOTHING)
    device_check: str = "ExactSame"
    device_guard: bool = True
    python_module: str | None = None
    category_override: str | None = None
    cpp_no_default_args: tuple[str, ...] = ()
    use_const_ref_for_mutable_tensors: bool = False
    manual_cpp_binding: bool = False
    manual_kernel_registration: bool = False

    @property
    def place(self) -> Located:
        """Where the schema stands."""
        return self.places["func"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overload:
    """One overload: declared, or derived by ``autogen``."""

    schema: FunctionSchema
    declaration: Declaration
    #: Key or alias key -> kernel, everything that is left unsaid in YAML filled in.
    kernels: Mapping[str, KernelReference]
    tags: tuple[str, ...]
    #: Those of the declaration, or of the function that it is a companion of.
    rules: Rules = field(default_factory=Rules)
    #: The function that a derived one is made from; None for a declared one.
    derived_from: str | None = None
    #: What it says of itself: the text of YAML, or one that follows from a companion.
    doc: str = ""

    @property
    def mixed_backends(self) -> tuple[str, ...]:
        """Keys at which a declared kernel takes arrays of several libraries."""
        keys = () if self.derived_from else self.declaration.mixed_backends
        return tuple(sorted(keys))

    @property
    def variants(self) -> tuple[str, ...]:
        """How it can be called; a derived one is a function only."""
        return ("function",) if self.derived_from else self.declaration.variants


@dataclass(frozen=True, slots=True)
class Packet:
    """All overloads of one operator, in the order of their declaration."""

    name: str
    overloads: tuple[Overload, ...]


@dataclass(frozen=True, slots=True)
class Operators:
    """All operators of one namespace, over one key space."""

    namespace: str
    space: KeySpace
    #: Sorted by name.
    packets: tuple[Packet, ...]
    #: The key spaces of libraries that dispatch by themselves, by name.
    native_spaces: Mapping[str, KeySpace] = field(default_factory=dict[str, KeySpace])
    #: Whether PyTorch takes them for its own where their entries say nothing.
    torch: bool = False

    @property
    def overloads(self) -> Iterator[Overload]:
        """Every overload of every operator."""
        return (overload for packet in self.packets for overload in packet.overloads)
