"""The resolver: which registration a runtime key gets, rule by rule, and why."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyslot.codegen.keyspace import load_keyspace
from keyslot.codegen.problems import Problems
from keyslot.runtime import errors
from keyslot.runtime.resolver import (
    Resolution,
    aliases_serving,
    resolve,
    resolve_table,
)
from keyslot.runtime.space import KeySpace

from .dispatching import cells_reading

ROOT = Path(__file__).parent.parent

NONFUNCTIONAL = "CompositeExplicitAutogradNonFunctional"
EXPLICIT = "CompositeExplicitAutograd"
IMPLICIT = "CompositeImplicitAutograd"


def load(file: str) -> KeySpace:
    """Read a key space of the repository."""
    problems = Problems()
    found = load_keyspace(ROOT / file, file, problems)
    assert found is not None, str(problems)
    return found


SPACE = load("schemas/keys.yaml")
TORCH = load("schemas/torch/keys.yaml")

names = st.sampled_from([*SPACE.keys, *SPACE.aliases])
registrations = st.sets(
    st.one_of(names, st.sampled_from([*SPACE.aliases, "AutogradNumPy", "SparseNumPy"])),
    max_size=8,
)
fallbacks = st.sets(st.sampled_from(SPACE.keys), max_size=5)


def source(registered: set[str], key: str, fallbacks: Container[str] = ()) -> str:
    """Return what supplies a cell of the default space, or the kind of an error."""
    resolution = resolve(SPACE, registered, fallbacks, key)
    return resolution.source or resolution.kind


def test_a_kernel_at_the_key_itself_comes_first() -> None:
    """Rule 1: nothing comes before a kernel registered at the key."""
    everything = {*SPACE.keys, *SPACE.aliases}
    assert resolve(SPACE, everything, everything, "NumPy") == Resolution(
        "kernel", "NumPy", "a kernel is registered at NumPy itself"
    )
    assert source({"Undefined", IMPLICIT}, "Undefined") == "Undefined"


def test_alias_keys_follow_in_their_order() -> None:
    """Rules 2 to 5: of the alias keys that serve a key, the first declared wins."""
    registered = {NONFUNCTIONAL, EXPLICIT, IMPLICIT, "Autograd"}
    assert source(registered, "NumPy") == NONFUNCTIONAL
    assert source(registered, "JAX") == EXPLICIT
    assert source(registered - {NONFUNCTIONAL}, "NumPy") == EXPLICIT
    assert source({IMPLICIT}, "NumPy") == IMPLICIT
    assert source({IMPLICIT, "Autograd"}, "AutogradNumPy") == IMPLICIT
    assert resolve(SPACE, {EXPLICIT}, (), "JAX") == Resolution(
        "kernel", EXPLICIT, "CompositeExplicitAutograd serves JAX"
    )


@pytest.mark.parametrize("alias", [NONFUNCTIONAL, EXPLICIT, IMPLICIT])
def test_composites_serve_calls_without_keys(alias: str) -> None:
    """A composite works for any arguments, so for none as well."""
    assert source({alias}, "Undefined") == alias


def test_other_alias_keys_do_not_serve_undefined() -> None:
    """There is nothing to differentiate or to batch in a call without keys."""
    assert source({"Autograd", "BatchedDecomposition"}, "Undefined") == "missing"


def test_an_implicit_composite_gives_way_to_a_backend_kernel() -> None:
    """Rule 4: a backend's kernel has to be differentiated, not the composition."""
    assert source({IMPLICIT, "NumPy"}, "AutogradJAX") == IMPLICIT
    assert resolve(SPACE, {IMPLICIT, "NumPy"}, (), "AutogradNumPy") == Resolution(
        "missing",
        None,
        "no kernel serves AutogradNumPy, which has no backend fallback;"
        " CompositeImplicitAutograd gives way to the kernel at NumPy",
    )
    with_autograd = {IMPLICIT, "NumPy", "Autograd"}
    assert resolve(SPACE, with_autograd, (), "AutogradNumPy") == Resolution(
        "kernel",
        "Autograd",
        "Autograd serves AutogradNumPy;"
        " CompositeImplicitAutograd gives way to the kernel at NumPy",
    )


def test_an_explicit_composite_counts_as_a_backend_kernel() -> None:
    """Rule 4: CompositeExplicitAutograd makes the implicit one give way everywhere."""
    registered = {IMPLICIT, EXPLICIT}
    assert source(registered, "AutogradNumPy") == "missing"
    assert source(registered, "AutogradOther") == "missing"
    assert source({*registered, "Autograd"}, "AutogradJAX") == "Autograd"


def test_the_nonfunctional_composite_does_not_count_as_one() -> None:
    """Rule 4 asks for CompositeExplicitAutograd alone, as PyTorch does."""
    assert source({IMPLICIT, NONFUNCTIONAL}, "AutogradNumPy") == IMPLICIT


def test_ambiguous_at_autograd_other() -> None:
    """Rule 4: one backend of those behind AutogradOther makes it ambiguous for all."""
    registered = {IMPLICIT, "SparseJAX", "Autograd"}
    assert resolve(SPACE, registered, {"AutogradOther"}, "AutogradOther") == Resolution(
        "ambiguous",
        None,
        "CompositeImplicitAutograd serves AutogradOther, but SparseJAX, one of the"
        " backends behind AutogradOther, has a kernel of its own",
    )


def test_ambiguity_is_asked_before_backend_kernels() -> None:
    """An explicit composite beside the implicit one does not end the ambiguity."""
    registered = {IMPLICIT, EXPLICIT, "SparseJAX", "Autograd"}
    assert source(registered, "AutogradOther") == "ambiguous"


def test_a_kernel_at_autograd_other_decides() -> None:
    """A kernel at AutogradOther itself ends the ambiguity."""
    registered = {IMPLICIT, "SparseJAX", "AutogradOther"}
    assert source(registered, "AutogradOther") == "AutogradOther"


def test_no_ambiguity_without_an_implicit_composite() -> None:
    """Kernels behind AutogradOther alone leave it to the Autograd kernel."""
    assert source({"SparseJAX", "Autograd"}, "AutogradOther") == "Autograd"


def test_batched_decomposition() -> None:
    """Rule 6: the decomposition for batches serves the key Batched and no other."""
    table = resolve_table(SPACE, {"BatchedDecomposition"}, ())
    served = [
        key
        for key, cell in zip(SPACE.keys, table, strict=True)
        if cell.kind != "missing"
    ]
    assert served == ["Batched"]


def test_nested_alias_of_pytorch() -> None:
    """Rule 4: the composite for nested tensors comes before the general one."""
    nested = "CompositeImplicitAutogradNestedTensor"
    registered = {nested, IMPLICIT, "CPU"}
    at = {key: resolve(TORCH, registered, (), key).source for key in TORCH.keys}
    assert at["NestedTensorCUDA"] == at["AutogradNestedTensor"] == nested
    assert at["CUDA"] == at["AutogradCUDA"] == IMPLICIT
    assert at["AutogradCPU"] is None


def test_autograd_keys_that_stand_for_no_backend() -> None:
    """In PyTorch's space the implicit composite never gives way at AutogradHIP."""
    registered = {IMPLICIT, "HIP"}
    assert resolve(TORCH, registered, (), "AutogradHIP").source == IMPLICIT
    assert resolve(TORCH, {IMPLICIT, "XPU"}, (), "AutogradXPU").kind == "missing"


def test_the_backend_fallback_comes_last() -> None:
    """Rule 7: a fallback steps in where no kernel serves the key."""
    assert resolve(SPACE, {"NumPy"}, {"Python"}, "Python") == Resolution(
        "fallback", "Python", "no kernel serves Python, whose backend fallback steps in"
    )
    assert source({IMPLICIT}, "NumPy", {"NumPy"}) == IMPLICIT
    assert source({IMPLICIT, "NumPy"}, "AutogradNumPy", {"AutogradNumPy"}) == (
        "AutogradNumPy"
    )


def test_nothing_at_all() -> None:
    """Rule 8: without registration and fallback the cell is missing, and says so."""
    assert resolve(SPACE, (), (), "Dask") == Resolution(
        "missing", None, "no kernel serves Dask, which has no backend fallback"
    )


def test_alias_keys_have_no_cell() -> None:
    """Only runtime keys are resolved; an alias key is a mistake."""
    with pytest.raises(errors.AliasKeyError) as caught:
        resolve(SPACE, (), (), "Autograd")
    assert str(caught.value).startswith("'Autograd' is an alias key")
    with pytest.raises(errors.UnknownKeyError):
        resolve(SPACE, (), (), "CPU")


def test_aliases_serving() -> None:
    """The alias keys of a cell are known, also those of Undefined."""
    assert aliases_serving(SPACE, "Undefined") == (NONFUNCTIONAL, EXPLICIT, IMPLICIT)
    assert aliases_serving(SPACE, "SparseJAX") == (EXPLICIT, IMPLICIT)
    assert aliases_serving(SPACE, "BackendSelect") == ()


@given(registrations, fallbacks)
def test_a_table_is_its_cells(registered: set[str], fallbacks: set[str]) -> None:
    """The table has one cell for each runtime key, in the order of the keys."""
    cells = [resolve(SPACE, registered, fallbacks, key) for key in SPACE.keys]
    assert list(resolve_table(SPACE, registered, fallbacks)) == cells


@given(registrations, fallbacks)
def test_sources_are_registered(registered: set[str], fallbacks: set[str]) -> None:
    """A cell uses a registration that serves its key, or the fallback of its key."""
    for key, cell in zip(
        SPACE.keys, resolve_table(SPACE, registered, fallbacks), strict=True
    ):
        if cell.kind == "kernel":
            assert cell.source in registered
            assert cell.source in (key, *aliases_serving(SPACE, key))
        elif cell.kind == "fallback":
            assert cell.source == key in fallbacks
        else:
            assert cell.source is None


@given(registrations, fallbacks, names)
def test_cells_reading(registered: set[str], fallbacks: set[str], key: str) -> None:
    """A registration changes no cells but those that are said to read it."""
    without = resolve_table(SPACE, registered - {key}, fallbacks)
    with_it = resolve_table(SPACE, registered | {key}, fallbacks)
    changed = {
        name
        for name, before, after in zip(SPACE.keys, without, with_it, strict=True)
        if before != after
    }
    assert changed <= set(cells_reading(SPACE, key))


def test_cells_reading_are_few() -> None:
    """A backend kernel is read by its own cell and by its autograd key alone."""
    assert cells_reading(SPACE, "NumPy") == ("NumPy", "AutogradNumPy")
    assert cells_reading(SPACE, "SparseNumPy") == ("SparseNumPy", "AutogradOther")
    assert cells_reading(SPACE, "Python") == ("Python",)
    assert cells_reading(SPACE, "BatchedDecomposition") == ("Batched",)
