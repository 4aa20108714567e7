"""Lossless with the real model: what the denoiser proposes changes how soon a text is there, never the text."""

from __future__ import annotations

import pytest
import torch

from engine.cancel import CancelToken, Deadline
from engine.choose import Greedy
from engine.config import EngineConfig
from engine.draft import Draft
from engine.drafting import Filling
from engine.ending import AtEnd, AtLength
from engine.engine import LocalEngine
from engine.infill import choose_proposals
from engine.models.base import Rows, Voice, causal
from engine.models.embedded import EmbeddedModel
from engine.models.load import Loaded, free_threads, load
from engine.prompt import infill_prompt
from engine.request import Hole, InfillRequest, InfillResult
from engine.work import Work

from .real_prompts import RealPrompt, real_prompts

pytestmark = pytest.mark.model
TOKENS = 12
FEW = 5  # in fp32, so that 50 prompts take less than four minutes on two cores
CANVAS = 12
FLOAT32, INT8 = EngineConfig(precision="float32"), EngineConfig(precision="int8")


def model_of(loaded: Loaded, canvas: int) -> EmbeddedModel:
    """A model with a prefix KV of its own over shared weights; canvas 0 is the causal family.

    One thread in fp32: on a busy machine two take many times as long, on an idle one they save little.
    """
    threads = 1 if loaded.info["precision"] == "float32" else free_threads()
    return EmbeddedModel(loaded.body, loaded.tokenizer, canvas, threads)


def opened(loaded: Loaded, canvas: int) -> LocalEngine:
    return LocalEngine(model_of(loaded, canvas), EngineConfig(), loaded.info)


def infill(engine: LocalEngine, prompt: RealPrompt, tokens: int = TOKENS, *, one_line: bool = False) -> InfillResult:
    hole = Hole(prompt.offset, prompt.offset, one_line)
    return engine.infill(InfillRequest(prompt.text, (hole,), max_tokens=tokens))


@pytest.fixture(scope="module")
def float32() -> Loaded:
    return load(FLOAT32, lambda _: None)


@pytest.mark.parametrize("tokens", [FEW, pytest.param(TOKENS, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])])
def test_in_float32_every_text_is_the_causal_one(float32: Loaded, tokens: int) -> None:
    model = model_of(float32, CANVAS)
    engine = LocalEngine(model, FLOAT32, float32.info)  # one for both families: a prompt is read once
    forwards = {"causal": 0, "embedded": 0}
    for number, prompt in enumerate(real_prompts(50)):
        model.canvas = 0
        plain = infill(engine, prompt, tokens, one_line=bool(number % 3))
        model.canvas = CANVAS
        sooner = infill(engine, prompt, tokens, one_line=bool(number % 3))
        assert sooner.candidates[0].texts == plain.candidates[0].texts, prompt
        assert sooner.candidates[0].stop_reason == plain.candidates[0].stop_reason, prompt
        assert sooner.usage.tokens == plain.usage.tokens, prompt
        forwards["causal"] += plain.usage.forwards
        forwards["embedded"] += sooner.usage.forwards
    assert forwards["embedded"] < 0.95 * forwards["causal"]  # else nothing was proposed and nothing was tested


def test_a_warm_prefix_gives_the_text_of_a_fresh_one(float32: Loaded) -> None:
    """Unrelated requests, then keystrokes, then a jump back."""
    warm = opened(float32, CANVAS)
    for other in real_prompts(2):
        infill(warm, other, 3)
    text = "def mean(values):\n    total = sum(values)\n    return total / len(values)\n"
    start, end = text.index("total ="), text.index("sum(")
    for offset in (start, start + 3, end, start):
        prompt = RealPrompt("python", text[:offset] + text[text.index("\n    return") :], offset)
        kept, fresh = infill(warm, prompt, 5), infill(opened(float32, CANVAS), prompt, 5)
        assert kept.candidates[0].texts == fresh.candidates[0].texts
        assert kept.usage.reused_tokens > fresh.usage.reused_tokens == 0


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_as_shipped_a_text_differs_only_where_two_tokens_are_as_likely_as_noise() -> None:
    loaded = load(INT8, lambda _: None)
    prompts = real_prompts(300)
    model = model_of(loaded, CANVAS)
    engine = LocalEngine(model, INT8, loaded.info)  # one for both families: a prompt is read once
    differing = []
    for prompt in prompts:
        model.canvas = 0
        plain = infill(engine, prompt)
        model.canvas = CANVAS
        if infill(engine, prompt).candidates[0].texts != plain.candidates[0].texts:
            differing.append(prompt)
    noise = max(noise_of_a_row(loaded, prompt) for prompt in prompts[:40])
    gaps = [gap_where_they_part(loaded, prompt) for prompt in differing]
    print(f"{len(differing)} of {len(prompts)} differ; gaps {gaps}; noise {noise:.4f}")
    assert len(differing) <= len(prompts) // 100
    assert all(gap <= noise for gap in gaps)


def written(loaded: Loaded, canvas: int, prompt: RealPrompt) -> tuple[list[int], tuple[int, ...]]:
    """The prompt's ids and the tokens that were committed after them."""
    model = model_of(loaded, canvas)
    asked = prompt_of(loaded, prompt)
    propose = choose_proposals(model, 1)
    endings = [AtEnd(model.prompts.end), AtLength(TOKENS)]
    filling = Filling(propose(Draft.after(asked[0]), 0, 0, None), Greedy(), propose, endings, asked[1])
    work = Work(model, CancelToken(), Deadline(None))
    work.encode(asked[0], Voice.INFILL)
    work.denoise([filling], Voice.INFILL)
    return asked[0], filling.draft.committed


def prompt_of(loaded: Loaded, prompt: RealPrompt) -> tuple[list[int], bytes]:
    prefix, suffix = prompt.text[: prompt.offset], prompt.text[prompt.offset :]
    made = infill_prompt(loaded.tokenizer, EmbeddedModel.prompts, prefix, suffix, (), INT8.prompt_tokens)
    return made.ids, made.pending


def gap_where_they_part(loaded: Loaded, prompt: RealPrompt) -> float:
    """How much likelier, in logits, the causal engine's token was than the embedded one's."""
    ids, plain = written(loaded, 0, prompt)
    _, sooner = written(loaded, CANVAS, prompt)
    ended = min(EmbeddedModel.prompts.end)
    part = next(at for at in range(TOKENS + 1) if plain[at : at + 1] != sooner[at : at + 1])
    tokens = [(text[part] if part < len(text) else ended) for text in (plain, sooner)]
    logits = read_alone(loaded, [*ids, *plain[:part]])
    return abs(float(logits[tokens[0]] - logits[tokens[1]]))


def read_alone(loaded: Loaded, ids: list[int]) -> torch.Tensor:
    model = model_of(loaded, 0)
    model.encode(ids[:-1], Voice.INFILL, CancelToken())
    return model.read(Rows(ids[-1:], [len(ids) - 1], 1, 0, causal(1)), Voice.INFILL).exact[0]


def noise_of_a_row(loaded: Loaded, prompt: RealPrompt) -> float:
    """How far the gap of its two likeliest tokens moves when a row is read beside others, after another chunking."""
    ids, _ = prompt_of(loaded, prompt)
    alone = read_alone(loaded, ids)
    model = model_of(loaded, CANVAS)
    model.encode(ids[: len(ids) // 2], Voice.INFILL, CancelToken())
    model.encode(ids[:-1], Voice.INFILL, CancelToken())
    rows = Rows([ids[-1]] * 9, range(len(ids) - 1, len(ids) + 8), 9, 0, causal(9))
    beside = model.read(rows, Voice.INFILL).exact[0]
    first, second = alone.topk(2).indices.tolist()
    return abs(float((alone[first] - alone[second]) - (beside[first] - beside[second])))
