"""The denoiser's objective: its rows against serving's, its targets and weights against their definitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch

from engine.adapt.body import Stream
from engine.adapt.denoising import Blocks, DenoiserObjective, lay_blocks
from engine.adapt.examples import Example
from engine.draft import Draft, lay_out
from engine.models.base import MASK, Rows, causal
from tests.engine.models.tiny_qwen import SHAPE

from .tiny_training import random_adapter, serving_body, training_body

IDS = torch.randint(0, 290, (40,), generator=torch.Generator().manual_seed(5)).tolist()
EXAMPLE = Example(IDS, 20, 3, 0, "")
BLOCKS = Blocks(anchors=5, width=4, revealed=0.0)


def test_a_block_is_read_as_serving_reads_its_canvas(tmp_path: Path) -> None:
    """Each block of the flat rows against the engine's own layout after that anchor, in the forward that serves."""
    adapters = random_adapter(1), random_adapter(2, denoiser=True)
    laid = lay_blocks(IDS, 20, BLOCKS, Random(0))
    ours = training_body(*adapters)
    _, (past,) = ours.read([Stream(IDS)])
    canvas = torch.ones(len(laid.ids), dtype=torch.bool)
    hidden, _ = ours.read([Stream(laid.ids, past, laid.positions, laid.visible, canvas)])
    body = serving_body(tmp_path, *adapters)
    for anchor, mine in zip(laid.anchors, hidden.split(4), strict=True):
        cache = body.new_cache()
        body.forward(Rows(IDS[:anchor], range(anchor), 0, 0, causal(anchor)), cache, adapted=True)
        cache.commit_prompt(IDS[:anchor])
        layout = lay_out([Draft.after(IDS[: anchor + 1]).open_after((0,), 4)], ())
        served = body.forward(layout.rows, cache, adapted=True)
        torch.testing.assert_close(mine, served[1:], atol=1e-4, rtol=1e-4)


def test_a_rewrite_is_read_as_serving_reads_it_without_the_infiller(tmp_path: Path) -> None:
    """What the objective reads for an example of an edit, block by block, against the plain voice's forward."""
    adapters = random_adapter(1), random_adapter(2, denoiser=True)
    ours, body = training_body(*adapters), serving_body(tmp_path, *adapters)
    objective = DenoiserObjective(BLOCKS)
    (past,), [likeliest] = objective._causal(ours, [replace(EXAMPLE, plain=True)])
    assert likeliest != objective._causal(ours, [EXAMPLE])[1][0]
    laid = lay_blocks(IDS, 20, BLOCKS, Random(0))
    canvas = torch.ones(len(laid.ids), dtype=torch.bool)
    hidden, _ = ours.read([Stream(laid.ids, past, laid.positions, laid.visible, canvas)])
    for anchor, mine in zip(laid.anchors, hidden.split(4), strict=True):
        cache = body.new_cache()
        body.forward(Rows(IDS[:anchor], range(anchor), 0, 0, causal(anchor)), cache, adapted=False)
        cache.commit_prompt(IDS[:anchor])
        layout = lay_out([Draft.after(IDS[: anchor + 1]).open_after((0,), 4)], ())
        served = body.forward(layout.rows, cache, adapted=False)
        torch.testing.assert_close(mine, served[1:], atol=1e-4, rtol=1e-4)
        assert likeliest[anchor] == int(body.logits(served[:1]).argmax())


def test_blocks_near_the_end_go_on_past_it() -> None:
    laid = lay_blocks(IDS, 20, Blocks(anchors=99, width=4, revealed=1.0), Random(0))
    assert laid.anchors == list(range(19, 39))
    assert laid.positions[-4:] == [39, 40, 41, 42]
    assert laid.ids[-3:] == [MASK] * 3
    assert all(token in (MASK, IDS[place]) for token, place in zip(laid.ids[:-9], laid.positions, strict=False))
    assert 0 < sum(token == MASK for token in laid.ids[:-9]) < len(laid.ids) - 9


def test_targets_and_weights() -> None:
    """What the causal reading says one row further; past the end nothing; less after the text was left."""
    ours = training_body(random_adapter(1), random_adapter(2, denoiser=True))
    objective = DenoiserObjective(BLOCKS)
    losses, weights, _ = objective._read(ours, [EXAMPLE])
    laid = lay_blocks(IDS, 20, BLOCKS, Random(sum(IDS)))
    hidden, (past,) = ours.read([Stream(IDS)])
    likeliest = ours.logits(hidden).argmax(dim=1).tolist()
    canvas = torch.ones(len(laid.ids), dtype=torch.bool)
    drafted, _ = ours.read([Stream(laid.ids, past, laid.positions, laid.visible, canvas)])
    logs = ours.logits(drafted).log_softmax(dim=1)
    for row, place in enumerate(laid.positions):
        anchor, j = laid.anchors[row // 4], row % 4
        assert place == anchor + 1 + j
        if place >= len(IDS):
            assert weights[row] == 0
            continue
        assert losses[row].item() == pytest.approx(-logs[row, likeliest[place]].item(), abs=1e-4)
        on_text = all(likeliest[anchor + i] == IDS[anchor + i + 1] for i in range(j + 1))
        assert weights[row].item() == pytest.approx(0.85**j * (1.0 if on_text else 0.25))


def test_on_text_counts_whole() -> None:
    """A text that the causal reading itself wrote is never left."""
    ours = training_body(random_adapter(1), random_adapter(2, denoiser=True))
    ids = IDS[:10]
    while len(ids) < 30:
        ids.append(int(ours.logits(ours.read([Stream(ids)])[0])[-1].argmax()))
    _, weights, _ = DenoiserObjective(Blocks(anchors=3, width=4))._read(ours, [Example(ids, 15, 3, 0, "")])
    assert weights.view(3, 4)[0].tolist() == pytest.approx([0.85**j for j in range(4)])


def test_rare_targets_are_left_out() -> None:
    ours = training_body(random_adapter(1), random_adapter(2, denoiser=True))
    _, weights, _ = DenoiserObjective(BLOCKS, short=100)._read(ours, [EXAMPLE])
    likeliest = ours.logits(ours.read([Stream(IDS)])[0]).argmax(dim=1).tolist()
    laid = lay_blocks(IDS, 20, BLOCKS, Random(sum(IDS)))
    rare = [place >= len(IDS) or likeliest[place] >= 100 for place in laid.positions]
    assert [weight == 0 for weight in weights.tolist()] == rare


def test_only_the_denoiser_learns_and_it_learns_to_be_accepted() -> None:
    infiller, denoiser = random_adapter(1).requires_grad_(False), random_adapter(2, denoiser=True)
    ours, objective = training_body(infiller, denoiser), DenoiserObjective(Blocks(anchors=8, width=4))
    before = objective.score(ours, [EXAMPLE])
    optimizer = torch.optim.AdamW(denoiser.parameters(), lr=0.02)
    for _ in range(40):
        optimizer.zero_grad()
        objective.loss(ours, [EXAMPLE]).backward()
        optimizer.step()
    after = objective.score(ours, [EXAMPLE])
    assert all(parameter.grad is None for parameter in infiller.parameters())
    assert after.loss < 0.3 * before.loss
    assert after.figures["accepted"] > before.figures["accepted"] + 1


def test_several_examples_are_read_as_each_alone() -> None:
    ours = training_body(random_adapter(1), random_adapter(2, denoiser=True))
    other = Example(IDS[4:33], 12, 3, 0, "")
    objective = DenoiserObjective(BLOCKS)
    both, one, two = (objective._read(ours, each) for each in ([EXAMPLE, other], [EXAMPLE], [other]))
    for together, first, second in zip(both, one, two, strict=True):
        torch.testing.assert_close(together, torch.cat((first, second)), atol=1e-4, rtol=1e-4)
    assert SHAPE.vocabulary > max(IDS)
