"""`Tensor` in Python: what it is converted to, and how it is written."""

from __future__ import annotations

import numpy as np
import pytest

from keyslot import Tensor
from keyslot.transforms import MetaTensor


def test_one_number_is_formatted_as_one() -> None:
    """Also where it is recorded: what is printed in a loop of training is a loss."""
    total = Tensor(np.ones(3), requires_grad=True).sum()
    assert f"{total:.2f} {total / 2:6.1f}|" == "3.00    1.5|"
    assert f"{total}" == str(total)
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{Tensor(np.ones(3)):.2f}"


@pytest.mark.parametrize(
    ("shape", "text"), [((), "()"), ((2,), "(2,)"), ((2, 3), "(2, 3)")]
)
def test_abstract_arrays_show_their_shapes_as_tuples(
    shape: tuple[int, ...], text: str
) -> None:
    """And so what is shown makes the same again."""
    assert repr(MetaTensor(shape, "int8")) == f"MetaTensor({text}, dtype=int8)"
