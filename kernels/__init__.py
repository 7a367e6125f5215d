"""Kernels of the operators that keyslot ships: one folder a backend.

They are loaded by the first call that needs one, not by importing this package.
"""

if __name__ != "keyslot.kernels":
    raise ImportError(f"import keyslot.kernels, not {__name__}: one copy of everything")
