"""One request under way: its cancel token and deadline, and what it has cost so far."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from .cancel import CancelToken, Deadline
from .denoise import Denoising, Strategies, denoise
from .drafting import Filling, Watch, draft_and_verify
from .frame import Frames
from .models.base import CanvasModel, Model, Voice
from .request import ProgressSink, Timings, Usage


@dataclass(frozen=True, slots=True)
class CanvasSetup:
    """A model of canvases, its prompts, how it denoises, and the most positions of a canvas.

    `textless` (vocabulary,) bool: tokens that are no text, which no hole is filled with.
    """

    model: CanvasModel
    frames: Frames
    strategies: Strategies
    longest: int
    textless: Tensor


@dataclass(slots=True, kw_only=True)
class Account:
    """What a request has cost so far; `progress` hears of every step."""

    load_ms: float = 0.0
    progress: ProgressSink | None = None
    prompt_tokens: int = 0
    reused_tokens: int = 0
    forwards: int = 0
    encode_s: float = 0.0
    denoise_s: float = 0.0
    started: float = field(default_factory=time.perf_counter)

    def usage(self, tokens: int) -> Usage:
        """The account, for `tokens` put out."""
        total = (time.perf_counter() - self.started) * 1000 + self.load_ms
        ms = Timings(self.load_ms, self.encode_s * 1000, self.denoise_s * 1000, total)
        return Usage(self.prompt_tokens, self.reused_tokens, self.forwards, tokens, ms)


@dataclass(slots=True)
class Work(Account):
    """Runs a model for one request and keeps the account."""

    model: Model
    cancel: CancelToken
    deadline: Deadline

    def encode(self, prompt: Sequence[int], voice: Voice) -> None:
        """Bring all of the prompt but its last token, the anchor, into the prefix KV."""
        began = time.perf_counter()
        self.reused_tokens += self.model.encode(prompt[:-1], voice, self.cancel, self.deadline)
        self.prompt_tokens += len(prompt)
        self.encode_s += time.perf_counter() - began

    def denoise(self, fillings: Sequence[Filling], voice: Voice, watch: Watch = lambda: None) -> None:
        """Finish the drafts after the encoded prompt."""
        began = time.perf_counter()
        self.forwards += draft_and_verify(self.model, fillings, voice, self.cancel, self.deadline, watch)
        self.denoise_s += time.perf_counter() - began


@dataclass(slots=True)
class CanvasWork(Account):
    """Runs a model of canvases for one request and keeps the account."""

    setup: CanvasSetup
    cancel: CancelToken
    deadline: Deadline

    def encode(self, prompt: Sequence[int]) -> bool:
        """Hold the prompt; returns whether it is held, which a passed deadline prevents."""
        began = time.perf_counter()
        self.reused_tokens += self.setup.model.encode(prompt, self.cancel, self.deadline)
        self.prompt_tokens += len(prompt)
        self.encode_s += time.perf_counter() - began
        return not self.deadline.passed

    def denoise(self, canvases: Sequence[Denoising], watch: Watch = lambda: None) -> None:
        """Denoise the canvases after the encoded prompt."""
        began = time.perf_counter()
        self.forwards += denoise(self.setup.model, canvases, self.cancel, self.deadline, watch)
        self.denoise_s += time.perf_counter() - began

    def step(self, canvases: Sequence[Denoising]) -> None:
        """One step of each."""
        began = time.perf_counter()
        self.cancel.raise_if_cancelled()
        for one, logits in zip(canvases, self.setup.model.denoise([one.shown for one in canvases]), strict=True):
            one.take(logits, self.setup.model.softcap)
        self.forwards += 1
        self.denoise_s += time.perf_counter() - began
