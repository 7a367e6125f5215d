"""The generator: declarations in YAML in, Python modules out.

It needs the extra ``keyslot[codegen]``. Nothing else of keyslot imports it.
"""

if __name__ != "keyslot.codegen":
    raise ImportError(f"import keyslot.codegen, not {__name__}: one copy of everything")
