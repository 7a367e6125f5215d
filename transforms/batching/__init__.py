"""Batching rules: how each operator is called once for all items of a batch.

Declarations name the rules here: ``batching: reduction(dim)``.
"""

from __future__ import annotations

from .call import BatchedCall, Unbatched
from .creation import random, random_permutation, unbatched
from .dims import (
    dims,
    lifted_dims,
    matrices,
    new_dim,
    optional_dims,
    permutation,
    position,
    reduction,
    topk,
    vectors,
    whole,
)
from .facts import contiguity, element_count, fact, refused
from .gathering import gather, index_select, scatter
from .indexing import index, index_put
from .joining import cat, stack
from .linalg import added_product, batch_product, matrix_product
from .loop import loop
from .missing import missing_rule
from .pointwise import aligned, pointwise
from .replacing import copy, masked_scatter, replaced_part
from .sizes import as_strided, expand, padding, repeat, resize, sizes

__all__ = [
    "BatchedCall",
    "Unbatched",
    "added_product",
    "aligned",
    "as_strided",
    "batch_product",
    "cat",
    "contiguity",
    "copy",
    "dims",
    "element_count",
    "expand",
    "fact",
    "gather",
    "index",
    "index_put",
    "index_select",
    "lifted_dims",
    "loop",
    "masked_scatter",
    "matrices",
    "matrix_product",
    "missing_rule",
    "new_dim",
    "optional_dims",
    "padding",
    "permutation",
    "pointwise",
    "position",
    "random",
    "random_permutation",
    "reduction",
    "refused",
    "repeat",
    "replaced_part",
    "resize",
    "scatter",
    "sizes",
    "stack",
    "topk",
    "unbatched",
    "vectors",
    "whole",
]
