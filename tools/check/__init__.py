"""``keyslot check``: what no generator sees, one rule or a few in each module."""

if __name__ != "keyslot.tools.check":
    raise ImportError(
        f"import keyslot.tools.check, not {__name__}: one copy of everything"
    )
