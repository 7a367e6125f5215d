"""``keyslot docs``: a reference of operators, as web pages."""

if __name__ != "keyslot.tools.reference":
    raise ImportError(
        f"import keyslot.tools.reference, not {__name__}: one copy of everything"
    )
