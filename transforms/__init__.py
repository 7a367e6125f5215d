"""Transforms of functions over operators: gradients, batches, traces and others."""

if __name__ != "keyslot.transforms":
    raise ImportError(
        "import keyslot.transforms, not transforms: one copy of everything"
    )
