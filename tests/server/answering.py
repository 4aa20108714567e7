"""An engine that gives prepared answers and remembers what it was asked: for tests of the road without LSP."""

from __future__ import annotations

from engine import (
    CancelToken,
    Candidate,
    InfillRequest,
    InfillResult,
    Mode,
    ProgressSink,
    RewriteRequest,
    RewriteResult,
    StopReason,
    SyntaxCheck,
    Usage,
)


class Answering:
    """`texts`: one candidate each, a tuple where there are several holes. `added` is what the check said of each."""

    def __init__(self, *texts: str | tuple[str, ...], stop: StopReason = StopReason.END) -> None:
        self._texts = [(text,) if isinstance(text, str) else text for text in texts]
        self._stop = stop
        self.info = {"model": "prepared"}
        self.infills: list[InfillRequest] = []
        self.rewrites: list[RewriteRequest] = []
        self.added: list[int] = []

    def infill(
        self,
        request: InfillRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> InfillResult:
        """All prepared candidates."""
        self.infills.append(request)
        if cancel is not None:
            cancel.raise_if_cancelled()
        self.added = [check(texts) for texts in self._texts] if check is not None else []
        candidates = tuple(Candidate(texts, self._stop) for texts in self._texts)
        return InfillResult(candidates, "prepared", request.mode or Mode.LOSSLESS, Usage())

    def rewrite(
        self,
        request: RewriteRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> RewriteResult:
        """The first prepared text."""
        self.rewrites.append(request)
        if cancel is not None:
            cancel.raise_if_cancelled()
        self.added = [check(texts) for texts in self._texts] if check is not None else []
        return RewriteResult(self._texts[0][0], self._stop, "prepared", Usage())
