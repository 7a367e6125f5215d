"""The calls that PyTorch's own samples of its functions make of the shipped operators.

PyTorch tests its functions on samples, which its ``OpInfo`` objects give: arguments for
each dtype, also for those that a function does not take. They are run here, and what
calls they make of operators that keyslot ships is recorded.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_map_only

from .comparison import SHIPPED
from .op_arguments import Call
from .recording import Recorder

DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)
#: At most so many calls with the same dtypes are recorded for an overload.
MOST_CALLS = 40
#: So many samples are run for functions that only use the shipped operators.
SAMPLES_OF_OTHERS = 5

PACKETS = {name.partition(".")[0] for name in SHIPPED}


@cache
def opinfo_calls() -> dict[str, list[Call]]:
    """Return the recorded calls of each overload.

    The samples are seeded. With one version of PyTorch they are the same in every run,
    but for the contents of memory that a function has not yet filled.
    """
    recorder = Recorder(SHIPPED, MOST_CALLS)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Those that are about the shipped operators come first: they find room.
        for own in (True, False):
            for info in op_db:
                if (info.aten_name in PACKETS) is own:
                    _record(recorder, info, own)
    return recorder.calls


def _record(recorder: Recorder, info: Any, own: bool) -> None:
    """Run the samples of a function; of an operator's own, in every form it has."""
    for dtype in DTYPES:
        for sample in _samples(info, dtype, None if own else SAMPLES_OF_OTHERS):
            given = (sample.input, *sample.args)
            _run(recorder, info.op, given, sample.kwargs)
            if own:
                _run_variants(recorder, info, given, sample.kwargs)


def _samples(info: Any, dtype: Any, most: int | None) -> Iterator[Any]:
    """Yield samples as long as there are any: some dtypes have none."""
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)  # PyTorch's samples are made with it
    with suppress(Exception):
        # The method around this function looks through the stack for each sample.
        made = info.sample_inputs_func(info, "cpu", dtype, requires_grad=False)
        yield from islice(made, most)


def _run(
    recorder: Recorder,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Return what a function gives, or None if it refuses its arguments."""
    with suppress(Exception), recorder:
        return function(*args, **kwargs)
    return None


def _run_variants(
    recorder: Recorder, info: Any, given: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Call an operator itself, in place, and with arrays for its results."""
    _record_composite(recorder, info.aten_name, given, kwargs)
    result = _run(recorder, info.op, _cloned(given), kwargs)
    if info.supports_out and result is not None:
        out = tree_map_only(torch.Tensor, torch.zeros_like, result)
        _run(recorder, info.op, given, {**kwargs, "out": out})
        _record_composite(recorder, info.aten_name, given, {**kwargs, "out": out})
    if info.inplace_variant is not None:
        _run(recorder, info.inplace_variant, _cloned(given), kwargs)
        _record_composite(recorder, f"{info.aten_name}_", given, kwargs)


def _record_composite(
    recorder: Recorder, packet: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Record the call of an operator for which PyTorch has a composite kernel.

    PyTorch shows a mode what such a kernel calls, and not the operator.
    """
    with suppress(Exception):
        overload = torch._C._jit_resolve_packet(f"aten::{packet}", *args, **kwargs)
        name = packet if overload == "default" else f"{packet}.{overload}"
        recorder.record(name, args, kwargs)


def _cloned(value: Any) -> Any:
    return tree_map_only(torch.Tensor, torch.clone, value)
