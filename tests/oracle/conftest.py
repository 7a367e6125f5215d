"""Tests that hold keyslot against PyTorch. Without PyTorch they are left out."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["*.py"]
