"""An engine that answers what a script says, for tests of everything around the engine. It notes what it was asked.

A script is one JSON object; every key may be left out:
    answers   one a request, the last one for ever: a text, a list of texts (one a hole), or an object with
              texts, candidates (a list of lists), stop, delay_s, drafts, error (a message: raises RuntimeError, or
              the built-in exception that `raises` names),
              gate (a file: waits until it is opened, see `Gates`).
              Or the path of a file that holds such a list, read anew at each request
    models    by model name: {error: a message, fault: a message, raises, delay_s,
              progress: [[stage, done, total], ...]}
    log       a file that gets one JSON line an event, with the time by the monotonic clock
"""

from __future__ import annotations

import builtins
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine import (
    CancelToken,
    Candidate,
    EngineConfig,
    InfillRequest,
    InfillResult,
    Mode,
    ModelError,
    Piece,
    PieceState,
    Progress,
    ProgressSink,
    RewriteRequest,
    RewriteResult,
    StopReason,
    SyntaxCheck,
    Timings,
    Usage,
)

_USAGE = Usage(prompt_tokens=10, reused_tokens=4, forwards=2, tokens=6, ms=Timings(encode=1.0, denoise=2.0, total=3.0))


class Gates:
    """Files with a JSON object a line: what is to be changed of the answer it releases; `open` ends all waiting."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def passed(self, path: str) -> dict[str, Any] | None:
        """What a release says; None as long as there is no new one."""
        lines = Path(path).read_text(encoding="utf-8").splitlines()[self._taken[path] :]
        release: dict[str, Any] | None = json.loads(lines[0]) if lines else None
        if release is None or "open" in release:
            return None if release is None else {}
        self._taken[path] += 1
        return release


class ScriptedEngine:
    """What `engine.Engine` asks for; `asked` counts requests."""

    def __init__(self, script: Mapping[str, Any], model: str = "scripted") -> None:
        self._answers = script.get("answers", [""])
        self._gates = Gates()
        self._log = Path(script["log"]) if "log" in script else None
        self.asked = 0
        self.info = {"model": model, "family": "scripted"}

    def infill(
        self,
        request: InfillRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> InfillResult:
        """The next answer, for every hole the same text if the script gives only one."""
        holes = [[hole.start, hole.end] for hole in request.holes]
        self._note("infill", **asdict(request) | {"holes": holes, "enough": request.enough is not None})
        answer = self._next(cancel, progress, len(holes))
        candidates = answer.get("candidates") or [answer["texts"]]
        if len(candidates[0]) == 1:
            candidates = [texts * len(request.holes) for texts in candidates]
        mode = request.mode or (Mode.LOSSLESS if len(holes) == 1 else Mode.JOINT)
        stop = StopReason(answer.get("stop", "end"))
        filled = tuple(Candidate(tuple(texts), stop) for texts in candidates[: request.candidates])
        return InfillResult(filled, self.info["model"], mode, _USAGE)

    def rewrite(
        self,
        request: RewriteRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> RewriteResult:
        """The next answer."""
        selected = request.text[request.start : request.end]
        self._note("rewrite", **asdict(request) | {"selected": selected})
        answer = self._next(cancel, progress)
        stop = StopReason(answer.get("stop", "end"))
        return RewriteResult(answer["texts"][0], stop, self.info["model"], _USAGE)

    def _next(self, cancel: CancelToken | None, progress: ProgressSink | None, holes: int = 0) -> dict[str, Any]:
        answers = self._answers
        if isinstance(answers, str):
            answers = json.loads(Path(answers).read_text(encoding="utf-8"))
        answer = answers[min(self.asked, len(answers) - 1)]
        self.asked += 1
        if not isinstance(answer, dict):
            answer = {"texts": [answer] if isinstance(answer, str) else answer}
        for draft in answer.get("drafts", ()):
            if progress is not None:
                piece = Piece(PieceState.COMMITTED, draft, len(draft))
                progress(Progress("denoise", text=draft, holes=((piece,),) * holes))
        answer = answer | self._waited(answer, cancel)
        if "error" in answer:
            raise getattr(builtins, answer.get("raises", "RuntimeError"))(answer["error"])
        if "gate" in answer:
            self._note("answered")
        return answer

    def _waited(self, answer: Mapping[str, Any], cancel: CancelToken | None) -> dict[str, Any]:
        """Wait as the answer says; what is to be changed of it by then."""
        until = time.monotonic() + answer.get("delay_s", 0.0)
        release: dict[str, Any] | None = None if "gate" in answer else {}
        while time.monotonic() < until or release is None:
            if cancel is not None and cancel.cancelled:
                self._note("cancelled")
                cancel.raise_if_cancelled()
            time.sleep(0.002)
            release = self._gates.passed(answer["gate"]) if release is None else release
        return release

    def _note(self, event: str, **facts: object) -> None:
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as log:
                log.write(json.dumps({"event": event, "at": time.monotonic(), **facts}) + "\n")


class ScriptedOpening:
    """What `engine.open_engine` is; `opened` lists the models asked for, `engine` is the last one that came of it."""

    def __init__(self, script: Mapping[str, Any]) -> None:
        self._script = script
        self.opened: list[str] = []
        self.engine: ScriptedEngine | None = None

    def __call__(self, config: EngineConfig, *, progress: ProgressSink | None = None) -> ScriptedEngine:
        """Open, slowly or not at all, as the script says of this model."""
        self.opened.append(config.model)
        how = self._script.get("models", {}).get(config.model, {})
        for stage, done, total in how.get("progress", ()):
            if progress is not None:
                progress(Progress(stage, done, total))
            time.sleep(how.get("delay_s", 0.0))
        if "error" in how:
            raise ModelError(how["error"])
        if "fault" in how:
            raise getattr(builtins, how.get("raises", "ValueError"))(how["fault"])
        self.engine = ScriptedEngine(self._script, config.model)
        return self.engine
