"""Benchmarks: what a call, a generated operator and a run of the generator cost.

``python -m benchmarks`` measures everything. Every number stands beside the thing it is
compared with, measured in the same run.
"""

import os

# One thread each: a library that starts a pool of its own would disturb its neighbours.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
