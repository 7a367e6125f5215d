"""The operators of PyTorch that ``keyslot codegen --from-torch`` keeps for a user."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Final

import torch

from ...runtime.user_cache import cached_package

_PACKAGE: Final = "keyslot_aten"


def load_aten() -> ModuleType:
    """Import the generated operators of the installed PyTorch.

    Raises ImportError where they were not generated yet.
    """
    if _PACKAGE in sys.modules:
        return sys.modules[_PACKAGE]
    folder = cached_package("torch", _PACKAGE)
    file = folder / "__init__.py"
    spec = spec_from_file_location(
        _PACKAGE, file, submodule_search_locations=[str(folder)]
    )
    if not file.is_file() or spec is None or spec.loader is None:
        raise ImportError(
            f"the operators of PyTorch {torch.__version__} are not generated yet: run"
            f" `keyslot codegen --from-torch`, which writes them to {folder}"
        )
    module = sys.modules[_PACKAGE] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[_PACKAGE]
        raise
    return module
