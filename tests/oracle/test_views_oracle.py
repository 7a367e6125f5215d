"""Views of views held against PyTorch: sizes, strides, offsets and elements."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from keyslot import ops

from .comparison import differing_values
from .op_arguments import array

#: The name of an overload, and its arguments after the array.
Step = tuple[str, tuple[Any, ...]]


def steps(random: Random, shape: tuple[int, ...]) -> Iterator[Step]:
    """Yield views that can be taken of any array of a shape, with random arguments."""
    ndim = len(shape)
    yield "alias", ()
    yield "permute", (random.sample(range(-ndim, 0), ndim),)
    yield "unsqueeze", (random.randint(-ndim - 1, ndim),)
    yield "squeeze.dims", (random.sample(range(ndim), random.randint(0, ndim)),)
    yield "expand", ([2] * random.randint(0, 1) + [-1] * ndim,)
    if ndim:
        dim = random.randrange(-ndim, ndim)
        start, step = random.randint(-3, 2), random.randint(1, 3)
        yield "slice.Tensor", (dim, start, random.randint(-2, 5), step)
        yield "squeeze.dim", (dim,)
        if shape[dim]:
            yield "select.int", (dim, random.randrange(-shape[dim], shape[dim]))
    if ndim > 1:
        dims = random.sample(range(-ndim, 0), 2)
        yield "transpose.int", tuple(dims)
        yield "diagonal", (random.randint(-2, 2), *dims)


def overload(namespace: Any, name: str) -> Any:
    """Return an overload of ours or of PyTorch's by its name."""
    packet, _, rest = name.partition(".")
    return getattr(getattr(namespace, packet), rest or "default")


@pytest.mark.parametrize("seed", range(100))
def test_views_of_views_are_those_of_pytorch(seed: int) -> None:
    """Where each element lies in the memory of the first array is the same."""
    random = Random(seed)
    ours: Any = array((3, 4, 5), "float32")
    theirs = torch.from_numpy(ours.copy())
    for _ in range(6):
        name, arguments = random.choice([*steps(random, ours.shape)])
        ours = overload(ops, name)(ours, *arguments)
        theirs = overload(torch.ops.aten, name)(theirs, *arguments)
        assert [*differing_values("view", ours, theirs)] == []
        assert ops.sym_numel(ours) == theirs.numel()
        if theirs.numel():
            assert ops.sym_storage_offset(ours) == theirs.storage_offset()
            for dim, size in enumerate(theirs.shape):
                assert size == 1 or ops.sym_stride(ours, dim) == theirs.stride(dim)
    if theirs.numel():
        geometry = ([2, 2], [1, 2])
        again, expected = (
            overload(namespace, "as_strided")(view, *geometry, 3)
            for namespace, view in ((ops, ours), (torch.ops.aten, theirs))
        )
        assert [*differing_values("view", again, expected)] == []


def test_written_views_are_those_of_pytorch() -> None:
    """What is written through a chain of views is in the same places of the first."""
    ours, theirs = np.zeros((4, 5)), torch.zeros(4, 5, dtype=torch.float64)
    for namespace, given in ((ops, ours), (torch.ops.aten, theirs)):
        part = overload(namespace, "slice.Tensor")(given, 1, 1, 5, 2)
        diagonal = overload(namespace, "diagonal")(part, 1, 1, 0)
        source: Any = np.ones(2) if namespace is ops else torch.ones(2)
        overload(namespace, "copy_")(diagonal, source)
    assert np.count_nonzero(ours) == 2
    assert [*differing_values("view", ours, theirs)] == []
