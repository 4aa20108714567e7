"""Our Qwen2 forward against transformers' own, and against the formula of its adapters."""

from __future__ import annotations

import pytest
import torch
from transformers import DynamicCache, Qwen2ForCausalLM

from engine.kv_cache import KVCache
from engine.models.adapters import Adapter
from engine.models.base import MASK, Rows, causal
from engine.models.qwen2 import Qwen2

from .tiny_qwen import SHAPE, adapter, body, merged, reference

CLOSE = {"atol": 1e-4, "rtol": 1e-4}
IDS = torch.randint(0, SHAPE.vocabulary, (40,), generator=torch.Generator().manual_seed(1)).tolist()


@pytest.fixture(scope="module")
def model() -> Qwen2ForCausalLM:
    return reference()


def expected_logits(model: Qwen2ForCausalLM, ids: list[int]) -> torch.Tensor:
    with torch.no_grad():
        logits: torch.Tensor = model(torch.tensor([ids])).logits[0]
    return logits


def encode(ours: Qwen2, cache: KVCache, ids: list[int], *, adapted: bool = False) -> torch.Tensor:
    """Prompt rows; returns their hidden states."""
    rows = Rows(ids, range(cache.length, cache.length + len(ids)), 0, 0, causal(len(ids)))
    hidden = ours.forward(rows, cache, adapted=adapted)
    cache.commit_prompt(ids)
    return hidden


@pytest.mark.parametrize("sizes", [[40], [7, 33], [1] * 5 + [35], [16, 16, 8]])
def test_a_prompt_in_chunks_is_the_reference(model: Qwen2ForCausalLM, sizes: list[int]) -> None:
    ours = body(model)
    cache, at, hidden = ours.new_cache(), 0, []
    for size in sizes:
        hidden.append(encode(ours, cache, IDS[at : at + size]))
        at += size
    torch.testing.assert_close(ours.logits(torch.cat(hidden)), expected_logits(model, IDS), **CLOSE)


def test_a_tree_of_rows_is_its_branches_read_one_by_one(model: Qwen2ForCausalLM) -> None:
    """Two canvases after one prompt: a slot of each is committed, then each reads its proposals in one forward."""
    ours = body(model)
    cache = ours.new_cache()
    prompt, branches = IDS[:10], [[11, 12, 13, 14], [21, 22, 23]]
    encode(ours, cache, prompt)
    rejected = 99  # a row of the first forward that is not kept must leave no trace
    visible = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=torch.bool)
    ours.forward(Rows([11, rejected, 21], [10, 11, 10], 3, 0, visible), cache, adapted=False)
    cache.commit([0, 2])
    ids, positions = [12, 13, 14, 22, 23], [11, 12, 13, 11, 12]
    visible = torch.zeros(5, 2 + 5, dtype=torch.bool)
    visible[:3, 0], visible[3:, 1] = True, True
    visible[:3, 2:5], visible[3:, 5:] = causal(3), causal(2)
    logits = ours.logits(ours.forward(Rows(ids, positions, 5, 0, visible), cache, adapted=False))
    for branch, mine in zip(branches, (logits[:3], logits[3:]), strict=True):
        torch.testing.assert_close(mine, expected_logits(model, prompt + branch)[11:], **CLOSE)


def test_causal_rows_read_with_the_first_adapter(model: Qwen2ForCausalLM) -> None:
    low_rank = adapter(1)
    for ours in (body(model, [low_rank]), body(model, [low_rank, adapter(2, mask=True)])):
        hidden = encode(ours, ours.new_cache(), IDS, adapted=True)
        torch.testing.assert_close(ours.logits(hidden), expected_logits(merged(model, low_rank), IDS), **CLOSE)


def test_without_them_adapters_change_nothing(model: Qwen2ForCausalLM) -> None:
    ours = body(model, [adapter(1), adapter(2, mask=True)])
    hidden = encode(ours, ours.new_cache(), IDS, adapted=False)
    torch.testing.assert_close(ours.logits(hidden), expected_logits(model, IDS), **CLOSE)


@pytest.mark.parametrize("masks", [1, 4])
def test_the_canvas_reads_with_the_second_adapter_over_the_first_ones_prefix(
    model: Qwen2ForCausalLM, masks: int
) -> None:
    """Reference: one merged model writes the prefix KV, the other reads masks after it with full attention."""
    infiller, denoiser = adapter(1), adapter(2, rank=3, mask=True)
    ours = body(model, [infiller, denoiser])
    cache = ours.new_cache()
    encode(ours, cache, IDS[:9], adapted=True)
    visible = torch.zeros(1 + masks, 1 + masks, dtype=torch.bool)
    visible[0, 0], visible[1:] = True, True
    rows = Rows([IDS[9]] + [MASK] * masks, range(9, 10 + masks), 1, masks, visible)
    logits = ours.logits(ours.forward(rows, cache, adapted=True))
    torch.testing.assert_close(logits[:1], expected_logits(merged(model, infiller), IDS[:10])[-1:], **CLOSE)
    torch.testing.assert_close(logits[1:], canvas_logits(model, infiller, denoiser, IDS[:10], masks), **CLOSE)


def test_without_the_first_adapter_the_canvas_still_reads_with_the_second(model: Qwen2ForCausalLM) -> None:
    infiller, denoiser = adapter(1), adapter(2, mask=True)
    ours = body(model, [infiller, denoiser])
    cache = ours.new_cache()
    encode(ours, cache, IDS[:9], adapted=False)
    visible = torch.ones(3, 3, dtype=torch.bool)
    visible[0, 1:] = False
    logits = ours.logits(ours.forward(Rows([IDS[9], MASK, MASK], range(9, 12), 1, 2, visible), cache, adapted=False))
    torch.testing.assert_close(logits[:1], expected_logits(model, IDS[:10])[-1:], **CLOSE)
    torch.testing.assert_close(logits[1:], canvas_logits(model, None, denoiser, IDS[:10], 2), **CLOSE)


def canvas_logits(
    model: Qwen2ForCausalLM, infiller: Adapter | None, denoiser: Adapter, prefix: list[int], masks: int
) -> torch.Tensor:
    assert denoiser.mask is not None
    cache = DynamicCache(config=model.config)
    with torch.no_grad():
        (merged(model, infiller) if infiller else model)(torch.tensor([prefix]), cache=cache, use_cache=True)
        logits: torch.Tensor = merged(model, denoiser)(
            inputs_embeds=denoiser.mask.expand(1, masks, -1),
            cache=cache,
            position_ids=torch.arange(len(prefix), len(prefix) + masks)[None],
            attention_mask=torch.zeros(1, 1, masks, len(prefix) + masks),
        ).logits[0]
    return logits


def test_masks_see_their_own_block_only(model: Qwen2ForCausalLM) -> None:
    infiller, denoiser = adapter(1), adapter(2, mask=True)
    ours = body(model, [infiller, denoiser])
    cache = ours.new_cache()
    encode(ours, cache, IDS[:9], adapted=True)
    # Rows: anchor, one proposal, a block after the anchor, a block after the proposal.
    picture = ["#.....", "##....", "#.##..", "#.##..", "##..##", "##..##"]
    visible = torch.tensor([[cell == "#" for cell in line] for line in picture])
    rows = Rows([IDS[9], IDS[10], *[MASK] * 4], [9, 10, 10, 11, 11, 12], 2, 4, visible)
    logits = ours.logits(ours.forward(rows, cache, adapted=True))
    torch.testing.assert_close(logits[2:4], canvas_logits(model, infiller, denoiser, IDS[:10], 2), **CLOSE)
    torch.testing.assert_close(logits[4:], canvas_logits(model, infiller, denoiser, IDS[:11], 2), **CLOSE)


def test_the_short_head_is_the_beginning_of_the_head(model: Qwen2ForCausalLM) -> None:
    ours = body(model, short=50)
    hidden = encode(ours, ours.new_cache(), IDS[:5])
    torch.testing.assert_close(ours.short_logits(hidden), ours.logits(hidden)[:, :50], **CLOSE)
    assert body(model).short_logits(hidden).shape == (5, SHAPE.vocabulary)


def test_int8_is_near_the_reference(model: Qwen2ForCausalLM) -> None:
    ours = body(model, precision="int8")
    hidden = ours.forward(Rows(IDS, range(40), 40, 0, causal(40)), ours.new_cache(), adapted=False)
    expected = expected_logits(model, IDS)
    assert (ours.logits(hidden) - expected).abs().mean() < 0.05 * expected.abs().mean()


def test_int8_rows_are_the_same_whatever_is_proposed_beside_them(model: Qwen2ForCausalLM) -> None:
    """What attention reads may be summed in another order; products with weights are equal bit for bit."""
    ours = body(model, [adapter(1), adapter(2, mask=True)], precision="int8")
    cache = ours.new_cache()
    encode(ours, cache, IDS[:9], adapted=True)
    alone = ours.forward(Rows([IDS[9]], [9], 1, 0, causal(1)), cache, adapted=True)
    visible = causal(8)
    visible[4:, 4:] = True
    visible[4:, 1:4] = False
    rows = Rows([IDS[9], 1, 2, 3, *[MASK] * 4], [9, 10, 11, 12, 10, 11, 12, 13], 4, 4, visible)
    beside = ours.forward(rows, cache, adapted=True)
    torch.testing.assert_close(beside[:1], alone, atol=2e-6, rtol=0)


def test_growing_the_cache_changes_nothing(model: Qwen2ForCausalLM) -> None:
    ours = body(model)
    ids = IDS * 15  # more than the slots a cache begins with
    cache, hidden = ours.new_cache(), []
    for at in range(0, len(ids), 100):
        hidden.append(encode(ours, cache, ids[at : at + 100]))
    torch.testing.assert_close(ours.logits(torch.cat(hidden)), expected_logits(model, ids), **CLOSE)


def test_only_an_adapter_with_a_mask_makes_proposals(model: Qwen2ForCausalLM) -> None:
    assert body(model, [adapter(1), adapter(2, mask=True)]).can_propose
    assert not body(model, [adapter(1)]).can_propose
    assert not body(model).can_propose
