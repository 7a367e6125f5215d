"""Paths as arguments of commands."""

from __future__ import annotations

from argparse import ArgumentTypeError


def path_argument(text: str) -> str:
    """Return the path that an argument of a command line names.

    Raises ArgumentTypeError for an empty text, which a script passes whose variable is
    not set. To Python it is the folder one is in, or no argument at all.
    """
    if not text:
        raise ArgumentTypeError("an empty text is no path")
    return text
