"""Key sets behave as Python sets of keys that know their highest member."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyslot.runtime import errors
from keyslot.runtime.keys import KeyEnum
from keyslot.runtime.keyset import KeySet
from keyslot.runtime.space import KeySpace

NAMES = tuple(f"K{number}" for number in range(70))
SPACE = KeySpace(
    name="many",
    keys=("Undefined", *NAMES),
    functionality_of={name: name for name in ("Undefined", *NAMES)},
    aliases={"Low": NAMES[:3], "Ends": (NAMES[0], NAMES[-1])},
)


class ManyKey(KeyEnum):
    """The keys of a space with more keys than a machine word has bits."""

    _ignore_ = "NAME"
    for NAME in ("Undefined", *SPACE.keys[1:], *SPACE.aliases):
        vars()[NAME] = NAME


class ManyKeySet(KeySet[ManyKey]):
    """Sets of these keys."""

    __slots__ = ()
    space = SPACE
    key_type = ManyKey


class OtherKey(KeyEnum):
    """The keys of another space, which happens to use the same names."""

    Undefined = "Undefined"
    K0 = "K0"


class OtherKeySet(KeySet[OtherKey]):
    """Sets of these keys."""

    __slots__ = ()
    space = KeySpace(
        name="other",
        keys=("Undefined", "K0"),
        functionality_of={"Undefined": "Undefined", "K0": "K0"},
    )
    key_type = OtherKey


members = st.sampled_from([ManyKey[name] for name in NAMES])
models = st.sets(members)


def ordered(keys: set[ManyKey]) -> list[ManyKey]:
    """Return keys from low to high."""
    return sorted(keys, key=lambda key: SPACE.index(key))


@given(models, models)
def test_operators_are_those_of_sets(left: set[ManyKey], right: set[ManyKey]) -> None:
    """Union, intersection, difference, equality and hash agree with Python's sets."""
    a, b = ManyKeySet(left), ManyKeySet(right)
    assert set(a | b) == left | right
    assert set(a & b) == left & right
    assert set(a - b) == left - right
    assert (a == b) == (left == right)
    assert (hash(a) == hash(b)) or left != right
    assert len(a) == len(left)
    assert bool(a) == bool(left)


@given(models, members)
def test_order_and_membership(model: set[ManyKey], key: ManyKey) -> None:
    """Iteration, highest, below and ``in`` follow the priorities."""
    keys = ManyKeySet(model)
    assert list(keys) == ordered(model)
    assert keys.highest() is (ordered(model) or [ManyKey["Undefined"]])[-1]
    below = [k for k in ordered(model) if SPACE.index(k) < SPACE.index(key)]
    assert list(keys.below(key)) == below
    assert (key in keys) == (key.name in keys) == (key in model)


@given(models)
def test_round_trips(model: set[ManyKey]) -> None:
    """A set comes back equal from its bits, its names, pickle and copy."""
    keys = ManyKeySet(model)
    assert ManyKeySet.from_bits(keys.bits) == keys
    assert ManyKeySet(key.name for key in model) == keys
    assert pickle.loads(pickle.dumps(keys)) == keys
    assert copy.deepcopy(keys) == copy.copy(keys) == keys


def test_one_key() -> None:
    """One key makes a set, given as member or as string."""
    assert list(ManyKeySet("K3")) == list(ManyKeySet(ManyKey["K3"])) == [ManyKey["K3"]]


def test_alias_keys_expand() -> None:
    """An alias key in the constructor stands for its keys."""
    assert ManyKeySet("Low") == ManyKeySet(["K0", "K1", "K2"])
    assert ManyKeySet([ManyKey["Ends"], "K1"]) == ManyKeySet(["K0", "K1", "K69"])


def test_undefined_is_in_no_set() -> None:
    """Undefined is the absence of keys: it adds nothing, and nothing is below it."""
    assert ManyKeySet("Undefined") == ManyKeySet() == ManyKeySet([])
    assert "Undefined" not in ManyKeySet.full()
    assert ManyKeySet().highest() is ManyKey["Undefined"]
    assert not ManyKeySet.full().below("Undefined")


def test_sets_are_exact() -> None:
    """A set has the keys that were put in and no others, and ``full`` has all."""
    assert list(ManyKeySet(["K69", "K0"])) == [ManyKey["K0"], ManyKey["K69"]]
    assert [key.name for key in ManyKeySet.full()] == list(NAMES)


def test_repr() -> None:
    """A set shows its keys from low to high."""
    assert repr(ManyKeySet(["K9", "K2"])) == "ManyKeySet(K2, K9)"
    assert repr(ManyKeySet()) == "ManyKeySet()"


def test_pickles_by_name() -> None:
    """A pickle names the keys, so that it survives a change of priorities."""
    assert ManyKeySet(["K9", "K2"]).__reduce__() == (ManyKeySet, (("K2", "K9"),))


def test_immutable() -> None:
    """Nothing can be set, deleted or added on a set."""
    keys = ManyKeySet("K1")
    with pytest.raises(AttributeError) as caught:
        keys.bits = 3
    assert str(caught.value) == "ManyKeySet is immutable"
    with pytest.raises(AttributeError) as caught:
        del keys.bits
    assert str(caught.value) == "ManyKeySet is immutable"
    assert not hasattr(keys, "__dict__")
    assert keys.bits == 2


@pytest.mark.parametrize("make", [ManyKeySet, ManyKeySet.from_bits(0).below])
def test_unknown_keys(make: Any) -> None:
    """An unknown key is refused with the nearest names."""
    with pytest.raises(errors.UnknownKeyError) as caught:
        make("K700")
    assert str(caught.value) == "the key space 'many' has no dispatch key 'K700'."


def test_membership_of_wrong_keys() -> None:
    """Asking for an unknown key is a mistake, and so is asking for an alias key."""
    with pytest.raises(errors.UnknownKeyError):
        ManyKeySet().__contains__("Nonsense")
    with pytest.raises(errors.AliasKeyError) as caught:
        ManyKeySet.full().__contains__("Ends")
    assert (
        str(caught.value) == "'Ends' is an alias key and stands for several keys"
        " (K0, K69); name one of them."
    )


def test_keys_of_another_space() -> None:
    """A key of another space is refused, even one of the same name."""
    message = "OtherKey.K0 belongs to another key space than 'many'; keys of two spaces"
    for use in (ManyKeySet, ManyKeySet().below, ManyKeySet().__contains__):
        with pytest.raises(errors.MixedSpacesError) as caught:
            use(OtherKey.K0)
        assert str(caught.value) == f"{message} do not mix."
        assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("operator", ["__or__", "__and__", "__sub__"])
def test_sets_of_two_spaces(operator: str) -> None:
    """Sets of two spaces do not mix, and are never equal."""
    with pytest.raises(errors.MixedSpacesError) as caught:
        getattr(ManyKeySet("K0"), operator)(OtherKeySet("K0"))
    assert (
        str(caught.value) == "OtherKeySet(K0) belongs to another key space than 'many';"
        " keys of two spaces do not mix."
    )
    different: object = OtherKeySet("K0")
    assert ManyKeySet("K0") != different


def test_a_key_is_no_set() -> None:
    """An operator between a set and a key says how to write it."""
    with pytest.raises(TypeError) as caught:
        ManyKeySet("K0") | "K1"  # type: ignore[operator]
    assert (
        str(caught.value) == "a ManyKeySet goes together with another one, not with"
        " str; a single key is ManyKeySet(key)"
    )
