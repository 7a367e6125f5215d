"""Make the text of every file of the generated package. Nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ..runtime.exported import MODULE
from .chunks import Chunk, Chunks, chunk_key
from .config import Config
from .exports import exported_overloads
from .formatting import tidy, tidy_all
from .header import make_header
from .literals import docstring
from .model import Operators, Packet
from .render import render
from .view_exports import ExportView, export_views
from .view_imports import import_block
from .view_keys import keys_view
from .view_modules import (
    ModuleView,
    init_view,
    keys_of,
    module_imports,
    module_views,
    names_used,
    runtime_of,
    stub_imports,
)
from .view_names import PacketNames, name_packets
from .view_overloads import overload_view, table_key
from .view_packets import packet_view
from .view_stubs import IMPORTED, packet_stub
from .view_tables import table_views


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
    if operators.packets:
        files["tables.py"] = _tables_module(operators, config, header)
    if config.own_keys:
        files["keys.py"] = _keys_module(operators, config)
    exported = export_views(exported_overloads(operators))
    if exported:
        files[f"{MODULE}.py"] = _torch_module(exported, operators, config, header)
    for module in modules:
        made: list[Chunk] = []
        for chunk in _module_chunks(module, operators, chunks):
            made.append(chunk)
            advance()
        files[f"ops/{module.name}.py"] = _ops_module(module, made, config)
        files[f"ops/{module.name}.pyi"] = _ops_stub(module, made, config)
    return files


def _module_chunks(
    module: ModuleView, operators: Operators, chunks: Chunks
) -> Iterator[Chunk]:
    names = name_packets(module.packets)
    for packet in module.packets:
        own = names[packet.name]
        key = chunk_key(packet, operators.namespace, own)
        yield chunks.get(key, partial(_chunk, packet, operators.namespace, own))


def _chunk(packet: Packet, namespace: str, own: PacketNames) -> Chunk:
    overloads = [
        overload_view(overload, namespace, own) for overload in packet.overloads
    ]
    view = packet_view(packet, namespace, own)
    text = render("packet.py.jinja", overloads=overloads, packet=view)
    stub = packet_stub(packet)
    stub_text = render("packet.pyi.jinja", packet=stub)
    return Chunk(
        text=tidy(text).rstrip("\n"),
        used=tuple(sorted(names_used(overloads, view))),
        stub=tidy(stub_text).rstrip("\n"),
        stub_used=tuple(sorted(stub.words & IMPORTED)),
    )


def _ops_module(module: ModuleView, chunks: list[Chunk], config: Config) -> str:
    used = {name for chunk in chunks for name in chunk.used}
    return render(
        "ops.py.jinja",
        header=make_header(config.generator, module.origins, config.update),
        doc=docstring(f"Operators declared in {', '.join(module.origins)}."),
        takes_self="self" in used,
        asks_state="DISPATCHER" in used,
        imports=module_imports(used, config),
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


def _keys_module(operators: Operators, config: Config) -> str:
    runtime = runtime_of(config, 2)
    imports = {
        f"{runtime}.dispatcher": ["Dispatcher"],
        f"{runtime}.keys": ["KeyEnum"],
        f"{runtime}.keyset": ["KeySet"],
        f"{runtime}.library": ["Library as BaseLibrary"],
        f"{runtime}.op": ["OpOverload"],
        f"{runtime}.space": ["KeySpace"],
    }
    text = render(
        "keys.py.jinja",
        header=make_header(config.generator, [config.keys.cited], config.update),
        imports=import_block(imports),
        view=keys_view(operators.space),
    )
    return tidy(text)
