"""Transforms: autograd, vmap, tracing and the like, and the kernels at their keys."""

if __name__ != "keyslot.transforms":
    raise ImportError(
        f"import keyslot.transforms, not {__name__}: one copy of everything"
    )
