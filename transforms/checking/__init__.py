"""Checks of operators: what is declared of one held against what it does.

The public name is `keyslot.testing`.
"""
