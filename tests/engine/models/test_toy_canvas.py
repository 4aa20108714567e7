"""The toy denoiser of canvases: what it knows, what it has learned of lengths, and that it reads all it is shown."""

from __future__ import annotations

import pytest
import torch

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.models.base import Conditioning, Shown
from engine.models.toy_canvas import Learned, ToyCanvas

TEXT = "a = left + right * 2\n"


def said(toy: ToyCanvas, prefix: str, masks: int, suffix: str) -> list[int]:
    encode = toy.tokenizer.encode
    ids = torch.tensor([*encode(prefix), *[toy.mask] * masks, *encode(suffix)])
    [logits] = toy.denoise([Shown(ids, None)])
    first = len(encode(prefix))
    return logits.argmax(dim=-1).tolist()[first : first + masks]


@pytest.mark.parametrize("learned", Learned)
def test_it_knows_a_run_of_the_right_length(learned: Learned) -> None:
    toy = ToyCanvas([TEXT], learned)
    assert toy.tokenizer.decode(said(toy, "a = ", 4, " + right")) == "left"


def test_it_fills_a_wrong_length_from_both_sides_unless_it_has_learned_better() -> None:
    toy = ToyCanvas([TEXT])
    assert toy.tokenizer.decode(said(toy, "a = ", 6, " + right")) == "lefeft"
    assert toy.tokenizer.decode(said(toy, "a = ", 2, " + right")) == "lt"


def test_it_fills_up_with_end_tokens() -> None:
    toy = ToyCanvas([TEXT], Learned.ENDS)
    [end] = toy.ends
    assert said(toy, "a = ", 6, " + right") == [*toy.tokenizer.encode("left"), end, end]


def test_it_says_where_to_expand_and_what_to_delete() -> None:
    toy = ToyCanvas([TEXT], Learned.LENGTHS)
    assert said(toy, "a = ", 6, " + right") == [*toy.tokenizer.encode("left"), toy.delete, toy.delete]
    assert said(toy, "a = ", 2, " + right") == [*toy.tokenizer.encode("l"), toy.expand]


def test_what_it_says_depends_on_everything_it_is_shown() -> None:
    toy = ToyCanvas()
    ids = torch.tensor([1, toy.mask, 2])

    def reading(shown: Shown, prompt: list[int]) -> torch.Tensor:
        toy.encode(prompt, CancelToken())
        return toy.denoise([shown])[0]

    plain = reading(Shown(ids, None), [5])
    conditioning = Conditioning(plain, 1.0, ids, ids != toy.mask)
    others = [
        reading(Shown(ids, None), [6]),
        reading(Shown(torch.tensor([1, toy.mask, 3]), None), [5]),
        reading(Shown(ids, conditioning), [5]),
    ]
    assert torch.equal(plain, reading(Shown(ids, None), [5]))
    assert not any(torch.equal(plain, other) for other in others)


def test_it_never_proposes_its_mask() -> None:
    assert bool(ToyCanvas().denoise([Shown(torch.tensor([1, 2]), None)])[0][:, ToyCanvas().mask].isneginf().all())


def test_a_prompt_is_reused_and_can_be_cancelled() -> None:
    toy, cancel = ToyCanvas(), CancelToken()
    assert (toy.encode([1, 2, 3], cancel), toy.encode([1, 2, 4], cancel)) == (0, 2)
    cancel.cancel()
    with pytest.raises(Cancelled):
        toy.encode([1], cancel)
