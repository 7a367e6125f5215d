"""What the documentation shows is true: documents, examples and docstrings run."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from keyslot import ops

from .documents import (
    ROOT,
    RUNNER,
    documents,
    examples,
    name_of,
    needing_pytorch,
    run_python,
)

DOCUMENTS = needing_pytorch(documents(), needing=False)
EXAMPLES = needing_pytorch(examples(), needing=False)
PACKAGES = ("runtime", "codegen", "generated", "kernels", "transforms")


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_document_runs(document: Path, tmp_path: Path) -> None:
    """Every block that a document marks as executable does what the document says."""
    done = run_python(str(RUNNER), str(document), cwd=tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    """Every example runs to its end, from any folder and without a warning."""
    done = run_python(str(example), cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def module_names() -> Iterator[str]:
    """Yield the installed name of every module, without importing any."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(("keyslot", *path.relative_to(ROOT).with_suffix("").parts))
            name = name.removesuffix(".__init__")
            name = name.replace("keyslot.runtime.toplevel", "keyslot")
            if not name.endswith(".__main__") and not needs_torch(name):
                yield name


def needs_torch(name: str) -> bool:
    """Whether a module imports torch, which is not there in most sessions."""
    folders = ("keyslot.torch", "keyslot.kernels.torch", "keyslot.transforms.export")
    return name.startswith(folders)


@pytest.mark.parametrize("name", sorted(module_names()))
def test_docstrings_are_true(name: str) -> None:
    """The examples in docstrings give what is printed below them."""
    module = import_module(name)
    # What the examples of operators use, as their documentation does.
    names = {"np": np, "ops": ops} if name.startswith("keyslot.generated.ops.") else {}
    done = doctest.testmod(module, optionflags=doctest.ELLIPSIS, extraglobs=names)
    assert done.failed == 0


DOCUMENT = """\
```yaml title="data/a.yaml"
one: 1
```

```pycon
>>> from pathlib import Path
>>> text = Path("data/a.yaml").read_text()
```

1. In a list:

   ```pycon
   >>> text
   '{expected}'
   ```

```console
$ echo {echoed}
b...d
$ true
```

```sh
exit 1
```

```python
raise SystemExit("only there to be read")
```
"""


@pytest.mark.parametrize(
    ("expected", "echoed", "problem"),
    [
        ("one: 1\\n", "bcd", ""),
        ("one: 2\\n", "bcd", "line 13"),
        ("one: 1\\n", "bce", "$ echo bce"),
        ("one: 1\\n", "bcd; false", "exit 1"),
    ],
)
def test_runner_of_documents_sees_what_is_false(
    expected: str, echoed: str, problem: str, tmp_path: Path
) -> None:
    """A document fails when a block prints something else than it shows."""
    document = tmp_path / "document.md"
    document.write_text(DOCUMENT.format(expected=expected, echoed=echoed), "utf-8")
    done = run_python(str(RUNNER), str(document), cwd=tmp_path)
    assert done.returncode == (1 if problem else 0)
    assert problem in done.stdout
