"""One request under way: its cancel token and deadline, and what it has cost so far."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from .cancel import CancelToken, Deadline
from .drafting import Filling, Watch, draft_and_verify
from .models.base import Model, Voice
from .request import ProgressSink, Timings, Usage


@dataclass(slots=True)
class Work:
    """Runs a model for one request and keeps the account. `progress` hears of every step."""

    model: Model
    cancel: CancelToken
    deadline: Deadline
    load_ms: float = 0.0
    progress: ProgressSink | None = None
    prompt_tokens: int = 0
    reused_tokens: int = 0
    forwards: int = 0
    encode_s: float = 0.0
    denoise_s: float = 0.0
    started: float = field(default_factory=time.perf_counter)

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

    def usage(self, tokens: int) -> Usage:
        """The account, for `tokens` put out."""
        total = (time.perf_counter() - self.started) * 1000 + self.load_ms
        ms = Timings(self.load_ms, self.encode_s * 1000, self.denoise_s * 1000, total)
        return Usage(self.prompt_tokens, self.reused_tokens, self.forwards, tokens, ms)
