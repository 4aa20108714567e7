"""DiffusionGemma in our loop against transformers' own: token for token; its KV after every cut; its batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
import torch
from torch import Generator, Tensor
from transformers import DiffusionGemmaForBlockDiffusion

from engine.cancel import NO_DEADLINE, CancelToken, Deadline
from engine.canvas import Canvas, Gap, Pin
from engine.denoise import Denoising, Strategies, denoise
from engine.errors import Cancelled, ModelError
from engine.models.base import Shown
from engine.models.diffusion_gemma import DiffusionGemma
from engine.models.gemma_tokenizer import GemmaTokenizer
from engine.remask import Renoise
from engine.sampler import TopP
from engine.schedule import Linear
from engine.stopping import StableAndConfident
from engine.unmask import EntropyBound

from .small_gemma import CANVAS, EOS, PAD, TURN_END, WINDOW, settings, small_model, small_tokenizer

ENDS = frozenset({EOS, TURN_END})


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """As many as our model uses here: sums in another order differ in their last bit, and some draws with them."""
    torch.set_num_threads(1)


@cache
def body(calm: float = 1.0) -> DiffusionGemmaForBlockDiffusion:
    return small_model(calm=calm)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> GemmaTokenizer:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    small_tokenizer().save(str(path))
    return GemmaTokenizer.read(path)


@pytest.fixture
def model(tokenizer: GemmaTokenizer) -> DiffusionGemma:
    return DiffusionGemma(body(), tokenizer, ENDS)


def strategies(steps: int, bound: float, confidence: float) -> Strategies:
    return Strategies(Linear(steps), TopP(), EntropyBound(bound), Renoise(), StableAndConfident(1, confidence))


def prompt_of(length: int, seed: int) -> list[int]:
    return torch.randint(6, 400, (length,), generator=Generator().manual_seed(seed)).tolist()


def written(model: DiffusionGemma, prompt: list[int], seed: int, use: Strategies) -> tuple[list[int], int]:
    """At most three canvases, block after block, to the one with an end token; and the forwards."""
    generator = Generator().manual_seed(seed)
    answer: list[int] = []
    forwards = 0
    for _ in range(3):
        model.encode([*prompt, *answer], CancelToken())
        one = Denoising(Canvas.of([Gap(CANVAS)], model.noise, generator), use, generator)
        forwards += denoise(model, [one], CancelToken(), NO_DEADLINE, lambda: None)
        answer += one.filling(0)
        if model.ends & set(answer):
            break
    return answer, forwards


# What transformers' generate() reaches in torch on its way.
from_transformers = pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")


@from_transformers
@pytest.mark.parametrize("length", [3, WINDOW, 29])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("calm", "steps", "bound", "confidence"), [(1.0, 6, 0.1, 0.005), (0.15, 12, 3.0, 1.5), (0.15, 12, 0.1, 0.5)]
)
def test_it_writes_what_transformers_writes(
    tokenizer: GemmaTokenizer, length: int, seed: int, calm: float, steps: int, bound: float, confidence: float
) -> None:
    """Three canvases, so that the window slides past the prompt and past a whole canvas."""
    prompt, use = prompt_of(length, seed), settings(steps, confidence, bound)
    use.eos_token_id = use.pad_token_id = None
    model = DiffusionGemma(body(calm), tokenizer, frozenset())
    torch.manual_seed(seed)
    reference = body(calm).generate(torch.tensor([prompt]), generation_config=use, max_new_tokens=3 * CANVAS)
    model.encode(prompt_of(17, seed + 100), CancelToken())  # a request before it
    answer, forwards = written(model, prompt, seed, strategies(steps, bound, confidence))
    assert answer == reference.sequences[0, length:].tolist()
    assert forwards == round(3 * CANVAS / float(reference.tokens_per_forward))
    assert (forwards < 3 * steps) == (calm < 1), "some canvases must stop early, or this compares less than it says"


@from_transformers
def test_it_stops_at_the_canvas_where_transformers_stops(tokenizer: GemmaTokenizer) -> None:
    use, canvases = settings(4), set()
    use.eos_token_id = list(range(200, 206))  # often enough among random tokens
    model = DiffusionGemma(body(), tokenizer, frozenset(use.eos_token_id))
    for seed in range(8):
        prompt = prompt_of(11, seed)
        torch.manual_seed(seed)
        reference = body().generate(torch.tensor([prompt]), generation_config=use, max_new_tokens=3 * CANVAS)
        answer, _ = written(model, prompt, seed, strategies(4, 0.1, 0.005))
        end = next((at + 1 for at, token in enumerate(answer) if token in model.ends), len(answer))
        assert reference.sequences[0, len(prompt) :].tolist() == answer[:end] + [PAD] * (len(answer) - end)
        canvases.add(len(answer) // CANVAS)
    assert len(canvases) > 1, "some must stop early, or this compares less than it says"


def logits_after(model: DiffusionGemma, prompt: Sequence[int], canvas: Tensor) -> Tensor:
    model.encode(prompt, CancelToken())
    return model.denoise([Shown(canvas, None)])[0]


@pytest.mark.parametrize("kept", [1, 3, WINDOW - 1, WINDOW, WINDOW + 1, 20, 39])
def test_a_kv_that_was_cut_back_says_what_a_fresh_one_says(
    model: DiffusionGemma, tokenizer: GemmaTokenizer, kept: int
) -> None:
    """Cut inside and outside of the window, several times over; prompts longer and shorter than before."""
    canvas = torch.tensor(prompt_of(CANVAS, 9))
    first = prompt_of(40, 1)
    logits_after(model, first, canvas)
    for seed, length in ((2, 45), (3, kept + 1), (4, 60)):
        prompt = [*first[:kept], *prompt_of(length - kept, seed)]
        fresh = logits_after(DiffusionGemma(body(), tokenizer, ENDS), prompt, canvas)
        assert model.encode(prompt, CancelToken()) >= kept
        torch.testing.assert_close(logits_after(model, prompt, canvas), fresh, rtol=0, atol=2e-4)
        assert (fresh - logits_after(model, [*prompt[:-1], 7], canvas)).abs().max() > 0.1, "this would show nothing"


def test_how_much_was_kept_is_told(model: DiffusionGemma) -> None:
    prompt = prompt_of(30, 1)
    assert model.encode(prompt, CancelToken()) == 0
    assert model.encode([*prompt, 9, 9], CancelToken()) == 30
    assert model.encode(prompt[:12], CancelToken()) == 12
    assert model.encode([8, *prompt], CancelToken()) == 0


def test_canvases_of_one_batch_do_not_see_each_other(model: DiffusionGemma) -> None:
    """Of several lengths, with and without what they are conditioned on."""
    model.encode(prompt_of(21, 1), CancelToken())
    generator = Generator().manual_seed(3)
    alone = []
    together = [
        Denoising(Canvas.of([Gap(length), Pin([9, 9])], model.noise, generator), strategies(4, 0.1, 0.005), generator)
        for length in (5, 14, 9)
    ]
    for _ in range(2):
        alone = [model.denoise([one.shown])[0] for one in together]
        said = model.denoise([one.shown for one in together])
        for one, logits, by_itself in zip(together, said, alone, strict=True):
            torch.testing.assert_close(logits, by_itself, rtol=0, atol=2e-4)
            one.take(by_itself, model.softcap)


@from_transformers
def test_a_compiled_decoder_says_the_same(model: DiffusionGemma, tokenizer: GemmaTokenizer) -> None:
    """With the backend that only traces: inductor's own is for a GPU, where none of this was run."""
    compiled = DiffusionGemma(body(), tokenizer, ENDS, backend="eager")
    for length in (21, 30):
        prompt, canvas = prompt_of(length, length), torch.tensor(prompt_of(CANVAS, 9))
        assert torch.equal(logits_after(compiled, prompt, canvas), logits_after(model, prompt, canvas))


def test_a_cancel_and_a_deadline_end_the_encoding_and_what_is_held_is_right(model: DiffusionGemma) -> None:
    cancelled = CancelToken()
    cancelled.cancel()
    prompt = prompt_of(30, 1)
    with pytest.raises(Cancelled):
        model.encode(prompt, cancelled)
    model.encode(prompt, CancelToken(), Deadline(-1))
    assert model.encode(prompt, CancelToken()) == 0
    assert model.encode(prompt, CancelToken()) == 30


@pytest.mark.parametrize("error", [RuntimeError, torch.OutOfMemoryError])
def test_a_forward_that_fails_leaves_no_torn_kv(
    model: DiffusionGemma, tokenizer: GemmaTokenizer, error: type[Exception]
) -> None:
    """Some layers hold the new tokens then, and others do not."""

    def fail(*_: object) -> None:
        raise error

    prompt, canvas = prompt_of(30, 1), torch.tensor(prompt_of(CANVAS, 9))
    model.encode(prompt, CancelToken())
    broken = body().model.encoder.language_model.layers[1].register_forward_pre_hook(fail)
    try:
        with pytest.raises(ModelError if error is torch.OutOfMemoryError else error):
            model.encode([*prompt, 9], CancelToken())
    finally:
        broken.remove()
    fresh = logits_after(DiffusionGemma(body(), tokenizer, ENDS), prompt, canvas)
    assert torch.equal(logits_after(model, prompt, canvas), fresh)


def test_an_encoder_that_reads_both_ways_is_refused(tokenizer: GemmaTokenizer) -> None:
    both = small_model()
    both.config.get_text_config().use_bidirectional_attention = "all"
    with pytest.raises(ModelError, match="reads the prompt both ways"):
        DiffusionGemma(both, tokenizer, ENDS)
