"""What a model is conditioned on."""

from __future__ import annotations

import torch

from engine.models.base import Conditioning


def test_a_guess_is_what_was_said_and_sure_of_its_pins() -> None:
    """Over more rows than are read at a time, and in the type asked for."""
    logits = (4 * torch.randn(9, 100_000, generator=torch.Generator().manual_seed(0))).bfloat16()
    ids, pinned = torch.arange(9) * 10_000, torch.tensor([False, True, False] * 3)
    guess = Conditioning(logits, 0.6, ids, pinned)
    plain = torch.tanh(logits.float() / 30.0) * 30.0 / 0.6
    for dtype in (torch.float32, torch.bfloat16):
        said = guess.scaled(30.0, dtype)
        assert torch.equal(said[~pinned], plain[~pinned].to(dtype))
        sure = said[pinned].softmax(dim=-1)
        assert torch.equal(sure.argmax(dim=-1), ids[pinned])
        assert (sure.amax(dim=-1) == 1).all()
    assert torch.equal(guess.scaled(None), torch.where(pinned[:, None], guess.scaled(None), logits.float() / 0.6))
