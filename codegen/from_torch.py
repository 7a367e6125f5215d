"""PyTorch's own operators as input: the file that declares them, where it is installed.

PyTorch itself is not imported: the file comes with torchgen, in the same distribution.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from ..runtime.user_cache import cached_package
from .problems import Problems

LIBRARY: Final = "torch"
NAMESPACE: Final = "aten"
#: What the package is called that is kept for all projects of a user.
PACKAGE: Final = "keyslot_aten"
_FILE: Final = "packaged/ATen/native/native_functions.yaml"


def complete(
    values: Mapping[str, Any], origin: str, problems: Problems
) -> dict[str, Any]:
    """Return options with those filled in that PyTorch answers: schemas, namespace."""
    if values.get("native") != LIBRARY or "schemas" in values:
        return dict(values)
    spec = find_spec("torchgen")
    if spec is None or spec.origin is None:
        problems.add_file(
            origin,
            "the operators of PyTorch are to be generated, and PyTorch is not installed"
            " in this environment: pip install torch",
        )
        return {"namespace": NAMESPACE, "schemas": [], **values}
    file = Path(spec.origin).parent / _FILE
    return {"namespace": NAMESPACE, "schemas": [str(file)], **values}


def default_output() -> str:
    """Return the folder of the package that is kept for all projects of a user."""
    try:
        return str(cached_package(LIBRARY, PACKAGE))
    except PackageNotFoundError:
        # Which is reported where the operators are looked for.
        return PACKAGE
