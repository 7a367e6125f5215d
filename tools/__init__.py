"""The commands of ``keyslot``: what people use on a project's operators."""

if __name__ != "keyslot.tools":
    raise ImportError(f"import keyslot.tools, not {__name__}: one copy of everything")
