"""Shape environments: the sizes that a traced program is valid for, and copies."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from keyslot import errors
from keyslot.transforms.symbolic import ShapeEnv, SymInt

from .symbolic_programs import sized, texts

# --- other sizes ----------------------------------------------------------------------


def test_small_sizes_are_plain_numbers() -> None:
    """Sizes 0 and 1 get no symbol, and other arrays must have them in their place."""
    env, sizes = sized(0, 5, 1)
    assert [type(size) for size in sizes] == [int, SymInt, int]
    assert env.accepts((0, 7, 1))
    assert [*map(env.accepts, [(1, 7, 1), (0, 7, 7), (0, 1, 1), (0, 0, 1)])] == [
        False
    ] * 4


def test_equal_sizes_share_a_symbol() -> None:
    """As in PyTorch's make_fx, sizes equal in the example are equal ever after."""
    env, (n, m, k) = sized(10, 20, 10, duck_shape=True)
    (other,) = env.create_symbols((10,), "y")
    assert n is k is other
    assert n is not m
    assert env.bind((3, 4, 3), (3,)) == {n: 3, m: 4}
    assert env.accepts((3, 4, 3), (3,))
    assert env.accepts((3, 3, 3), (3,))
    assert not env.accepts((3, 4, 5), (3,))
    assert not env.accepts((3, 4, 3), (4,))


REFUSED = """\
the program was traced for other sizes than {given}; trace it again for these. \
It is valid only if
  {failed}"""


@pytest.mark.parametrize(
    ("shapes", "failed"),
    [
        ([(1, 4, 1), (1,)], "x.shape[0] >= 2, as in the example, not 1"),
        ([(3, 4, 5), (3,)], "x.shape[2] == 1, as in the example, not 5"),
        ([(3, 4, 1), (4,)], "y.shape[0] == x.shape[0], which is 3, not 4"),
        ([(3, 4), (3,)], "x.ndim == 3, as in the example, not 2"),
        ([(3, 4, 1)], "there are as many arrays as in the example: x, y"),
        ([(3, 4, 1), (3,), ()], "there are as many arrays as in the example: x, y"),
        ([(4, 4, 1), (4,)], "s0 < s1  (x.shape[0] < x.shape[1]), at {line}"),
        (
            [(2, 3, 1), (2,)],
            "s1 // abs(s0 - 2) > 0  (x.shape[1] // abs(x.shape[0] - 2) > 0), at {line}",
        ),
    ],
)
def test_refusals_say_what_is_not_so(
    shapes: list[tuple[int, ...]], failed: str
) -> None:
    """The error lists what other sizes fail, with the lines that asked; it pickles."""
    env = ShapeEnv()
    (n, m, _), (_,) = env.create_symbols((10, 20, 1), "x"), env.create_symbols(
        (10,), "y"
    )
    assert n < m
    assert m // abs(n - 2) > 0
    env.check((10, 20, 1), (10,))
    with pytest.raises(errors.GuardError) as caught:
        env.check(*shapes)
    assert not env.accepts(*shapes)
    lines = {str(guard.line) for guard in env.guards if str(guard)[:2] == failed[:2]}
    given = ", ".join(
        f"{name}: {shape}" for name, shape in zip("xy?", shapes, strict=False)
    )
    expected = REFUSED.format(given=given, failed=failed.format(line="".join(lines)))
    assert str(caught.value) == expected
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), vars(again)) == (str(caught.value), vars(caught.value))


def test_programs_traced_within_another_one() -> None:
    """Sizes of an outer program are examples for an inner one, which checks them."""
    outer, (n, m) = sized(10, 20)
    inner = ShapeEnv()
    rows, columns = inner.create_symbols((n, m), "y")
    assert rows < columns
    assert outer.guards == []
    assert texts(inner) == ["s0 < s1"]
    assert inner.accepts((n, m))
    assert texts(outer) == ["s0 < s1"]


def test_refused_binding() -> None:
    """Sizes are bound to symbols only where dimensions are as in the example."""
    env, _ = sized(10, 20)
    with pytest.raises(errors.GuardError):
        env.bind((10, 20, 30))


def test_sizes_of_two_programs_do_not_mix() -> None:
    """An expression of sizes of two environments is an error."""
    (_, (n,)), (_, (m,)) = sized(10), sized(20)
    with pytest.raises(errors.MixedShapeEnvsError) as caught:
        bool(n + m)
    assert str(caught.value) == (
        "s0 and s0 are of two shape environments, and '+' takes sizes of one; create"
        " both symbols in the same"
    )


def test_complex_sizes() -> None:
    """There are no complex symbolic numbers."""
    _, (n,) = sized(10)
    with pytest.raises(errors.ComplexSizeError) as caught:
        bool((-n) ** 0.5)
    assert "only integers, floats and truth values can be symbolic" in str(caught.value)


# --- copies, threads, imports ---------------------------------------------------------


def test_copies_are_the_same() -> None:
    """Expressions and environments are what they stand for, in any kind of copy."""
    env, (n, m) = sized(10, 20)
    for value in (env, n, n + m, n == m):
        assert copy.copy(value) is value
        assert copy.deepcopy([value])[0] is value


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_environments_pickle(protocol: int) -> None:
    """A pickled environment has its guards, and records further ones."""
    env, (n, m) = sized(10, 20)
    deep = n
    for step in range(1000):
        deep = deep * m if step % 2 else deep // n
    assert n < m
    again, n2, m2, deep2 = pickle.loads(pickle.dumps((env, n, m, deep), protocol))
    assert texts(again) == texts(env)
    assert (again.accepts((3, 4)), again.accepts((4, 3))) == (True, False)
    assert (n2 is again.symbols[0], n2 + m2 is m2 + n2) == (True, True)
    assert (str(deep2), deep2.hint) == (str(deep), deep.hint)
    assert n2 < m2
    assert m2 == 20
    assert texts(again) == [*texts(env), "s1 == 20"]
    assert len(env.guards) == 1


def test_threads_make_the_same_expressions() -> None:
    """Threads that compute with the same sizes get the same objects and guards."""
    env, (n, m) = sized(10, 20)

    def compute(_: int) -> list[Any]:
        made = [n * i + m for i in range(2, 300)]
        return [*made, *(bool(each > 500) for each in made)]

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(compute, range(4))
    for other in others:
        assert all(a is b for a, b in zip(first, other, strict=True))
    assert len(set(texts(env))) == len(env.guards)
