"""Einstein sums: products of arrays whose dimensions have letters.

Two arrays at a time are multiplied, from left to right. Dimensions that an ellipsis
stands for are labelled by how far they are from the last of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from ... import generated as ops
from ...runtime.errors import ArgumentValueError

_TERM = re.compile(r"([A-Za-z]*)(\.\.\.)?([A-Za-z]*)")


class Labelled(NamedTuple):
    """An array, and a label for each of its dimensions."""

    array: Any
    labels: list[str]


def einsum(
    equation: str, tensors: Sequence[Any], *, path: Sequence[int] | None = None
) -> Any:
    """Kernel of einsum."""
    inputs, output = _read(equation, [tensor.ndim for tensor in tensors])
    factors = [_diagonal(Labelled(*pair)) for pair in zip(tensors, inputs, strict=True)]
    product = factors[0]
    for number, factor in enumerate(factors[1:], 2):
        later = [label for other in factors[number:] for label in other.labels]
        product = _product(product, factor, {*output, *later})
    product = _summed(product, {*output})
    return ops.permute(product.array, [product.labels.index(la) for la in output])


# --- reading --------------------------------------------------------------------------


def _read(equation: str, ndims: Sequence[int]) -> tuple[list[list[str]], list[str]]:
    """Return the labels of each operand, and those of the result."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if not ndims or len(terms) != len(ndims):
        raise _unfit(
            equation, f"it names {len(terms)} operands, {len(ndims)} are given"
        )
    pairs = zip(terms, ndims, strict=True)
    inputs = [_labels(equation, term, ndim) for term, ndim in pairs]
    most = max((la for labels in inputs for la in _dots(labels)), key=len, default="")
    dots = [most[:length] for length in range(len(most), 0, -1)]
    if not arrow:
        return inputs, [*dots, *_letters_there_once(left)]
    match = _match(equation, right)
    output = [*match[1], *(dots if match[2] else ()), *match[3]]
    missing = {*output}.difference(*inputs)
    if missing or len({*output}) != len(output):
        raise _unfit(equation, "the result needs letters of operands, each once")
    return inputs, output


def _labels(equation: str, term: str, ndim: int) -> list[str]:
    """Return the labels of an operand, of one dot or more for those of an ellipsis."""
    match = _match(equation, term)
    spare = ndim - len(match[1]) - len(match[3])
    if spare < 0 or (spare > 0 and not match[2]):
        raise _unfit(equation, f"{term!r} does not fit an array of {ndim} dimensions")
    return [*match[1], *("." * length for length in range(spare, 0, -1)), *match[3]]


def _match(equation: str, term: str) -> re.Match[str]:
    match = _TERM.fullmatch(term)
    if match is None:
        raise _unfit(equation, f"{term!r} is not made of letters and one ellipsis")
    return match


def _dots(labels: Sequence[str]) -> list[str]:
    return [label for label in labels if label[0] == "."]


def _letters_there_once(text: str) -> list[str]:
    return sorted(letter for letter in {*text} - {*".,"} if text.count(letter) == 1)


def _unfit(equation: str, why: str) -> ArgumentValueError:
    return ArgumentValueError(f"equation is {equation!r}: {why}")


# --- computing ------------------------------------------------------------------------


def _diagonal(factor: Labelled) -> Labelled:
    """Make one dimension of those with the same letter."""
    array, labels = factor
    for label in {*labels}:
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if array.shape[first] != array.shape[second]:
                raise ArgumentValueError(
                    f"{label!r} stands for the sizes {array.shape[first]} and"
                    f" {array.shape[second]} of one operand"
                )
            array = ops.diagonal(array, 0, first, second)
            rest = [la for n, la in enumerate(labels) if n not in (first, second)]
            labels = [*rest, label]
    return Labelled(array, labels)


def _product(one: Labelled, two: Labelled, kept: set[str]) -> Labelled:
    """Multiply two arrays, and sum over the labels that are not kept."""
    one, two = _without_single(one, two), _without_single(two, one)
    one, two = _summed(one, kept | {*two.labels}), _summed(two, kept | {*one.labels})
    shared = [label for label in one.labels if label in two.labels]
    batch = [label for label in shared if label in kept]
    summed = [label for label in shared if label not in kept]
    rows = [label for label in one.labels if label not in shared]
    columns = [label for label in two.labels if label not in shared]
    labels = [*batch, *rows, *columns]
    sizes = _sizes(one, two)
    if not summed:
        return Labelled(ops.mul(_spread(one, labels), _spread(two, labels)), labels)
    product = ops.bmm(
        _grouped(one, [batch, rows, summed], sizes),
        _grouped(two, [batch, summed, columns], sizes),
    )
    return Labelled(ops.reshape(product, [sizes[label] for label in labels]), labels)


def _without_single(factor: Labelled, other: Labelled) -> Labelled:
    """Leave out dimensions of size 1 that are broadcast to those of the other."""
    array, labels = factor
    dims = [
        dim
        for dim, label in enumerate(labels)
        if array.shape[dim] == 1
        and label in other.labels
        and other.array.shape[other.labels.index(label)] != 1
    ]
    if not dims:
        return factor
    kept = [label for dim, label in enumerate(labels) if dim not in dims]
    return Labelled(ops.squeeze(array, dims), kept)


def _summed(factor: Labelled, kept: set[str]) -> Labelled:
    """Sum over the labels that are not kept."""
    array, labels = factor
    dims = [dim for dim, label in enumerate(labels) if label not in kept]
    if not dims:
        return factor
    rest = [label for label in labels if label in kept]
    return Labelled(ops.sum(array, dims), rest)


def _sizes(one: Labelled, two: Labelled) -> dict[str, Any]:
    """Return the size of each label; raise where the two have different ones."""
    sizes: dict[str, Any] = {}
    for array, labels in (one, two):
        for label, size in zip(labels, array.shape, strict=True):
            if sizes.setdefault(label, size) != size:
                raise ArgumentValueError(
                    f"{label!r} stands for the sizes {sizes[label]} and {size}"
                )
    return sizes


def _spread(factor: Labelled, labels: Sequence[str]) -> Any:
    """Return the array with a dimension for each label, of size 1 if it has none."""
    own = [label for label in labels if label in factor.labels]
    array = ops.permute(factor.array, [factor.labels.index(label) for label in own])
    for dim, label in enumerate(labels):
        if label not in own:
            array = ops.unsqueeze(array, dim)
    return array


def _grouped(
    factor: Labelled, groups: Sequence[Sequence[str]], sizes: dict[str, Any]
) -> Any:
    """Return the array with one dimension for each group of labels."""
    order = [factor.labels.index(label) for group in groups for label in group]
    shape = [prod(sizes[label] for label in group) for group in groups]
    return ops.reshape(ops.permute(factor.array, order), shape)
