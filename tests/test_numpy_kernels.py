"""The NumPy kernels that compute: what they return, write and refuse."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from keyslot.kernels.numpy import arithmetic, creation, extremes, reduction, variance

from .arrays import matrix


def test_results_without_dimensions_are_numpy_scalars() -> None:
    """Kernels return what NumPy returns: a NumPy scalar where nothing is written."""
    var, mean = variance.var_mean(matrix())
    for result in (reduction.sum_all(matrix()), extremes.max_all(matrix()), var, mean):
        assert isinstance(result, np.float64)
    assert isinstance(arithmetic.add(np.array(1.0), 1), np.float64)
    assert isinstance(arithmetic.add_(np.array(1.0), 1), np.ndarray)
    assert isinstance(creation.zeros([]), np.ndarray)


def test_numpy_is_loaded_by_the_kernels_alone() -> None:
    """Importing keyslot and its kernels' package loads no NumPy."""
    program = "import sys, keyslot.kernels; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
