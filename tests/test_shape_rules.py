"""The rules for shapes and dtypes tell what the NumPy kernels return, or refuse."""

from __future__ import annotations

from typing import Final

import pytest

from keyslot.runtime.errors import (
    ArgumentValueError,
    DataNeededError,
    DivisionByZeroError,
    DtypeError,
    NoArrayError,
    OutShapeError,
    OverloadError,
)
from keyslot.transforms.meta import MetaTensor

from .calling import ops
from .oracle.op_arguments import Call
from .schema_calls import shipped
from .shape_calls import calls, real_outcome, rule_outcome, writes

SHIPPED = shipped()
RULED = sorted(name for name, op in SHIPPED.items() if op.shape_rule)
#: How many calls a failing test shows.
SHOWN: Final = 5

#: Overloads whose results depend on elements, or on the order of these in memory.
DATA_NEEDED: Final = {
    "_local_scalar_dense": "the element itself",
    "index.Tensor": "how many elements a mask picks",
    "index.Tensor_out": "how many elements a mask picks",
    "nonzero": "how many elements are not 0",
    "nonzero.out": "how many elements are not 0",
    "sym_is_contiguous": "the order in memory",
    "sym_storage_offset": "the place in memory",
    "sym_stride.int": "the order in memory",
}
#: What else kernels refuse by what no rule knows, and the errors that this gives.
UNKNOWN: Final[dict[str, tuple[type[Exception], ...]]] = {
    # How much memory there is, and the order of elements in it.
    "as_strided": (ArgumentValueError,),
    "view": (ArgumentValueError,),
    "view_as_complex": (ArgumentValueError,),
    # Whether indices are out of bounds.
    "gather": (IndexError,),
    "index.Tensor": (IndexError,),
    "index_select": (IndexError,),
    "scatter.src": (IndexError,),
    "scatter.value": (IndexError,),
    "scatter_add": (IndexError,),
    # How many elements a mask picks; NumPy takes an empty one for any array.
    "index_put": (IndexError, ValueError),
    "index_put_": (IndexError, ValueError),
    "masked_scatter": (ArgumentValueError,),
    # NaN, which is no integer.
    "fill.Scalar": (ValueError,),
    "full_like": (ValueError,),
}
#: Calls that reach no kernel.
NO_KERNEL: Final = (NoArrayError, OverloadError)
#: Numbers that a dtype does not hold, and zeros among divisors: both are elements.
BY_ELEMENTS: Final = (OverflowError, DivisionByZeroError)


def difference(name: str, call: Call) -> str | None:
    """Return what a rule tells that the kernel does not do, None for nothing."""
    op = SHIPPED[name]
    real, told = real_outcome(op, call), rule_outcome(op, call)
    if isinstance(told.error, DataNeededError):
        agree = name in DATA_NEEDED
    elif real.error is None:
        # What an array that is written to has to be is not the business of the rule.
        agree = told.error is None and (writes(op) or real.result == told.result)
    elif isinstance(real.error, (*NO_KERNEL, *BY_ELEMENTS)):
        agree = True
    elif told.error is None:
        agree = writes(op) or isinstance(real.error, UNKNOWN.get(name, ()))
    else:
        # Of two faults in a call each may find the other first.
        agree = real.same_refusal(told) or isinstance(real.error, UNKNOWN.get(name, ()))
    return None if agree else f"{name}{call}:\n    kernel {real}\n    rule {told}"


@pytest.mark.parametrize("name", RULED)
def test_rule_tells_what_the_kernel_does(name: str) -> None:
    """Shapes and dtypes are those of the results, and what is refused is the same."""
    found = [d for call in calls(name, SHIPPED[name]) if (d := difference(name, call))]
    assert not found, "\n".join([f"{len(found)} calls differ:", *found[:SHOWN]])


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_what_no_rule_knows_is_refused_by_the_kernel_alone(name: str) -> None:
    """The list has no entry that is not needed."""
    op = SHIPPED[name]
    refused = [
        call
        for call in calls(name, op)
        if isinstance(real_outcome(op, call).error, UNKNOWN[name])
        and rule_outcome(op, call).error is None
    ]
    assert refused


@pytest.mark.parametrize("name", sorted(DATA_NEEDED))
def test_what_depends_on_elements_is_an_error_that_names_the_operator(
    name: str,
) -> None:
    """It says what was asked for, and that there is no data to tell it."""
    refused = {
        str(told.error)
        for call in calls(name, SHIPPED[name])
        if isinstance(
            (told := rule_outcome(SHIPPED[name], call)).error, DataNeededError
        )
    }
    operator = name.removesuffix(".out").removesuffix("_out")
    assert len(refused) == 1
    assert f"the result of {operator} depends on data" in refused.pop()


def test_overloads_that_write_have_the_rule_of_the_one_that_does_not() -> None:
    """What they write to is compared with what that tells, and returned."""
    table, row = (MetaTensor(shape, "float32") for shape in ((2, 3), (3,)))
    assert ops.add(table, row, out=table) is table
    assert ops.add_(table, row) is table
    with pytest.raises(OutShapeError, match="self has shape"):
        ops.add_(row, table)
    with pytest.raises(DtypeError, match="cannot hold"):
        ops.add(table, row, out=MetaTensor((2, 3), "int64"))


def test_every_operator_that_does_not_decompose_has_a_rule() -> None:
    """Composites that decompose always, and what is generated, need none."""
    without = {
        name
        for name, op in SHIPPED.items()
        if op.shape_rule is None
        and op.derived_from is None
        and "CompositeImplicitAutograd" not in op.kernels
    }
    assert without == set()


def test_every_functional_rule_is_compared() -> None:
    """A new operator that is not pointwise needs cases, in oracle/op_cases."""
    functional = [name for name in RULED if not writes(SHIPPED[name])]
    assert {name for name in functional if not [*calls(name, SHIPPED[name])]} == set()
