"""The differentiable forward against the one that serves, adapters by way of their files."""

from __future__ import annotations

from pathlib import Path

import torch

from engine.adapt.body import Stream
from engine.models.base import MASK, Rows, causal
from tests.engine.models.tiny_qwen import SHAPE

from .tiny_training import random_adapter, serving_body, training_body

CLOSE = {"atol": 1e-4, "rtol": 1e-4}
IDS = torch.randint(0, SHAPE.vocabulary, (40,), generator=torch.Generator().manual_seed(1)).tolist()


def served(folder: Path, ids: list[int]) -> torch.Tensor:
    body = serving_body(folder, random_adapter(1))
    return body.forward(Rows(ids, range(len(ids)), 0, 0, causal(len(ids))), body.new_cache(), adapted=True)


def test_streams_are_read_as_if_each_were_alone(tmp_path: Path) -> None:
    hidden, _ = training_body(random_adapter(1)).read([Stream(IDS), Stream(IDS[5:20])])
    torch.testing.assert_close(hidden[:40], served(tmp_path, IDS), **CLOSE)
    torch.testing.assert_close(hidden[40:], served(tmp_path, IDS[5:20]), **CLOSE)


def test_a_stream_goes_on_from_its_past(tmp_path: Path) -> None:
    ours = training_body(random_adapter(1))
    _, (past, _) = ours.read([Stream(IDS[:25]), Stream(IDS[:3])])
    hidden, _ = ours.read([Stream(IDS[:7]), Stream(IDS[25:], past)])
    torch.testing.assert_close(hidden[7:], served(tmp_path, IDS)[25:], **CLOSE)


def test_canvas_rows_read_with_the_second_adapter(tmp_path: Path) -> None:
    """An anchor, then three open positions that see each other and what stands before."""
    adapters = random_adapter(1), random_adapter(2, denoiser=True)
    body = serving_body(tmp_path, *adapters)
    cache = body.new_cache()
    body.forward(Rows(IDS[:10], range(10), 0, 0, causal(10)), cache, adapted=True)
    cache.commit_prompt(IDS[:10])
    visible = causal(4)
    visible[1:, 1:] = True
    rows = Rows([7, MASK, MASK, MASK], range(10, 14), 1, 3, visible)
    expected = body.forward(rows, cache, adapted=True)
    ours = training_body(*adapters)
    _, (past,) = ours.read([Stream(IDS[:10])])
    seen = torch.cat((torch.ones(4, 10, dtype=torch.bool), visible), dim=1)
    canvas = torch.tensor([False, True, True, True])
    hidden, _ = ours.read([Stream(rows.ids, past, visible=seen, canvas=canvas)])
    torch.testing.assert_close(hidden, expected, **CLOSE)


def test_only_adapters_get_gradients() -> None:
    adapter = random_adapter(1)
    body = training_body(adapter)
    body.logits(body.read([Stream(IDS)])[0]).logsumexp(dim=1).sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in adapter.parameters())


def test_logits_of_some_tokens_are_those_of_all() -> None:
    body = training_body()
    hidden, _ = body.read([Stream(IDS)])
    some = torch.tensor([3, 17, 200])
    torch.testing.assert_close(body.logits(hidden, some), body.logits(hidden)[:, some], **CLOSE)
