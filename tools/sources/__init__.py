"""Where kernels and declarations are written, and links that lead there."""

if __name__ != "keyslot.tools.sources":
    raise ImportError(
        f"import keyslot.tools.sources, not {__name__}: one copy of everything"
    )
