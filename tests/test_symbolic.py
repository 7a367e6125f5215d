"""Symbolic sizes: expressions of them, and the guards that questions leave."""

from __future__ import annotations

import math
import subprocess
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyslot import ops
from keyslot.transforms.symbolic import (
    ShapeEnv,
    SymBool,
    SymFloat,
    SymInt,
    sym_float,
    sym_max,
    sym_min,
    sym_not,
    to_sympy,
)

from .symbolic_programs import COUNT, conditions, programs, run, sized, terms, texts

#: What the sources of expressions may name.
NAMES = {
    "math": math,
    "np": np,
    **{f.__name__: f for f in (sym_float, sym_max, sym_min, sym_not)},
}
SIZES = st.lists(st.integers(2, 12), min_size=COUNT, max_size=COUNT)
#: Near one another, so that equalities are met.
NEAR = st.lists(st.integers(2, 4), min_size=COUNT, max_size=COUNT)


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


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("n * (m + 1) - n * m", "s0"),
        ("(n + m) ** 2 - n ** 2", "s1*(s1 + 2*s0)"),
        ("(2*n + 4*m) // 2", "s0 + 2*s1"),
        ("(3*n + m) // 6", "(s1 + 3*s0) // 6"),
        ("sym_max(n, n + 1)", "s0 + 1"),
        ("n + 1 > n - m", "True"),
        ("(n & 1) + (n & 1) * 3", "4*(s0 & 1)"),
        ("n / 2", "s0 / 2"),
        ("math.floor(n / 3)", "int(s0 / 3 // 1)"),
        ("5", "5"),
    ],
)
def test_simplified_expressions(source: str, text: str) -> None:
    """SymPy makes expressions shorter; what it does not know stays as it is."""
    env, (n, m) = sized(10, 20)
    assert str(env.simplify(eval(source, {**NAMES, "n": n, "m": m}))) == text


@settings(max_examples=50, deadline=None)
@given(terms | conditions, SIZES, SIZES)
def test_simplified_expressions_compute_the_same(
    term: str, sizes: list[int], others: list[int]
) -> None:
    """SymPy simplifies expressions to others of the same values."""
    env, symbols = sized(*sizes)
    simple = env.simplify(run(term, symbols))
    assert getattr(simple, "hint", simple) == run(term, sizes)
    assert env.evaluate(simple, env.bind(others)) == run(term, others)
    assert env.guards == []


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("n * 2 + 1", "2*n + 1"),
        ("1 + n", "n + 1"),
        ("n - 1", "n - 1"),
        ("n + 3 - 2 + m", "n + m + 1"),
        ("m + n", "n + m"),
        ("n + n", "2*n"),
        ("n - (m - n)", "n - (m - n)"),
        ("n * m // 2 % 3", "n*m // 2 % 3"),
        ("n * (m // 2)", "n*(m // 2)"),
        ("(n + m) ** 2", "(n + m)**2"),
        ("(-n) ** 2", "(-n)**2"),
        ("-(n ** 2)", "-n**2"),
        ("2 ** n", "2**n"),
        ("n / 2", "n / 2"),
        ("n ** -1", "n**-1"),
        ("n * 0.5", "n*0.5"),
        ("n * math.inf", "n*float('inf')"),
        ("sym_max(n, m + 1)", "max(n, m + 1)"),
        ("sym_min(n, 2.5)", "min(float(n), 2.5)"),
        ("sym_max(n, n)", "n"),
        ("sym_float(n)", "float(n)"),
        ("abs(n - m)", "abs(n - m)"),
        ("divmod(n, m)[1]", "n % m"),
        ("divmod(7, n)[0]", "7 // n"),
        ("n & 1 | m << 2", "n & 1 | m << 2"),
        ("n == m", "n == m"),
        ("3 < n", "n > 3"),
        ("~(n < m)", "n >= m"),
        ("(n < m) & (n < 3) | (m > 4)", "n < m and n < 3 or m > 4"),
        ("~((n < m) & (n < 3))", "not (n < m and n < 3)"),
        ("~(n / 2 < m)", "not n / 2 < m"),
        ("math.floor(n / 3)", "int(n / 3 // 1)"),
        ("math.ceil(n / 3)", "-int(-(n / 3) // 1)"),
        ("math.trunc(n / 3)", "int(n / 3)"),
        ("math.ceil(n)", "n"),
        ("round(n)", "n"),
        ("n * 1 + 0", "n"),
        ("n // 1", "n"),
        ("n ** 1", "n"),
        ("n ** 0", "1"),
        ("n * 0", "0"),
        ("n % 1", "0"),
        ("n - n", "0"),
        ("n <= n", "True"),
        ("(n == m) & True", "n == m"),
        ("(n == m) | True", "True"),
        ("n + np.int64(2)", "n + 2"),
        ("n + True", "n + 1"),
        ("n + np.float32(0.5)", "n + 0.5"),
    ],
)
def test_expressions_are_written_as_people_write_them(source: str, text: str) -> None:
    """Expressions print as short Python source, and making them asks nothing."""
    env, (n, m) = sized(10, 20)
    made = eval(source, {**NAMES, "n": n, "m": m})
    assert env.render(made, {n: "n", m: "m"}).replace("s0", "n") == text
    assert env.guards == []


def test_equal_expressions_are_one_object() -> None:
    """Sizes are keys of dicts by what they are made of, and no question is asked."""
    env, (n, m) = sized(10, 10)
    assert (n + 1) * m is m * (1 + n)
    by_shape = {(n, m, 3): "here"}
    assert by_shape[n, m, 3] == "here"
    assert (m, n, 3) not in by_shape
    assert (n, m) == (n, m)
    assert env.guards == []


def test_floats_are_no_integers() -> None:
    """1.0 and 1 are other operands, and so are 0.0 and -0.0."""
    _, (n,) = sized(10)
    assert [type((n + one).hint) for one in (1, 1.0, 1)] == [int, float, int]
    signs = [math.copysign(1, (n * zero).hint) for zero in (0.0, -0.0)]
    assert signs == [1, -1]


def test_symbolic_numbers_are_not_pythons() -> None:
    """No code that looks for an int takes a symbolic one for it."""
    _, (n,) = sized(10)
    assert not isinstance(n, int)
    assert isinstance(n, SymInt)
    assert isinstance(n / 2, SymFloat)
    assert isinstance(n == 3, SymBool)


def test_deep_and_wide_expressions() -> None:
    """Expressions of many operations, or that double often, have no limits."""
    env, (n, m) = sized(10, 20)
    deep, wide = n, n - m
    for step in range(5000):
        deep = deep * m if step % 2 else deep // n
    for _ in range(100):
        wide = wide * wide // m
        wide = wide % 1000
    expected = env.evaluate(deep, {n: 10, m: 20}), env.evaluate(wide, {n: 10, m: 20})
    assert expected == (deep.hint, wide.hint)
    assert env.evaluate(wide, {n: 10, m: 21}) == _widened(10, 21)
    assert (deep > 0) == (deep.hint > 0)
    assert str(deep).count("s1") > 1000


def _widened(n: int, m: int) -> int:
    wide = n - m
    for _ in range(100):
        wide = wide * wide // m % 1000
    return wide


def test_sympy_is_imported_only_by_who_asks() -> None:
    """Arithmetic, guards, checks and printing do without SymPy."""
    code = """if True:
        import sys
        from keyslot.transforms.symbolic import ShapeEnv
        env = ShapeEnv()
        n, m = env.create_symbols((10, 20), "x")
        if n * m // n == m and n + 1 < m:
            env.evaluate(n * m, env.bind((3, 4)))
            assert env.accepts((3, 5)) and str(env.guards[0])
        assert "sympy" not in sys.modules and "numpy" not in sys.modules
        env.simplify(n * (m + 1) - m * n)
        assert "sympy" in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_expressions_of_sympy() -> None:
    """Symbols are positive integers in SymPy, where equations can be solved."""
    sympy: Any = import_module("sympy")
    _, (n, m) = sized(10, 20)
    (solution,) = sympy.solve(to_sympy(n * 2 == m - 3), to_sympy(n))
    assert str(solution) == "s1/2 - 3/2"
    assert to_sympy(n).is_integer
    assert to_sympy(n).is_positive
    assert str(to_sympy(n & 1)) == "s0 & 1"


# --- guards ---------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
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


@given(programs, NEAR | SIZES)
def test_guards_are_recorded_once(program: str, sizes: list[int]) -> None:
    """A program that runs again asks nothing new."""
    env, symbols = sized(*sizes)
    run(program, symbols)
    before = list(env.guards)
    run(program, symbols)
    assert env.guards == before
    assert len(set(texts(env))) == len(before)


@pytest.mark.parametrize(
    "condition",
    [
        "n >= 2",
        "n != 0",
        "n != 1",
        "n",
        "n + 1 > n",
        "n * m == m * n",
        "n * m // n == m",
        "(2*n + 4) // 2 == n + 2",
        "(2*n + 1) // 2 == n",
        "6*n % 3 == 0",
        "(3*n + 2) % 3 == 2",
        "n // m >= 0",
        "(n + m) ** 2 == n*n + 2*n*m + m*m",
        "abs(n) == n",
        "sym_max(n, 1) == n",
        "sym_min(n + m, n) == n",
        "sym_min(n, 5) <= 5",
        "1 // n == 0",
        "2*n != 7",
        "-n < 0",
        "n * -1 <= -2",
        "(n > m) | (n > 1)",
        "sym_not((n > m) & (n < 2))",
        "n - 2 * m != 1 - 2 * m",
    ],
)
def test_what_is_so_for_all_sizes_is_no_guard(condition: str) -> None:
    """What follows from sizes being at least 2, or from arithmetic, records nothing."""
    env, (n, m) = sized(10, 20)
    names = {"n": n, "m": m, **{f.__name__: f for f in (sym_max, sym_min, sym_not)}}
    assert bool(eval(condition, names))
    assert texts(env) == []


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (["n == m"], ["m == n", "n - m == 0", "n <= m", "n != m", "n*2 == m + n"]),
        (["n == m", "m == k"], ["n == k", "n*k == m*m"]),
        (
            ["n == m", "n == 10"],
            ["m == 10", "m + n == 20", "n*m == 100", "n // 3 == 3"],
        ),
        (["int(n)"], ["int(n)", "n == 10", "n < 11", "int(n + 1)", "float(n)"]),
        (
            ["n < l"],
            ["l > n", "n + 1 <= l", "2*n < 2*l", "n == l", "n >= l", "n < l + 1"],
        ),
        (["n > 4"], ["n > 3", "n >= 5", "n == 4", "2*n > 9", "n + l > 6"]),
        (["n != 2", "n != 3"], ["n > 3", "n == 3"]),
        (["n >= 10", "n <= 10"], ["n == 10"]),
        (["n + m == l"], ["l - m == n", "l > n", "n + m + 1 > l"]),
        (["n % 5 == 0"], ["n % 5 == 0", "n % 5 < 1"]),
        (["(n < l) & (n < 11)"], ["n < l", "n < 11"]),
        (["(n > l) | (n > 11)"], ["n > l", "n > 11"]),
        (["(n > l) | (n < 11)"], ["(n > l) | (n < 11)"]),
        (["n / 2 < 6"], ["n / 2 < 6"]),
        (["n == m"], ["n // 3 == m // 3", "sym_max(n, m) == n"]),
    ],
)
def test_what_follows_from_guards_is_no_guard(
    first: list[str], then: list[str]
) -> None:
    """What has been answered, or follows from equations and bounds, is not recorded."""
    env, (n, m, k, l) = sized(10, 10, 10, 20)  # noqa: E741
    names = {"n": n, "m": m, "k": k, "l": l, "sym_max": sym_max}
    for condition in first:
        bool(eval(condition, names))
    before = texts(env)
    assert before
    for condition in then:
        bool(eval(condition, names))
    assert texts(env) == before


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("[*range(n)]", "s0 == 3"),
        ("int(n)", "s0 == 3"),
        ("float(n)", "s0 == 3"),
        ("'abcd'[n]", "s0 == 3"),
        ("math.sqrt(n)", "s0 == 3"),
        ("f'{n:03d}'", "s0 == 3"),
        ("int(n / 2)", "s0 / 2 == 1.5"),
        ("int(n == 3)", "s0 == 3"),
        ("'ab'[n > 5]", "s0 <= 5"),
        ("(n > 5) == False", "s0 <= 5"),
        ("2**-n if n > 9 else 2 ** (n - 3)", "s0 <= 9, s0 >= 3"),
    ],
)
def test_what_fixes_a_size_is_a_guard(source: str, text: str) -> None:
    """Where Python wants a plain number, it is that of the example."""
    env, (n,) = sized(3)
    result = eval(source, {"math": math, "n": n})
    assert getattr(result, "hint", result) == eval(source, {"math": math, "n": 3})
    assert ", ".join(texts(env)) == text


def test_guards_know_the_line_that_asked() -> None:
    """A guard names the file and the line of the program, and shows its code."""
    env = ShapeEnv(duck_shape=False)
    (n, _), (m,) = env.create_symbols((10, 3), "x"), env.create_symbols((10,), "y")
    assert n == m  # a comment
    (guard,) = env.guards
    line = f"{__file__}:{guard.line.line}: assert n == m  # a comment"
    assert str(guard) == f"s0 == s2  (x.shape[0] == y.shape[0]), at {line}"
    assert guard.hint == "10 == 10"


def test_guards_know_the_line_of_the_user() -> None:
    """Frames of keyslot, of its kernels and its compiled code, are not the program."""
    env, (n,) = sized(3)
    assert ops.repeat(np.ones(2), [n]).shape == (6,)
    (guard,) = env.guards
    assert guard.line.code == "assert ops.repeat(np.ones(2), [n]).shape == (6,)"


def test_line_of_what_no_file_has() -> None:
    """A line without source is a file and a number."""
    env, (n,) = sized(3)
    exec(compile("n > 4 or n", "<typed>", "exec"), {"n": n})
    assert str(env.guards[0]) == "s0 <= 4  (x.shape[0] <= 4), at <typed>:1"
