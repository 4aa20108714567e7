"""The engine: orders the named steps of an infill and of a rewrite. Knows requests, prompts and canvases."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .cancel import CancelToken, Deadline
from .config import EngineConfig
from .errors import RequestError
from .infill import HoleText, fill
from .joint import best_of, fill_all
from .models.base import Model
from .request import (
    Candidate,
    Drafts,
    InfillRequest,
    InfillResult,
    Mode,
    ProgressSink,
    RewriteRequest,
    RewriteResult,
    SyntaxCheck,
)
from .rewriting import rewrite
from .work import Work


class LocalEngine:
    """`engine.Engine` over a model in this process."""

    def __init__(self, model: Model, config: EngineConfig, info: Mapping[str, str], load_ms: float = 0.0) -> None:
        self._model = model
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
        mode = request.mode or (Mode.JOINT if several(request) else Mode.LOSSLESS)
        work = self._work(cancel, request.deadline_s, progress)
        budget = self._config.prompt_tokens
        if mode is Mode.LOSSLESS:
            hole = request.holes[0]
            around = HoleText(request.text[: hole.start], request.text[hole.end :], hole.one_line, hole.wanted)
            filled = fill(work, request, around, budget, [None])
        elif len(request.holes) == 1:
            filled = best_of(work, request, budget, check)
        else:
            whole = fill_all(work, request, budget, check)
            reason = next((one.stop_reason for one in whole if one.stop_reason != "end"), whole[-1].stop_reason)
            joined = Candidate(tuple(one.text for one in whole), reason, sum(one.score for one in whole) / len(whole))
            return InfillResult((joined,), self._config.model, mode, work.usage(sum(one.tokens for one in whole)))
        candidates = tuple(Candidate((one.text,), one.stop_reason, one.score) for one in filled)
        return InfillResult(candidates, self._config.model, mode, work.usage(sum(one.tokens for one in filled)))

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
        if request.drafts is Drafts.DENOISER and not self._model.canvas:
            raise RequestError(f"{self._config.model} has no denoiser to draft with; use other drafts")
        work = self._work(cancel, request.deadline_s, progress)
        new = rewrite(work, request, self._config.prompt_tokens, check)
        return RewriteResult(new.text, new.stop_reason, self._config.model, work.usage(new.tokens))

    def _work(self, cancel: CancelToken | None, deadline_s: float | None, progress: ProgressSink | None) -> Work:
        load_ms, self._load_ms = self._load_ms, 0.0  # the first request is the one that waited for it
        return Work(self._model, cancel or CancelToken(), Deadline(deadline_s), load_ms=load_ms, progress=progress)


def check_holes(request: InfillRequest) -> None:
    """Raise `RequestError` for holes or numbers that make no sense."""
    at = 0
    for hole in request.holes:
        if not at <= hole.start <= hole.end <= len(request.text):
            raise RequestError(
                f"hole {hole.start}:{hole.end} overlaps another, is out of order, or lies outside the text"
                f" of {len(request.text)} characters"
            )
        at = hole.end
    if not request.holes:
        raise RequestError("there is no hole to fill; give at least one")
    if request.max_tokens < 1 or request.candidates < 1:
        raise RequestError("max_tokens and candidates must be 1 or more")
    if request.mode is Mode.LOSSLESS and several(request):
        raise RequestError("lossless fills one hole with one candidate; use joint for more")


def several(request: InfillRequest) -> bool:
    """Whether more than one filling is asked for."""
    return len(request.holes) > 1 or request.candidates > 1


def check_rewrite(request: RewriteRequest) -> None:
    """Raise `RequestError` for a range or numbers that make no sense."""
    if not 0 <= request.start <= request.end <= len(request.text):
        raise RequestError(
            f"range {request.start}:{request.end} lies outside the text of {len(request.text)} characters"
        )
    if not request.instruction.strip():
        raise RequestError("the instruction is empty; say what to change")
    if request.max_tokens < 1 or request.attempt < 0:
        raise RequestError("max_tokens must be 1 or more, attempt 0 or more")
