"""Views of the generated package: its modules, and what each begins with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from .config import NATIVE, OWN_PACKAGE, Config
from .header import make_header
from .model import Operators, Packet
from .reserved import ANNOTATIONS
from .view_imports import import_block, member_order
from .view_names import module_of_file, split_modules
from .view_native import NAMES as NATIVE_NAMES
from .view_overloads import OverloadView
from .view_packets import PacketView

#: A project without a key space of its own uses the keys that come with keyslot.
_SHARED_KEYS = f"{OWN_PACKAGE}.keys"


@dataclass(frozen=True, slots=True)
class ModuleView:
    """A module of operators."""

    name: str
    #: The schema files that declare them.
    origins: tuple[str, ...]
    packets: tuple[Packet, ...]


@dataclass(frozen=True, slots=True)
class InitView:
    """The package itself."""

    header: str
    namespace: str
    #: The name that the package must be imported by, for our own package.
    guard: str | None
    imports: str
    #: Whether names begin with an underscore, which checkers must be told of.
    has_underscores: bool
    #: Operator and module, sorted by operator.
    modules: tuple[tuple[str, str], ...]
    #: The same, as import lines are sorted.
    for_type_checkers: tuple[tuple[str, str], ...]


def module_views(operators: Operators) -> list[ModuleView]:
    """Return the modules of operators: one for each schema file, or several.

    All overloads of an operator are in the module of the file that declares the first.
    """
    by_module: dict[str, list[Packet]] = {}
    for packet in operators.packets:
        origin = packet.overloads[0].declaration.origin
        by_module.setdefault(module_of_file(origin), []).append(packet)
    split = [split_modules(name, found) for name, found in sorted(by_module.items())]
    return [
        ModuleView(name, tuple(_origins(packets)), tuple(packets))
        for modules in split
        for name, packets in sorted(modules.items())
    ]


def module_imports(used: Set[str], config: Config) -> str:
    """Return the import lines of a module of operators that uses these names."""
    runtime = runtime_of(config, 3)
    if config.native is not None:
        return import_block(
            {
                f"{runtime}.native_cache": used & {"NativeCache"},
                f"{runtime}.native_packet": used & {"NativePacket"},
                keys_of(config, 2): used & {"DISPATCHER", *NATIVE_NAMES} | {"Overload"},
            }
        )
    return import_block(
        {
            f"{runtime}.cache": used & {"HandlerCache"},
            f"{runtime}.packet": used & {"MISSING"} | {"OpOverloadPacket"},
            keys_of(config, 2): used & {"DISPATCHER"} | {"Overload"},
            "..tables": {"TABLES"},
        }
    )


def stub_imports(used: Set[str], config: Config) -> str:
    """Return the import lines of the stub of a module that uses these names."""
    standard = {
        "collections.abc": used & {"Sequence"},
        "typing": used & {"Any", "overload"},
    }
    ours = {
        f"{runtime_of(config, 3)}.annotations": used & ANNOTATIONS,
        keys_of(config, 2): {"Overload"},
    }
    return "\n\n".join(filter(None, map(import_block, (standard, ours))))


def methods_imports(used: Set[str], config: Config) -> str:
    """Return the import lines of the module of methods, which uses these names."""
    runtime = runtime_of(config, 2)
    standard = {"collections.abc": used & {"Sequence"}, "typing": {"Any"}}
    ours = {
        f"{runtime}.annotations": used & ANNOTATIONS,
        f"{runtime}.errors": {"OverloadError"} if "declined" in used else set[str](),
        f"{runtime}.late": used & {"MISSING", "declined"} | {"LateOperator"},
        keys_of(config, 1): {"DISPATCHER"} if "declined" in used else set[str](),
    }
    return "\n\n".join(map(import_block, (standard, ours)))


def names_used(overloads: Iterable[OverloadView], packet: PacketView) -> set[str]:
    """Return what the text of an operator uses of what it may have to import.

    With ``self`` if a static method takes an argument of this name, which linters
    must be told of.
    """
    views = list(overloads)
    uses = {
        "self": any(v.call and v.cache.shape.names[:1] == ("self",) for v in views),
        "HandlerCache": True,
        "MISSING": packet.uses_missing,
        "DISPATCHER": bool(packet.branches) or any(view.call for view in views),
    }
    return {name for name, is_used in uses.items() if is_used}


def init_view(
    operators: Operators, modules: Sequence[ModuleView], config: Config
) -> InitView:
    """Return the view of the package's ``__init__``."""
    pairs = [(packet.name, view.name) for view in modules for packet in view.packets]
    return InitView(
        header=make_header(config.generator, config.cited, config.update),
        namespace=operators.namespace,
        guard=config.package if config.package == OWN_PACKAGE else None,
        imports=import_block({f"{runtime_of(config, 2)}.namespace": ["OpNamespace"]}),
        has_underscores=any(operator.startswith("_") for operator, _ in pairs),
        modules=tuple(sorted(pairs)),
        for_type_checkers=tuple(
            sorted(pairs, key=lambda pair: (pair[1], member_order(pair[0])))
        ),
    )


def runtime_of(config: Config, dots: int) -> str:
    """Return how a module of the package names the runtime.

    ``dots`` tells how deep the module lies: 2 for one of the package itself.
    """
    distribution = OWN_PACKAGE.partition(".")[0]
    is_own = config.package == OWN_PACKAGE
    return f"{'.' * dots}runtime" if is_own else f"{distribution}.runtime"


def keys_of(config: Config, dots: int) -> str:
    """Return how a module of the package names the module of keys."""
    if config.native is not None:
        return NATIVE[config.native]
    return f"{'.' * dots}keys" if config.own_keys else _SHARED_KEYS


def _origins(packets: Iterable[Packet]) -> list[str]:
    overloads = (overload for packet in packets for overload in packet.overloads)
    return sorted({overload.declaration.origin for overload in overloads})
