"""What a run generates from what.

Files are named relative to the folder of the configuration wherever that is possible,
in messages and in what is generated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from keyword import iskeyword
from pathlib import Path
from typing import Final

from .options import Options
from .problems import Problems, unknown

#: The package in this repository, and the command by which everybody here makes it.
OWN_PACKAGE: Final = "keyslot.generated"
OWN_NAMESPACE: Final = "keyslot"
OWN_COMMAND: Final = "nox -s codegen"
#: Libraries that dispatch by themselves, and the modules with their keys.
NATIVE: Final = {"torch": "keyslot.kernels.torch.keys"}
#: Rule of operators -> the module in which its bare names are looked up. That of
#: derivatives has the functions that formulas call beside operators.
RULE_MODULES: Final = {
    "shape": "keyslot.kernels.shapes",
    "derivatives": "keyslot.transforms.derivatives",
    "batching": "keyslot.transforms.batching",
}
#: A file of this name beside schema files declares the tags that they use.
TAGS_FILE: Final = "tags.yaml"
#: The table of what Python's operators call; it comes with keyslot.
OPERATORS_FILE: Final = "python_operators.yaml"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read, and the name that messages have for it."""

    path: Path
    name: str

    @property
    def cited(self) -> str:
        """The name that generated files have for it, the same on every machine."""
        return self.path.name if Path(self.name).is_absolute() else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What one run generates."""

    #: What says so, for messages.
    origin: str
    namespace: str
    #: The schema files, in the order of their names.
    schemas: tuple[SourceFile, ...]
    #: How files that are made from all schema files cite them.
    cited: tuple[str, ...]
    tags: tuple[SourceFile, ...]
    #: The key space; ``own_keys`` tells that it is the project's, to be generated too.
    keys: SourceFile
    own_keys: bool
    output: Path
    #: The package that the output folder is when imported.
    package: str
    #: Key or alias key -> the module in which bare kernel names are looked up.
    kernels: Mapping[str, str]
    #: Rule -> the module in which its bare names are looked up.
    rules: Mapping[str, str]
    #: Whether PyTorch takes every operator for its own, where an entry says nothing.
    torch: bool
    #: What Python's operators call, where there is a class with methods.
    tensor_methods: SourceFile | None
    #: The library that dispatches the operators too, where there is one: ``torch``.
    native: str | None
    #: Name -> the key space of a library, to be generated as ``<name>_keys.py``.
    native_keys: Mapping[str, SourceFile]
    #: The command that headers name.
    update: str

    @property
    def generator(self) -> str:
        """What headers name as the generator."""
        return "codegen/" if self.package == OWN_PACKAGE else "keyslot codegen"


def make_config(options: Options, problems: Problems) -> Config | None:
    """Return what the options of a run say."""
    before = len(problems)
    root, values = options.root, options.values
    keys = _file(root, values["keys"]) if "keys" in values else None
    native = values.get("native")
    found = {
        file.path.resolve(): file
        for pattern in values["schemas"]
        for file in _matching(root, pattern, problems)
        if file.path.name != TAGS_FILE and file != keys
    }
    schemas = tuple(sorted(found.values(), key=lambda file: file.name))
    output = root / values["output"]
    package = values.get("package", output.name)
    command = OWN_COMMAND if package == OWN_PACKAGE else options.command
    config = Config(
        origin=options.origin,
        namespace=values["namespace"],
        schemas=schemas,
        cited=tuple(_file(root, pattern).cited for pattern in values["schemas"]),
        tags=tuple(_tags_beside(root, schemas)),
        keys=keys or packaged(_keys_file(native)),
        own_keys=keys is not None,
        output=output,
        package=package,
        kernels=dict(values.get("kernels", {})),
        rules={**RULE_MODULES, **values.get("rules", {})},
        torch=values.get("torch", False),
        tensor_methods=(
            packaged(OPERATORS_FILE) if values.get("tensor_methods") else None
        ),
        native=native,
        native_keys={
            name: _file(root, file)
            for name, file in values.get("native_keys", {}).items()
        },
        update=values.get("update", command),
    )
    for message in _why_not(config):
        problems.add_file(options.origin, message)
    return config if len(problems) == before else None


def _file(root: Path, name: str) -> SourceFile:
    path = root / name
    try:
        shown = path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        shown = Path(name).as_posix()
    return SourceFile(path, shown)


def _matching(root: Path, pattern: str, problems: Problems) -> Iterator[SourceFile]:
    """Yield the files that a pattern means, or that have this name."""
    if not any(char in pattern for char in "*?["):
        file = _file(root, pattern)
        if not file.path.is_file():
            problems.add_file(file.name, "no such file")
        yield file
        return
    try:
        matches = sorted(Path(root).glob(pattern))
    except (NotImplementedError, ValueError) as error:
        problems.add_file(pattern, f"is no pattern to look for: {error}")
        return
    if not matches:
        problems.add_file(pattern, "matches no file")
    for path in matches:
        yield _file(root, path.relative_to(root).as_posix())


def _tags_beside(root: Path, schemas: tuple[SourceFile, ...]) -> Iterator[SourceFile]:
    yield packaged(TAGS_FILE)
    for folder in sorted({file.path.parent for file in schemas}):
        path = folder / TAGS_FILE
        if path.is_file():
            inside = path.is_relative_to(root)
            yield _file(root, str(path.relative_to(root) if inside else path))


def _keys_file(native: str | None) -> str:
    """Return the file with the keys of a library; those of keyslot where it is None."""
    return f"{native}/keys.yaml" if native else "keys.yaml"


def packaged(name: str) -> SourceFile:
    """Return a file of ``schemas/``, which comes with keyslot."""
    distribution = __name__.partition(".")[0]
    path = Path(str(resources.files(f"{distribution}.schemas"))) / name
    return SourceFile(path, f"{distribution}/schemas/{name}")


def _why_not(config: Config) -> Iterator[str]:
    namespace = config.namespace
    if "." in namespace or not _is_dotted_name(namespace) or not namespace.isascii():
        yield f"the namespace must be an identifier in ASCII, not {namespace!r}"
    if namespace == OWN_NAMESPACE and config.package != OWN_PACKAGE:
        yield f"the namespace {namespace!r} is that of keyslot's own operators"
    if not _is_dotted_name(config.package):
        yield f"the package must have the name of one, not {config.package!r}"
    if config.native is not None and config.native not in NATIVE:
        yield f"native must be one of {', '.join(NATIVE)}, not {config.native!r}"
    if config.native is not None and config.torch:
        yield "torch = true: PyTorch has these operators already, native says"
    if config.native is not None and config.tensor_methods:
        yield "tensor_methods = true: PyTorch's arrays have their methods already"
    for name in config.native_keys:
        if not name.isidentifier():
            yield f"native_keys: {name!r} is no name of a module"
    for key, module in config.kernels.items():
        if not _is_dotted_name(module):
            yield f"kernels at {key} must be in a module, not in {module!r}"
    for rule, module in config.rules.items():
        if rule not in RULE_MODULES:
            yield f"rules: {unknown('rule', rule, RULE_MODULES)}"
        elif not _is_dotted_name(module):
            yield f"rules of {rule} must be in a module, not in {module!r}"


def _is_dotted_name(name: str) -> bool:
    parts = name.split(".")
    return all(part.isidentifier() and not iskeyword(part) for part in parts)
