"""The declarations of operators and dispatch keys, as data.

A project without a key space of its own reads keyslot's from here, through
``importlib.resources``.
"""

if __name__ != "keyslot.schemas":
    raise ImportError(f"import keyslot.schemas, not {__name__}: one copy of everything")
