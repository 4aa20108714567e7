"""Which form of the weights is chosen, on made-up machines, and the line for those where none fits."""

from __future__ import annotations

import pytest

from engine.errors import ModelError
from engine.models.fit import Place, Weights, choose, choose_packed

GIB = 1 << 30
PUBLISHED = Weights(experts=22_840_000_000, linear=1_830_000_000, rest=760_000_000)  # the 26B model
ALL = frozenset({"accelerate", "kernels", "bitsandbytes", "compressed_tensors", "torchao"})


def gpu(gib: float, packages: frozenset[str] = ALL, capability: tuple[int, int] = (9, 0)) -> Place:
    """A GPU with so much free."""
    return Place("cuda", "a GPU", int(gib * GIB), packages, capability)


@pytest.mark.parametrize(
    ("gib", "form"), [(141, "bfloat16"), (80, "bfloat16"), (49.5, "bfloat16"), (48, "fp8"), (32, "fp8"), (26.5, "fp8")]
)
def test_the_best_form_that_fits(gib: float, form: str) -> None:
    assert choose(PUBLISHED, 2 * GIB, gpu(gib)).form == form


def test_what_is_said_has_the_numbers() -> None:
    said = choose(PUBLISHED, 2 * GIB, gpu(80)).said
    assert said == "loading in bfloat16: 47.4 GiB of weights and 2.0 GiB to work in; free on a GPU: 80.0 GiB"


def test_a_form_is_not_chosen_without_its_packages_or_on_an_older_gpu() -> None:
    small = Weights(experts=0, linear=10_000_000_000, rest=0)
    assert choose(small, 0, gpu(14, ALL - {"kernels"})).form == "int8"
    assert choose(small, 0, gpu(14, capability=(8, 0))).form == "int8"
    assert choose(small, 0, gpu(8)).form == "int4"


def test_where_nothing_fits_every_form_says_what_it_would_need() -> None:
    with pytest.raises(ModelError) as refused:
        choose(PUBLISHED, 2 * GIB, gpu(24, ALL - {"bitsandbytes"}))
    assert str(refused.value) == (
        "no form of the model's 25.4 billion weights can be loaded on a GPU:"
        " bfloat16 needs 49.4 GiB where 24.0 GiB are free; fp8 needs 26.4 GiB where 24.0 GiB are free;"
        " int8 needs bitsandbytes (pip install bitsandbytes); int4 needs bitsandbytes (pip install bitsandbytes)"
    )


def test_packing_linear_maps_only_does_not_make_a_mixture_of_experts_small() -> None:
    with pytest.raises(ModelError, match=r"int4 needs 46\.9 GiB where 24\.0 GiB are free"):
        choose(PUBLISHED, 2 * GIB, gpu(24), "int4")


def test_a_wanted_form_is_taken_or_refused_never_replaced() -> None:
    assert choose(PUBLISHED, 0, gpu(141), "fp8").form == "fp8"
    with pytest.raises(ModelError, match="bfloat16 needs"):
        choose(PUBLISHED, 0, gpu(32), "bfloat16")
    with pytest.raises(ModelError, match="precision float32 is not offered on a GPU: use bfloat16, fp8, int8, int4"):
        choose(PUBLISHED, 0, gpu(141), "float32")


def test_a_cpu_keeps_the_form_on_disk() -> None:
    small = Weights(0, 1_000_000, 0)
    cpu = Place("cpu", "the CPU", GIB)
    assert choose(small, 0, cpu, plain="float32").form == "float32"
    assert choose(small, 0, cpu, plain="bfloat16").form == "bfloat16"
    assert choose(small, 0, cpu, plain="float16").form == "bfloat16"
    assert choose(small, 0, cpu, "float32").form == "float32"


def test_a_cpu_without_the_memory_is_refused_with_numbers() -> None:
    with pytest.raises(ModelError, match=r"on the CPU: bfloat16 needs 49\.4 GiB where 16\.0 GiB are free"):
        choose(PUBLISHED, 2 * GIB, Place("cpu", "the CPU", 16 * GIB))


def test_where_the_system_does_not_tell_nothing_is_refused_for_memory() -> None:
    assert choose(PUBLISHED, 0, Place("cpu", "the CPU", None)).said.endswith("free on the CPU: unknown")


def test_packed_weights_are_taken_as_they_are() -> None:
    assert choose_packed("compressed-tensors", 15 * GIB, GIB, gpu(24)).form == "compressed-tensors"
    with pytest.raises(ModelError, match=r"compressed-tensors needs 16\.0 GiB where 12\.0 GiB are free"):
        choose_packed("compressed-tensors", 15 * GIB, GIB, gpu(12))
    with pytest.raises(ModelError, match=r"needs compressed-tensors \(pip install compressed-tensors\)"):
        choose_packed("compressed-tensors", 15 * GIB, GIB, gpu(24, frozenset({"accelerate"})))
    with pytest.raises(ModelError, match=r"fp8 needs compute capability 8\.9"):
        choose_packed("fp8", 15 * GIB, GIB, gpu(24, capability=(8, 6)))
    with pytest.raises(ModelError, match="weights packed as modelopt cannot be read; known: fp8, compressed-tensors"):
        choose_packed("modelopt", 15 * GIB, GIB, gpu(24))
    with pytest.raises(ModelError, match="need a GPU"):
        choose_packed("fp8", 15 * GIB, GIB, Place("cpu", "the CPU", 64 * GIB))
