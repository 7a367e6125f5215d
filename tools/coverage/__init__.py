"""``keyslot coverage``: which operators have kernels where."""

if __name__ != "keyslot.tools.coverage":
    raise ImportError(
        f"import keyslot.tools.coverage, not {__name__}: one copy of everything"
    )
