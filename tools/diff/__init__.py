"""``keyslot diff``: what a change of declarations does to dispatch."""

if __name__ != "keyslot.tools.diff":
    raise ImportError(
        f"import keyslot.tools.diff, not {__name__}: one copy of everything"
    )
