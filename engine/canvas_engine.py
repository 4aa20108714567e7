"""The engine over a model of canvases: orders the named steps of an infill and of a rewrite."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .cancel import CancelToken, Deadline
from .canvas_filling import fill
from .canvas_rewriting import rewrite
from .config import EngineConfig
from .engine import check_holes, check_rewrite
from .errors import RequestError
from .infill import Filled
from .request import (
    Candidate,
    Drafts,
    InfillRequest,
    InfillResult,
    Mode,
    ProgressSink,
    RewriteRequest,
    RewriteResult,
    StopReason,
    SyntaxCheck,
)
from .work import CanvasSetup, CanvasWork


class CanvasEngine:
    """`engine.Engine` over a model of canvases in this process. It has no causal reading: `Mode.JOINT` only."""

    def __init__(self, setup: CanvasSetup, config: EngineConfig, info: Mapping[str, str], load_ms: float = 0.0) -> None:
        self._setup = setup
        self._config = config
        self._info = MappingProxyType(dict(info))
        self._load_ms = load_ms

    @property
    def info(self) -> Mapping[str, str]:
        """For people."""
        return self._info

    def infill(
        self,
        request: InfillRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> InfillResult:
        """See `engine.Engine`."""
        check_holes(request)
        if request.mode is Mode.LOSSLESS:
            raise RequestError(f"{self._config.model} has no causal reading to be lossless against; use joint")
        work = self._work(cancel, request.deadline_s, progress)
        filled = fill(work, request, self._config.prompt_tokens)
        tokens = sum(one.tokens for one in filled[0])
        candidates = list({one.texts: one for one in map(_candidate, reversed(filled))}.values())[::-1]
        if check is not None:
            candidates.sort(key=lambda one: check(one.texts))
        return InfillResult(tuple(candidates), self._config.model, Mode.JOINT, work.usage(tokens))

    def rewrite(
        self,
        request: RewriteRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> RewriteResult:
        """See `engine.Engine`."""
        check_rewrite(request)
        if request.drafts is not Drafts.SELECTION:
            raise RequestError(f"{self._config.model} seeds its canvas with the selection; it takes no other drafts")
        work = self._work(cancel, request.deadline_s, progress)
        new = rewrite(work, request, self._config.prompt_tokens, check)
        return RewriteResult(new.text, new.stop_reason, self._config.model, work.usage(new.tokens))

    def _work(self, cancel: CancelToken | None, deadline_s: float | None, progress: ProgressSink | None) -> CanvasWork:
        load_ms, self._load_ms = self._load_ms, 0.0  # the first request is the one that waited for it
        return CanvasWork(
            self._setup, cancel or CancelToken(), Deadline(deadline_s), load_ms=load_ms, progress=progress
        )


def _candidate(filled: list[Filled]) -> Candidate:
    reason = next((one.stop_reason for one in filled if one.stop_reason is not StopReason.END), StopReason.END)
    return Candidate(tuple(one.text for one in filled), reason, sum(one.score for one in filled) / len(filled))
