"""Symbolic sizes for tests, and random programs over sizes, as source.

The sizes are ``n[0]``, ``n[1]`` and so on. Every program is one Python expression.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from keyslot.transforms.symbolic import ShapeEnv, sym_max, sym_min, sym_not

#: The sizes of a program.
COUNT = 3
_NAMES: dict[str, Any] = {"max": sym_max, "min": sym_min, "negated": sym_not}
_SIZES = st.sampled_from([f"n[{place}]" for place in range(COUNT)])
_DIVISORS = _SIZES | st.sampled_from(["1", "2", "3", "4", "7", "(-3)"])


def sized(*sizes: int, duck_shape: bool = False) -> tuple[ShapeEnv, Sequence[Any]]:
    """Return an environment, and symbols for the sizes of one array in it."""
    env = ShapeEnv(duck_shape=duck_shape)
    return env, env.create_symbols(sizes, "x")


def texts(env: ShapeEnv) -> list[str]:
    """Return the conditions of the guards."""
    return [str(guard.condition) for guard in env.guards]


def run(source: str, sizes: Sequence[Any]) -> Any:
    """Return what a program gives for sizes."""
    return eval(source, {**_NAMES, "n": sizes})


def _filled(template: str, *operands: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return source with operands in the places of a template."""
    return st.tuples(*operands).map(lambda texts: template.format(*texts))


def _longer_terms(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        _filled("({} + {})", inner, inner),
        _filled("({} - {})", inner, inner),
        _filled("({} * {})", inner, inner),
        _filled("({} // {})", inner, _DIVISORS),
        _filled("({} % {})", inner, _DIVISORS),
        _filled("max({}, {})", inner, inner),
        _filled("min({}, {})", inner, inner),
        _filled("(-{})", inner),
        _filled("abs({})", inner),
        _filled("({} ** 2)", inner),
        _filled("({} & {})", inner, inner),
    )


#: Integers.
terms = st.recursive(
    _SIZES | st.integers(-5, 5).map("({})".format), _longer_terms, max_leaves=6
)


def _longer_conditions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        _filled("({} & {})", inner, inner),
        _filled("({} | {})", inner, inner),
        _filled("negated({})", inner),
    )


#: Truth values, which nobody asks for.
conditions = st.recursive(
    _filled(
        "({} {} {})",
        terms,
        st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
        terms,
    ),
    _longer_conditions,
    max_leaves=3,
)

_asking = _filled("bool({})", conditions)
_steps = st.one_of(_asking, _asking, _asking, _filled("int({})", terms))
_blocks = st.lists(_steps, max_size=2).map(", ".join)
_branches = _filled("([1, {}] if {} else [0, {}])", _blocks, conditions, _blocks)
#: Programs that return which branches they took, and the sizes that they fixed.
programs = st.lists(_branches, min_size=1, max_size=3).map(
    lambda steps: f"[{', '.join(steps)}]"
)
