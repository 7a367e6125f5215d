"""One module for each group of measurements; each has a ``measure``."""
