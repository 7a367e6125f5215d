"""``keyslot new``: start a project."""

if __name__ != "keyslot.tools.new":
    raise ImportError(
        f"import keyslot.tools.new, not {__name__}: one copy of everything"
    )
