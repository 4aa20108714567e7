"""The twin: equal to the textbook in fp64, drawn as the softmax says, and without a copy of the logits."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import Tensor

from engine.kernels.philox import Draw, gumbel
from engine.kernels.sampling import Statistics, statistics

_TYPES = [torch.float32, torch.float16, torch.bfloat16]


def logits_of(rows: int, vocabulary: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    return (4 * torch.randn(rows, vocabulary, generator=torch.Generator().manual_seed(seed))).to(dtype)


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize(("temperature", "softcap"), [(1.0, None), (0.4, None), (0.8, 5.0)])
def test_equal_to_the_textbook(dtype: torch.dtype, temperature: float, softcap: float | None) -> None:
    logits = logits_of(9, 60_001, dtype)  # several chunks of several rows
    draw = Draw(7, 8, 9)
    seen = statistics(logits, temperature=temperature, softcap=softcap, draw=draw)
    z = logits.double()
    z = (z if softcap is None else softcap * torch.tanh(z / softcap)) / temperature
    told = torch.distributions.Categorical(logits=z)
    top = z.topk(2).values
    assert torch.equal(z.gather(1, seen.best[:, None])[:, 0], top[:, 0])
    assert torch.equal(seen.sampled, (z.float() + gumbel(draw, range(9), 60_001)).argmax(dim=1))
    torch.testing.assert_close(seen.entropy.double(), told.entropy(), rtol=0, atol=2e-5)
    torch.testing.assert_close(seen.confidence.double(), told.log_prob(seen.sampled).exp(), rtol=1e-5, atol=0)
    torch.testing.assert_close(seen.best_confidence.double(), told.log_prob(seen.best).exp(), rtol=1e-5, atol=0)
    torch.testing.assert_close(seen.gap.double(), top[:, 0] - top[:, 1], rtol=0, atol=1e-5)


def test_without_a_draw_the_likeliest_is_taken() -> None:
    seen = statistics(logits_of(4, 50))
    assert torch.equal(seen.sampled, seen.best)
    assert torch.equal(seen.confidence, seen.best_confidence)


def test_of_equal_tokens_the_lowest() -> None:
    seen = statistics(torch.tensor([[0.0, 3.0, 1.0, 3.0]]))
    assert (seen.best.tolist(), seen.gap.tolist()) == ([1], [0.0])


def test_tokens_that_are_ruled_out() -> None:
    nothing = float("-inf")
    seen = statistics(torch.tensor([[nothing, 2.0, nothing, 2.0, nothing], [nothing, nothing, 1.0, nothing, nothing]]))
    assert seen.best.tolist() == [1, 2]
    assert seen.entropy.tolist() == pytest.approx([0.693147, 0.0])
    assert seen.best_confidence.tolist() == [0.5, 1.0]
    assert seen.gap.tolist() == [0.0, float("inf")]
    drawn = [statistics(torch.tensor([[nothing, 2.0, nothing, 2.0]]), draw=Draw(seed)).sampled for seed in range(40)]
    assert {int(one) for one in drawn} == {1, 3}


def test_a_softcap_does_not_let_in_what_is_ruled_out() -> None:
    """tanh(-inf) is -1: with a low cap, the drawn token would be a forbidden one half of the time."""
    logits = torch.tensor([[float("-inf")] * 50 + [-20.0]])
    assert statistics(logits, softcap=1.0).best_confidence.tolist() == [1.0]
    assert {int(statistics(logits, softcap=1.0, draw=Draw(seed)).sampled) for seed in range(20)} == {50}


def test_drawn_as_often_as_the_softmax_says() -> None:
    told = torch.tensor([0.5, 0.25, 0.15, 0.09, 0.01])
    times = 20_000
    drawn = statistics((2 * told.log()).expand(times, -1).contiguous(), temperature=2.0, draw=Draw(3)).sampled
    spread = (told * (1 - told) / times).sqrt()
    assert ((drawn.bincount(minlength=5) / times - told).abs() < 4 * spread).all()


def test_a_row_does_not_depend_on_the_others() -> None:
    logits = logits_of(30, 20_011, torch.bfloat16)
    whole = statistics(logits, draw=Draw(5, place=100))
    alone = statistics(logits[17:18], draw=Draw(5, place=117))
    assert_same(alone, Statistics(*(getattr(whole, name)[17:18] for name in Statistics.__slots__)))


def test_rows_of_any_stride_and_number() -> None:
    wide = logits_of(6, 300)
    assert_same(statistics(wide[::2, :200]), statistics(wide[::2, :200].contiguous()))
    assert statistics(wide[:0]).best.shape == (0,)
    assert statistics(wide[:, :1]).best_confidence.tolist() == [1.0] * 6


def test_logits_stay_as_they_are() -> None:
    logits = logits_of(3, 100)
    before = logits.clone()
    statistics(logits, temperature=0.5, softcap=3.0, draw=Draw(1))
    assert torch.equal(logits, before)


def test_what_makes_no_sense_is_refused() -> None:
    for wrong in (torch.zeros(5), torch.zeros(2, 0), torch.zeros(5, 2).T):
        with pytest.raises(ValueError, match="rows of a vocabulary"):
            statistics(wrong)
    for temperature in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="temperature"):
            statistics(torch.zeros(1, 2), temperature=temperature)


_MEASURED = """
import resource, torch
from engine.kernels.philox import Draw
from engine.kernels.sampling import plain

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux counts kilobytes

torch.set_num_threads(1)
logits = torch.ones(64, 262_144, dtype=torch.bfloat16)
plain(logits[:2], 0.8, 30.0, Draw(1))  # what torch needs the first time
before = peak()
plain(logits, 0.8, 30.0, Draw(1))
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count resident memory in other units")
def test_no_copy_of_the_logits_is_made() -> None:
    """64 rows of 262,144 tokens are 67 MB in fp32; what is held beside them must not grow with the rows."""
    run = subprocess.run([sys.executable, "-c", _MEASURED], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 16e6


def assert_same(one: Statistics, other: Statistics) -> None:
    for name in Statistics.__slots__:
        assert torch.equal(getattr(one, name), getattr(other, name)), name
