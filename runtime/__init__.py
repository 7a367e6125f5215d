"""The small runtime: dispatch keys, key sets, tables, guards and operators.

It imports nothing else of keyslot and only the standard library. What most programs
need is in ``keyslot`` itself; here are the parts for tools, and the pure resolver:

>>> from keyslot.generated.keys import SPACE
>>> from keyslot.runtime import resolve
>>> resolve(SPACE, {"CompositeImplicitAutograd"}, (), "AutogradNumPy").source
'CompositeImplicitAutograd'
"""

if __name__ != "keyslot.runtime":
    raise ImportError(f"import keyslot.runtime, not {__name__}: one copy of everything")

from .kernel import fallthrough, with_keyset
from .resolver import Resolution, resolve, resolve_table
from .space import KeySpace

__all__ = [
    "KeySpace",
    "Resolution",
    "fallthrough",
    "resolve",
    "resolve_table",
    "with_keyset",
]
