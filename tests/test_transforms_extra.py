"""keyslot.transforms without the packages that its extra brings."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Makes a package look as if it were not installed.
HIDDEN = """
import sys
sys.modules["optree"] = None
import keyslot
print("ops" in dir(keyslot))
from keyslot import transforms
print("grad" in dir(transforms))
try:
    transforms.grad
except ImportError as error:
    print(error)
"""


def test_missing_package_is_named_with_the_extra() -> None:
    """Importing keyslot needs none of them; who asks for a transform is told."""
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN], capture_output=True, text=True, check=True
    )
    *before, message = done.stdout.splitlines()
    assert before == ["True", "True"]
    wanted = "keyslot.transforms.grad needs optree: pip install 'keyslot[transforms]'"
    assert message == wanted


@pytest.mark.parametrize("name", ["grad", "vmap", "make_fx", "Tensor", "functionalize"])
def test_names_are_loaded_when_they_are_asked_for(name: str) -> None:
    """Importing the package loads no transform."""
    program = (
        "import sys, keyslot.transforms as t;"
        " before = [m for m in sys.modules if m.startswith('keyslot.transforms.')];"
        f" getattr(t, {name!r}); print(before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
