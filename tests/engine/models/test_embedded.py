"""The embedded family over a tiny random body: prompts in chunks, cancelled and reused, and a cache for each voice."""

from __future__ import annotations

import pytest
import torch

from engine.cancel import CancelToken, Deadline
from engine.errors import Cancelled
from engine.models.base import MASK, Rows, Voice, causal
from engine.models.embedded import PROMPT_CHUNK, QWEN_PROMPTS, EmbeddedModel
from engine.models.toy import toy_tokenizer

from .tiny_qwen import SHAPE, adapter, body, reference

IDS = torch.randint(0, SHAPE.vocabulary, (3 * PROMPT_CHUNK,), generator=torch.Generator().manual_seed(1)).tolist()
REFERENCE = reference()


def opened(*, adapted: bool = True, canvas: int = 4) -> EmbeddedModel:
    adapters = [adapter(1), adapter(2, mask=True)] if adapted else []
    return EmbeddedModel(body(REFERENCE, adapters), toy_tokenizer(), canvas)


def next_logits(model: EmbeddedModel, prompt: list[int], voice: Voice = Voice.INFILL) -> torch.Tensor:
    """What follows a prompt, as the engine reads it: all but the last token encoded, the last one read."""
    model.encode(prompt[:-1], voice, CancelToken())
    return model.read(Rows(prompt[-1:], [len(prompt) - 1], 1, 0, causal(1)), voice).exact


class Counting(CancelToken):
    """Cancels itself after having been read so many times."""

    def __init__(self, reads: int) -> None:
        super().__init__()
        self._left = reads

    def raise_if_cancelled(self) -> None:
        """See `CancelToken`."""
        self._left -= 1
        if self._left < 0:
            self.cancel()
        super().raise_if_cancelled()


def test_a_prompt_is_read_in_chunks_between_which_it_can_be_cancelled() -> None:
    assert PROMPT_CHUNK <= 128
    model = opened()
    with pytest.raises(Cancelled):
        model.encode(IDS, Voice.INFILL, Counting(2))
    assert model.encode(IDS, Voice.INFILL, CancelToken()) == 2 * PROMPT_CHUNK


def test_a_deadline_ends_a_prompt_and_what_was_read_stays() -> None:
    class Second(Deadline):
        """Passes when it is looked at for the second time."""

        looks = 0

        @property
        def passed(self) -> bool:
            self.looks += 1
            return self.looks > 1

    model = opened()
    model.encode(IDS, Voice.INFILL, CancelToken(), Second(None))
    assert model.encode(IDS, Voice.INFILL, CancelToken()) == PROMPT_CHUNK


def test_a_warm_prefix_reads_as_a_fresh_one() -> None:
    warm = opened()
    for change in (200, 150, 10, 0, 230, 299):
        prompt = [*IDS[:change], 7, *IDS[change + 1 : 300]]
        torch.testing.assert_close(next_logits(warm, prompt), next_logits(opened(), prompt), atol=1e-4, rtol=0)
        warm.commit([0], Voice.INFILL)  # an answer that the next prompt must not see


def test_several_warm_prefixes_read_as_fresh_ones() -> None:
    warm = opened()
    places = [[*IDS[:80], *IDS[start : start + 150]] for start in (90, 100, 110, 120)]
    for place in (0, 1, 2, 0, 3, 1, 1, 2):
        torch.testing.assert_close(
            next_logits(warm, places[place]), next_logits(opened(), places[place]), atol=1e-4, rtol=0
        )
        warm.commit([0], Voice.INFILL)
    assert warm.encode(places[1][:-1], Voice.INFILL, CancelToken()) == len(places[1]) - 1


def test_each_voice_has_its_own_weights_and_prefix() -> None:
    model, base = opened(), opened(adapted=False)
    infill, plain = next_logits(model, IDS[:50]), next_logits(model, IDS[:50], Voice.PLAIN)
    assert (infill - plain).abs().max() > 0.1
    torch.testing.assert_close(plain, next_logits(base, IDS[:50]), atol=1e-4, rtol=0)
    torch.testing.assert_close(infill, next_logits(model, IDS[:50]), atol=1e-4, rtol=0)


def test_canvas_rows_are_read_beside_exact_ones() -> None:
    model = opened()
    alone = next_logits(model, IDS[:20])
    visible = torch.ones(4, 4, dtype=torch.bool)
    visible[0, 1:] = False
    reading = model.read(Rows([IDS[19], MASK, MASK, MASK], range(19, 23), 1, 3, visible), Voice.INFILL)
    torch.testing.assert_close(reading.exact, alone, atol=1e-4, rtol=0)
    assert reading.canvas.shape == (3, SHAPE.vocabulary)


def test_a_body_without_a_denoiser_has_no_canvas() -> None:
    assert opened().canvas == 4
    assert opened(canvas=0).canvas == 0
    assert opened(adapted=False).canvas == 0


def test_the_prompts_control_tokens_are_qwens() -> None:
    assert QWEN_PROMPTS.end == {151643, 151645}
    assert (QWEN_PROMPTS.fim_prefix, QWEN_PROMPTS.fim_middle, QWEN_PROMPTS.fim_suffix) == (151659, 151660, 151661)
