"""``keyslot explain`` and ``keyslot table``: one operator, or one call."""

if __name__ != "keyslot.tools.explain":
    raise ImportError(
        f"import keyslot.tools.explain, not {__name__}: one copy of everything"
    )
