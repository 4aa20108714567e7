"""The fused kernel under Triton's interpreter equals its twin, and compiles for real GPUs, without one."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple
from multiprocessing import get_context
from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine.kernels.philox import Draw
from engine.kernels.sampling import Statistics, plain

_HERE = platform.system() == "Linux" and platform.machine() == "x86_64"
pytestmark = pytest.mark.skipif(not _HERE, reason="there is no Triton for this system")
NOTHING = float("-inf")


@pytest.fixture(scope="module")
def interpreter() -> Iterator[ProcessPoolExecutor]:
    """A process whose Triton interprets: it has to be told before Triton is imported."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("TRITON_INTERPRET", "1")
            pool.submit(_fused, torch.zeros(1, 1), 1.0, None, None).result()
        yield pool


def _fused(
    logits: Tensor, temperature: float, softcap: float | None, draw: Draw | None, programs: int = 512
) -> tuple[Tensor, ...]:
    from engine.kernels.sampling_triton import fused

    return astuple(fused(logits, temperature, softcap, draw, programs))


def assert_equal_to_the_twin(
    pool: ProcessPoolExecutor,
    logits: Tensor,
    temperature: float,
    softcap: float | None,
    draw: Draw | None,
    programs: int = 512,
) -> None:
    seen = Statistics(*pool.submit(_fused, logits, temperature, softcap, draw, programs).result())
    assert_near(seen, plain(logits, temperature, softcap, draw))


def assert_near(seen: Statistics, twin: Statistics) -> None:
    assert torch.equal(seen.best, twin.best)
    assert torch.equal(seen.sampled, twin.sampled)
    torch.testing.assert_close(seen.confidence, twin.confidence, rtol=2e-5, atol=0)
    torch.testing.assert_close(seen.best_confidence, twin.best_confidence, rtol=2e-5, atol=0)
    torch.testing.assert_close(seen.entropy, twin.entropy, rtol=0, atol=5e-5)
    torch.testing.assert_close(seen.gap, twin.gap, rtol=0, atol=1e-5)


def noise(rows: int, vocabulary: int, size: float = 4.0) -> Tensor:
    return size * torch.randn(rows, vocabulary, generator=torch.Generator().manual_seed(vocabulary))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("softcap", [None, 3.0])
@pytest.mark.parametrize("draw", [None, Draw(0), Draw((5 << 40) + 3, 11, 200)])
def test_types_caps_and_draws(
    interpreter: ProcessPoolExecutor, dtype: torch.dtype, softcap: float | None, draw: Draw | None
) -> None:
    assert_equal_to_the_twin(interpreter, noise(3, 5003).to(dtype), 0.7, softcap, draw)


@pytest.mark.parametrize("vocabulary", [1, 2, 7, 4095, 4096, 4097, 12_289, 151_936, 262_144])
def test_vocabularies_of_any_size(interpreter: ProcessPoolExecutor, vocabulary: int) -> None:
    assert_equal_to_the_twin(interpreter, noise(1, vocabulary, 2.0).bfloat16(), 0.4, 30.0, Draw(1, 2, 3))


@pytest.mark.parametrize("rows", [0, 1, 5])
@pytest.mark.parametrize("programs", [1, 8, 512])
def test_rows_of_any_number_and_stride(interpreter: ProcessPoolExecutor, rows: int, programs: int) -> None:
    """From a part for each of the five blocks to one part a row, which walks them all."""
    wide = noise(2 * rows + 1, 4 * 4096 + 50)
    assert_equal_to_the_twin(interpreter, wide[: 2 * rows : 2, :-5], 1.0, None, Draw(9), programs)


def test_confident_rows_keep_a_small_entropy(interpreter: ProcessPoolExecutor) -> None:
    """Where denoising stops, at a mean of 0.005: sums of mostly nothing, against fp64."""
    logits = noise(4, 9000)
    logits[torch.arange(4), torch.tensor([0, 4095, 4096, 8999])] = torch.tensor([30.0, 40.0, 60.0, 200.0])
    seen = Statistics(*interpreter.submit(_fused, logits, 1.0, None, None).result())
    told = torch.distributions.Categorical(logits=logits.double()).entropy()
    torch.testing.assert_close(seen.entropy.double(), told, rtol=0, atol=1e-6)


def test_equal_tokens_and_tokens_that_are_ruled_out(interpreter: ProcessPoolExecutor) -> None:
    logits = torch.full((5, 9000), NOTHING)
    logits[0, [5, 4500, 8999]] = 2.0  # equal, in different blocks
    logits[1, [8000, 8001]] = torch.tensor([1.0, 1.0])  # equal, in one block, after one that is ruled out
    logits[2, 4097] = -3.0  # the only one
    logits[3, [7, 8]] = torch.tensor([5.0, 4.0])  # the second beside the first
    logits[4, [7, 8998]] = torch.tensor([4.0, 5.0])  # the second far before the first
    for draw, programs in ((None, 1), (Draw(4), 1), (Draw(4), 512)):
        assert_equal_to_the_twin(interpreter, logits, 0.9, None, draw, programs)
        assert_equal_to_the_twin(interpreter, logits, 0.9, 10.0, draw, programs)


@pytest.mark.parametrize("capability", [80, 90, 120])
@pytest.mark.parametrize(("dtype", "everything"), [("bf16", True), ("fp32", False)])
def test_compiles_for_real_gpus(
    capability: int, dtype: str, everything: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter takes more than the compiler does; Triton brings the assembler that judges."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from engine.kernels.sampling_triton import BLOCK, _read_part

    whole = ("row_stride", "vocabulary", "span", "step", "place")
    signature = {"logits": f"*{dtype}", "numbers": "*fp32", "ids": "*i64", "seed": "i64", **dict.fromkeys(whole, "i32")}
    signature |= dict.fromkeys(("temperature", "softcap"), "fp32")
    constants = {"CAPPED": everything, "DRAWN": everything, "BLOCK": BLOCK}
    source = ASTSource(_read_part, {name: signature.get(name, "constexpr") for name in _read_part.arg_names}, constants)
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": 8})
    assert compiled.asm["cubin"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here; the interpreter stands in for it above")
def test_on_a_gpu() -> None:
    for dtype in (torch.float32, torch.bfloat16):
        logits = noise(16, 151_936).to("cuda", dtype)
        for softcap in (None, 30.0):
            seen = _fused(logits, 0.6, softcap, Draw(1, 2, 3))
            assert_near(Statistics(*seen), plain(logits, 0.6, softcap, Draw(1, 2, 3)))
