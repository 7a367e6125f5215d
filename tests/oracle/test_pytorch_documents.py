"""The documentation about PyTorch is true: documents and examples run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ..documents import (
    RUNNER,
    documents,
    examples,
    name_of,
    needing_pytorch,
    run_python,
)

DOCUMENTS = needing_pytorch(documents(), needing=True)
EXAMPLES = needing_pytorch(examples(), needing=True)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_document_runs(document: Path, tmp_path: Path) -> None:
    """Every block that a document marks as executable does what the document says."""
    done = run_python(str(RUNNER), str(document), cwd=tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    """The operators of every project are generated, and its program runs to its end."""
    project = tmp_path / example.name
    shutil.copytree(example, project)
    for command in (["-m", "keyslot.codegen"], ["main.py"]):
        done = run_python(*command, cwd=project)
        assert done.returncode == 0, done.stdout
