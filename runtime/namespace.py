"""Namespaces: operators by name, generated ones and those defined at run time."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from .errors import PackageChangedError, UnknownOperatorError, UnknownOverloadError
from .frames import frames
from .generation import time_of, was_replaced
from .nearest import nearest

if TYPE_CHECKING:
    from .op import OpOverload

_packages: Final[dict[str, list[OpNamespace]]] = {}
_defined: Final[dict[str, dict[str, Any]]] = {}
#: Packages that their users import by another name.
_SHOWN: Final = {"keyslot.generated": "keyslot.ops"}


class OpNamespace(ModuleType):
    """A generated package: its operators are attributes, loaded when asked for.

    ``dir()``, iteration, ``len`` and ``in`` know all operators of the namespace
    without loading any.
    """

    _namespace: str
    _modules: Mapping[str, str]
    #: When the package was generated last, as far as this process knows.
    _made: int | None

    @staticmethod
    def adopt(module: str, namespace: str, modules: Mapping[str, str]) -> None:
        """Make a module the namespace of the operators that ``modules`` lists.

        Raises PackageChangedError where these are not of the run of the generator that
        the file is of, or the modules that are loaded.
        """
        adopted: Any = sys.modules[module]
        made = time_of(getattr(adopted, "__file__", None))
        if made != getattr(adopted, "_made", made) and _has_loaded(module):
            # Reloaded: the operators would be new, and keys that they share old.
            raise PackageChangedError(module)
        adopted.__class__ = OpNamespace
        adopted._namespace = namespace
        adopted._modules = modules
        adopted._made = made
        executing = next(frames())
        if was_replaced(adopted._file, modules, executing.f_code):
            raise PackageChangedError(module)
        packages = _packages.setdefault(namespace, [])
        # The same package again, as after importlib.reload, replaces itself.
        packages[:] = [held for held in packages if held.__name__ != module]
        packages.append(adopted)

    def __getattr__(self, name: str) -> Any:
        module = self._modules.get(name)
        if module is not None:
            found = getattr(self._load(f"{self.__name__}.ops.{module}"), name)
            # From now on a plain attribute of the module.
            setattr(self, name, found)
            return found
        defined = _defined.get(self._namespace, {})
        if name in defined:
            return defined[name]
        raise AttributeError(
            f"no operator named {name!r} in {_SHOWN.get(self.__name__, self.__name__)}."
            f"{nearest(name, list(self)) if not name.startswith('__') else ''}",
            name=name,
            obj=self,
        )

    def _load(self, module: str) -> ModuleType:
        """Import a module of operators, if it is of the same run as this package.

        A run of the generator replaces ``__init__.py`` before any other module, so its
        time tells, after a module was read, that it was read before the run.
        """
        if module in sys.modules:
            # Not from there: another thread may be at it still, and this one waits.
            return import_module(module)
        if self._is_changed():
            raise PackageChangedError(self.__name__)
        try:
            loaded = import_module(module)
        except Exception as error:
            if self._is_changed():
                raise PackageChangedError(self.__name__) from error
            if not isinstance(error, FileNotFoundError):
                raise
            # The run came to its end, and the module to its place, just as it was read.
            loaded = import_module(module)
        if self._is_changed():
            # Another thread that loaded it may have done so already.
            sys.modules.pop(module, None)
            raise PackageChangedError(self.__name__)
        return loaded

    @property
    def _file(self) -> str | None:
        """Where the package is; modules that are part of a program have no file."""
        return self.__dict__.get("__file__")

    def _is_changed(self) -> bool:
        """Whether the package was generated anew since this process imported it."""
        return time_of(self._file) != self._made

    def __dir__(self) -> list[str]:
        # What else the module has is there for itself, and no operator.
        return list(self)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._modules, *_defined.get(self._namespace, {})}))

    def __contains__(self, name: object) -> bool:
        return name in self._modules or name in _defined.get(self._namespace, {})

    def __len__(self) -> int:
        return len({*self._modules, *_defined.get(self._namespace, {})})


def _has_loaded(package: str) -> bool:
    """Whether any module of a package is loaded beside its ``__init__.py``."""
    return any(name.startswith(f"{package}.") for name in list(sys.modules))


class DefinedOps:
    """The operators of a namespace, wherever they were defined, as attributes."""

    def __init__(self, namespace: str) -> None:
        self._namespace: Final = namespace

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            # What copy and the like ask for is no operator, and may be asked for
            # before there is a namespace.
            raise AttributeError(name, name=name, obj=self)
        try:
            return find_packet(self._namespace, name)
        except UnknownOperatorError as error:
            raise AttributeError(str(error), name=name, obj=self) from None

    def __dir__(self) -> list[str]:
        return list(self)

    def __iter__(self) -> Iterator[str]:
        return iter(operator_names(self._namespace))

    def __contains__(self, name: object) -> bool:
        return name in operator_names(self._namespace)

    def __len__(self) -> int:
        return len(operator_names(self._namespace))

    def __reduce__(self) -> tuple[Any, ...]:
        return DefinedOps, (self._namespace,)

    def __repr__(self) -> str:
        return f"<operators of {self._namespace}: {', '.join(self)}>"


class Namespaces:
    """The type of `ops`: namespaces as attributes."""

    __slots__ = ()

    def __getattr__(self, name: str) -> DefinedOps:
        if name.startswith("__"):
            raise AttributeError(name, name=name, obj=self)
        return DefinedOps(name)


#: Functions of operators that are defined at run time pickle as ``ops.shop.exp``.
ops: Final = Namespaces()


def operator_names(namespace: str) -> list[str]:
    """Return the names of all operators of a namespace, sorted."""
    names = {name for package in _packages.get(namespace, ()) for name in package}
    return sorted(names | _defined.get(namespace, {}).keys())


def has_package(namespace: str) -> str | None:
    """Return the name of the generated package that defines a namespace, if any."""
    packages = _packages.get(namespace)
    return packages[0].__name__ if packages else None


def find_packet(namespace: str, name: str) -> Any:
    """Return an operator function, loading its module if need be.

    Raises UnknownOperatorError with the nearest names.
    """
    for package in _packages.get(namespace, ()):
        if name in package:
            return getattr(package, name)
    defined = _defined.get(namespace, {})
    if name in defined:
        return defined[name]
    raise UnknownOperatorError(namespace, name, tuple(operator_names(namespace)))


def find_overload(namespace: str, name: str) -> OpOverload:
    """Return an overload by its name, ``mul.Tensor``; ``sum`` means ``sum.default``.

    Raises UnknownOperatorError with the nearest names, or UnknownOverloadError.
    """
    operator, _, overload = name.partition(".")
    packet = find_packet(namespace, operator).packet
    wanted = overload or "default"
    if wanted not in packet.overloads():
        known = tuple(f"{operator}.{held}" for held in packet.overloads())
        raise UnknownOverloadError(namespace, name, known)
    found: OpOverload = getattr(packet.function, wanted)
    return found


def add_defined(namespace: str, name: str, function: Any) -> None:
    """Enter an operator that is defined at run time."""
    _defined.setdefault(namespace, {})[name] = function


def remove_defined(namespace: str, name: str) -> None:
    """Take an operator away that was defined at run time."""
    _defined.get(namespace, {}).pop(name, None)
