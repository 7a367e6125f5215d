"""Symbolic sizes: expressions of them, what is asked of them, and other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from keyslot.transforms.symbolic import ShapeEnv

from .symbolic_programs import COUNT, conditions, programs, run, terms

SIZES = st.lists(st.integers(2, 12), min_size=COUNT, max_size=COUNT)
#: Near one another, so that equalities are met.
NEAR = st.lists(st.integers(2, 4), min_size=COUNT, max_size=COUNT)


def sized(*sizes: int, duck_shape: bool = False) -> tuple[ShapeEnv, Sequence[Any]]:
    """Return an environment, and symbols for the sizes of one array in it."""
    env = ShapeEnv(duck_shape=duck_shape)
    return env, env.create_symbols(sizes, "x")


# --- expressions ----------------------------------------------------------------------


@given(terms | conditions, SIZES, SIZES)
def test_expressions_compute_what_python_computes(
    term: str, sizes: list[int], others: list[int]
) -> None:
    """Hints, evaluation at other sizes and printed source agree with plain numbers."""
    env, symbols = sized(*sizes)
    made = run(term, symbols)
    assert getattr(made, "hint", made) == run(term, sizes)
    expected = run(term, others)
    assert env.evaluate(made, env.bind(others)) == expected
    names = {symbol: f"n[{place}]" for place, symbol in enumerate(symbols)}
    assert eval(env.render(made, names), {"n": others}) == expected
    assert env.guards == []


# --- guards ---------------------------------------------------------------------------


@settings(max_examples=400)
@given(programs, NEAR | SIZES, st.lists(NEAR | SIZES, min_size=8, max_size=8))
def test_check_accepts_the_sizes_with_the_same_branches(
    program: str, sizes: list[int], others: list[list[int]]
) -> None:
    """Those sizes are accepted with which the program takes the same branches."""
    env, symbols = sized(*sizes)
    expected = run(program, sizes)
    assert run(program, symbols) == expected
    assert env.accepts(sizes)
    for other in others:
        assert env.accepts(other) == (run(program, other) == expected)
