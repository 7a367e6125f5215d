"""Graphs: programs over operators that were traced, as lists of calls.

A `Graph` prints as Python, runs on any arrays, and becomes a plain function that calls
kernels with no dispatch left.
"""

if __name__ != "keyslot.transforms.graph":
    raise ImportError(
        f"import keyslot.transforms.graph, not {__name__}: one copy of everything"
    )

from .graph import Graph
from .inputs import Guards
from .node import Kind, Node

__all__ = ["Graph", "Guards", "Kind", "Node"]
