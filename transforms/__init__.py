"""Transforms: what is done with programs over operators, apart from running them.

Each is kernels at one dispatch key and a front end. ``symbolic`` has sizes that stand
for numbers, for programs that are traced once and run at other sizes.
"""

if __name__ != "keyslot.transforms":
    raise ImportError(
        f"import keyslot.transforms, not {__name__}: one copy of everything"
    )
