"""Keys and key spaces: names, priorities, aliases, and what is said of a wrong name."""

from __future__ import annotations

import copy
import pickle
from enum import Enum
from pathlib import Path

import pytest

from keyslot.codegen.keyspace import load_keyspace
from keyslot.codegen.problems import Problems
from keyslot.runtime import errors
from keyslot.runtime.keys import KeyEnum
from keyslot.runtime.space import KeySpace

ROOT = Path(__file__).parent.parent


class Color(KeyEnum):
    """A key enum; only its base is of interest."""

    Red = "Red"
    Blue = "Blue"


class Foreign(Enum):
    """An enum of somebody else, such as PyTorch's."""

    NumPy = 3


@pytest.fixture(scope="module")
def space() -> KeySpace:
    """The default key space, from its declaration."""
    problems = Problems()
    file = "schemas/keys.yaml"
    found = load_keyspace(ROOT / file, file, problems)
    assert found is not None, str(problems)
    return found


def test_members_pickle_and_copy_to_themselves() -> None:
    """A key is one object, whatever copies it."""
    assert pickle.loads(pickle.dumps(Color.Red)) is Color.Red
    assert copy.deepcopy(Color.Red) is Color.Red


def test_members_hash_by_identity() -> None:
    """Looking a key up runs no Python code."""
    assert hash(Color.Red) == object.__hash__(Color.Red)
    assert {Color.Red: 1}[Color.Red] == 1
    assert len({Color.Red, Color.Blue}) == 2


def test_members_read_as_they_are_written() -> None:
    """``repr`` and ``str`` of a key are the expression for it."""
    assert repr(Color.Red) == str(Color.Red) == f"{Color.Red}" == "Color.Red"


def test_default_space_has_the_declared_priorities(space: KeySpace) -> None:
    """Keys are ordered by functionality and then by backend."""
    functionalities = list(dict.fromkeys(space.functionality_of.values()))
    assert functionalities == [
        "Undefined",
        "Dense",
        "Sparse",
        "BackendSelect",
        "Python",
        "DynamicLayerBackMode",
        "Functionalize",
        "ADInplaceOrView",
        "AutogradOther",
        "Autograd",
        "Autocast",
        "Batched",
        "PythonTLSSnapshot",
        "DynamicLayerFrontMode",
        "PreDispatch",
        "PythonDispatcher",
    ]
    dense = [key for key in space.keys if space.functionality_of[key] == "Dense"]
    assert dense == list(space.backends)
    assert space.backends == (
        "NumPy",
        "Torch",
        "JAX",
        "CuPy",
        "Dask",
        "PrivateUse1",
        "PrivateUse2",
        "PrivateUse3",
        "Meta",
    )
    assert len(space.keys) == 40


def test_default_space_says_what_arrays_are(space: KeySpace) -> None:
    """Array types of the backends are named without importing their libraries."""
    assert space.array_types["numpy:ndarray"] == "NumPy"
    assert space.array_types["torch:Tensor"] == "Torch"
    assert space.array_types["jaxlib._jax:ArrayImpl"] == "JAX"
    assert space.array_types["cupy:ndarray"] == "CuPy"
    assert space.array_types["dask.array.core:Array"] == "Dask"
    assert space.scalar_types == {"numpy:generic": "NumPy"}
    assert space.array_functionalities == ("Dense", "Autograd")
    assert space.default_backend == "NumPy"


def test_default_state(space: KeySpace) -> None:
    """Without a guard two keys are included, and Autocast is excluded."""
    assert space.included == ("BackendSelect", "ADInplaceOrView")
    assert space.excluded == ("Autocast",)


def test_bits_follow_priority(space: KeySpace) -> None:
    """The highest bit of some keys is the key of highest priority."""
    assert space.bit("Undefined") == 0
    assert space.bit("NumPy") == 1
    assert [space.bit(key) for key in space.keys[1:]] == [1 << i for i in range(39)]
    bits = space.bits(["NumPy", "AutogradNumPy", "BackendSelect"])
    assert space.keys[bits.bit_length()] == "AutogradNumPy"


def test_bits_expand_aliases(space: KeySpace) -> None:
    """An alias key gives the bits of the keys it stands for."""
    assert space.bits(["Autograd"]) == space.bits(space.aliases["Autograd"])


def test_expand(space: KeySpace) -> None:
    """An alias key expands to its keys, a runtime key to itself."""
    assert space.expand("NumPy") == ("NumPy",)
    assert space.expand("Undefined") == ("Undefined",)
    assert space.expand("Autograd")[:2] == ("AutogradOther", "AutogradNumPy")
    assert space.expand("BatchedDecomposition") == ("Batched",)


def test_aliases_of_a_key_come_in_the_order_they_are_tried(space: KeySpace) -> None:
    """The alias keys that serve a key are known, first wins."""
    assert space.aliases_of("NumPy") == (
        "CompositeExplicitAutogradNonFunctional",
        "CompositeExplicitAutograd",
        "CompositeImplicitAutograd",
    )
    assert space.aliases_of("JAX") == (
        "CompositeExplicitAutograd",
        "CompositeImplicitAutograd",
    )
    assert space.aliases_of("AutogradNumPy") == (
        "CompositeImplicitAutograd",
        "Autograd",
    )
    assert space.aliases_of("Python") == ()


def test_keys_of_a_backend(space: KeySpace) -> None:
    """A backend has one key for each functionality that is per backend."""
    assert space.backend_keys("JAX") == ("JAX", "SparseJAX", "AutogradJAX")


@pytest.mark.parametrize("key", ["NumPy", Foreign.NumPy])
def test_names_and_members_are_both_keys(space: KeySpace, key: str | Enum) -> None:
    """A key is a string or anything that has the name of one."""
    assert space.check(key) == "NumPy"
    assert space.index(key) == 1


def test_unknown_key(space: KeySpace) -> None:
    """An unknown key is refused with the nearest names; the error is a LookupError."""
    with pytest.raises(errors.UnknownKeyError) as caught:
        space.check("Numpy")
    assert isinstance(caught.value, LookupError)
    assert (
        str(caught.value) == "the key space 'keyslot' has no dispatch key 'Numpy'."
        " Did you mean NumPy?"
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_alias_where_a_runtime_key_is_needed(space: KeySpace) -> None:
    """An alias key is refused where it could mean several keys."""
    with pytest.raises(errors.AliasKeyError) as caught:
        space.bit("Autograd")
    assert isinstance(caught.value, ValueError)
    assert (
        str(caught.value) == "'Autograd' is an alias key and stands for several keys"
        " (AutogradOther, AutogradNumPy, AutogradTorch, ...); name one of them."
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_what_cannot_be_a_key(space: KeySpace) -> None:
    """Other objects are no keys."""
    with pytest.raises(TypeError) as caught:
        space.check(3)  # type: ignore[arg-type]
    message = "a dispatch key is a member of an enum or a string, not int"
    assert str(caught.value) == message


def test_unknown_backend(space: KeySpace) -> None:
    """An unknown backend is refused with the nearest names."""
    with pytest.raises(errors.UnknownBackendError) as caught:
        space.backend_keys("JAXX")
    assert isinstance(caught.value, LookupError)
    assert (
        str(caught.value) == "the key space 'keyslot' has no backend 'JAXX'."
        " Did you mean JAX? rename_backend gives one of its backends a name of yours."
    )


def test_a_space_cannot_be_changed(space: KeySpace) -> None:
    """The mappings of a space are read-only."""
    with pytest.raises(TypeError):
        space.aliases["New"] = ()  # type: ignore[index]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (("A",), "the first key of 'bad' must be 'Undefined'"),
        ((), "the first key of 'bad' must be 'Undefined'"),
        (("Undefined", "A", "B", "A"), "'bad' names a key twice: A"),
    ],
)
def test_a_space_that_contradicts_itself(keys: tuple[str, ...], message: str) -> None:
    """A space begins with Undefined and names each key once."""
    with pytest.raises(errors.KeySpaceError) as caught:
        KeySpace(name="bad", keys=keys, functionality_of={})
    assert isinstance(caught.value, ValueError)
    assert str(caught.value) == message
