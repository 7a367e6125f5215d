"""Make the text of every file of the generated package. Nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from ..runtime.exported import MODULE
from ..runtime.space import KeySpace
from .chunks import Chunk, Chunks, chunk_key
from .config import Config, SourceFile
from .exports import exported_overloads
from .formatting import tidy, tidy_all
from .header import make_header
from .literals import docstring
from .model import Operators, Packet
from .python_operators import python_operators
from .render import render
from .view_exports import ExportView, export_views
from .view_imports import import_block
from .view_keys import keys_view
from .view_methods import methods_view
from .view_modules import (
    ModuleView,
    init_view,
    keys_of,
    methods_imports,
    module_imports,
    module_views,
    names_used,
    runtime_of,
    stub_imports,
)
from .view_names import PacketNames, name_packets
from .view_native import native_names_used, native_overload_view, native_packet_view
from .view_overloads import overload_view, table_key
from .view_packets import packet_view
from .view_stubs import IMPORTED, packet_stub
from .view_tables import table_views

#: What the dispatcher and the overloads of a key space are derived from, and where
#: the runtime has it.
_OWN: Final = {"Dispatcher": "dispatcher", "OpOverload": "op"}
_NATIVE: Final = {
    "NativeDispatcher as Dispatcher": "native_dispatcher",
    "NativeOverload as OpOverload": "native",
}


def generate(
    operators: Operators, config: Config, chunks: Chunks, advance: Callable[[], None]
) -> dict[str, str]:
    """Return the files of the package by their names relative to it.

    ``advance`` is called once for each operator.
    """
    modules = module_views(operators)
    header = make_header(config.generator, config.cited, config.update)
    files = {
        "__init__.py": tidy(
            render("init.py.jinja", view=init_view(operators, modules, config))
        ),
        "ops/__init__.py": render("ops_init.py.jinja", header=header),
    }
    if operators.packets and config.native is None:
        files["tables.py"] = _tables_module(operators, config, header)
    if config.own_keys:
        files["keys.py"] = _keys_module(operators.space, config, config.keys, _OWN)
    for name, space in operators.native_spaces.items():
        source = config.native_keys[name]
        files[f"{name}_keys.py"] = _keys_module(space, config, source, _NATIVE)
    exported = export_views(exported_overloads(operators))
    if exported:
        files[f"{MODULE}.py"] = _torch_module(exported, operators, config, header)
    if config.tensor_methods is not None:
        files["tensor_methods.py"] = _methods_module(
            operators, config.tensor_methods, config, header
        )
    for module in modules:
        made: list[Chunk] = []
        for chunk in _module_chunks(module, operators, config, chunks):
            made.append(chunk)
            advance()
        files[f"ops/{module.name}.py"] = _ops_module(module, made, config)
        files[f"ops/{module.name}.pyi"] = _ops_stub(module, made, config)
    return files


def _module_chunks(
    module: ModuleView, operators: Operators, config: Config, chunks: Chunks
) -> Iterator[Chunk]:
    names = name_packets(module.packets)
    for packet in module.packets:
        own = names[packet.name]
        key = chunk_key(packet, operators.namespace, own, config.native)
        make = _native_text if config.native else _text
        yield chunks.get(key, partial(_chunk, packet, operators.namespace, own, make))


def _chunk(
    packet: Packet,
    namespace: str,
    own: PacketNames,
    make: Callable[[Packet, str, PacketNames], tuple[str, set[str]]],
) -> Chunk:
    text, used = make(packet, namespace, own)
    stub = packet_stub(packet)
    stub_text = render("packet.pyi.jinja", packet=stub)
    return Chunk(
        text=tidy(text).rstrip("\n"),
        used=tuple(sorted(used)),
        stub=tidy(stub_text).rstrip("\n"),
        stub_used=tuple(sorted(stub.words & IMPORTED)),
    )


def _text(packet: Packet, namespace: str, own: PacketNames) -> tuple[str, set[str]]:
    """Return the text of an operator, and what it uses of what may be imported."""
    views = [overload_view(overload, namespace, own) for overload in packet.overloads]
    view = packet_view(packet, namespace, own)
    text = render("packet.py.jinja", overloads=views, packet=view)
    return text, names_used(views, view)


def _native_text(
    packet: Packet, namespace: str, own: PacketNames
) -> tuple[str, set[str]]:
    """Return the same for an operator that a library dispatches too."""
    views = [native_overload_view(each, namespace, own) for each in packet.overloads]
    view = native_packet_view(packet, namespace, own)
    text = render("native.py.jinja", overloads=views, packet=view)
    return text, native_names_used(views)


def _ops_module(module: ModuleView, chunks: list[Chunk], config: Config) -> str:
    used = {name for chunk in chunks for name in chunk.used}
    return render(
        "ops.py.jinja",
        header=make_header(config.generator, module.origins, config.update),
        doc=docstring(f"Operators declared in {', '.join(module.origins)}."),
        takes_self="self" in used,
        asks_state="DISPATCHER" in used,
        imports=tidy(module_imports(used, config)).rstrip("\n"),
        chunks=[chunk.text for chunk in chunks],
    )


def _ops_stub(module: ModuleView, chunks: list[Chunk], config: Config) -> str:
    used = {name for chunk in chunks for name in chunk.stub_used}
    return render(
        "ops.pyi.jinja",
        header=make_header(config.generator, module.origins, config.update),
        takes_self=any("self" in chunk.used for chunk in chunks),
        imports=tidy(stub_imports(used, config)),
        chunks=[chunk.stub for chunk in chunks],
    )


def _tables_module(operators: Operators, config: Config, header: str) -> str:
    keys = {table_key(overload) for overload in operators.overloads}
    imports = {
        f"{runtime_of(config, 2)}.table": ["DeclaredTable"],
        keys_of(config, 1): ["SPACE"],
    }
    text = render(
        "tables.py.jinja",
        header=header,
        imports=import_block(imports),
        tables=table_views(keys, operators.space),
    )
    return tidy(text)


def _torch_module(
    exported: list[ExportView], operators: Operators, config: Config, header: str
) -> str:
    namespace = operators.namespace
    text = render(
        "torch_ops.py.jinja",
        header=header,
        doc=docstring(f"What PyTorch is told of the operators of {namespace}."),
        imports=import_block(
            {f"{runtime_of(config, 2)}.exported": ["ExportedOperator"]}
        ),
        operators=exported,
    )
    # Its lines are arguments, which look like statements when taken one by one.
    return tidy_all(text)


def _methods_module(
    operators: Operators, table: SourceFile, config: Config, header: str
) -> str:
    names = {packet.name for packet in operators.packets}
    view = methods_view(operators, python_operators(table, names))
    return tidy(
        render(
            "tensor_methods.py.jinja",
            header=header,
            imports=methods_imports(view.used, config),
            view=view,
        )
    )


def _keys_module(
    space: KeySpace, config: Config, source: SourceFile, bases: Mapping[str, str]
) -> str:
    runtime = runtime_of(config, 2)
    imports = {
        f"{runtime}.keys": ["KeyEnum"],
        f"{runtime}.keyset": ["KeySet"],
        f"{runtime}.library": ["Library as BaseLibrary"],
        f"{runtime}.space": ["KeySpace"],
    }
    for name, module in bases.items():
        imports.setdefault(f"{runtime}.{module}", []).append(name)
    text = render(
        "keys.py.jinja",
        header=make_header(config.generator, [source.cited], config.update),
        imports=import_block(imports),
        view=keys_view(space),
    )
    return tidy(text)
