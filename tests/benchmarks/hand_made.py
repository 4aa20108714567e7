"""Hand-made tasks in the two published formats, and an engine that answers them from a script."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine import (
    CancelToken,
    Candidate,
    EngineConfig,
    InfillRequest,
    InfillResult,
    Mode,
    ProgressSink,
    RequestError,
    RewriteRequest,
    RewriteResult,
    StopReason,
    SyntaxCheck,
    Timings,
    Usage,
)

MIDDLE = "    total = a + b\n"


def humaneval_row(problem: int, hole: int = 0) -> dict[str, str]:
    return {
        "task_id": f"SingleLineInfilling/HumanEval/{problem}/L{hole}",
        "entry_point": "add",
        "prompt": f"def add(a, b):\n    # problem {problem}, hole {hole}\n",
        "suffix": "    return total\n",
        "canonical_solution": MIDDLE,
        "test": "\n\ndef check(candidate):\n    assert candidate(1, 2) == 3\n    assert candidate(-1, 1) == 0\n",
    }


def santacoder_row(language: str, prompt: str, middle: str, suffix: str, problem: int = 7) -> dict[str, str]:
    return {
        "name": f"humaneval-HumanEval_{problem}_add.json-L3",
        "language": language,
        "prompt": prompt,
        "suffix": suffix,
        "canonical_solution": middle,
        "tests": "check(add)",
    }


def editeval_row(number: int, context: str = "") -> dict[str, str]:
    return {
        "task_id": f"EditEval/{number}",
        "instruction": "Add b instead of subtracting it.",
        "context": context,
        "input": "def add(a, b):\n    return a - b",
        "output": "def add(a, b):\n    return a + b",
        "test": "def check():\n    assert add(1, 2) == 3",
    }


def humanevalpack_row(part: str, number: int) -> dict[str, str]:
    python = part == "Python"
    return {
        "task_id": f"{part}/{number}",
        "entry_point": "add",
        "prompt": "import math\n\n\ndef add(a, b):\n" if python else "// Adds.\nconst add = (a, b) => {\n",
        "buggy_solution": "    return a - b\n" if python else "  return a - b\n}\n\n",
        "canonical_solution": "    return a + b\n" if python else "  return a + b\n}\n\n",
        "test": "assert add(1, 2) == 3" if python else "console.assert(add(1, 2) === 3)",
    }


def write_rows(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


class AnsweringEngine:
    """Answers by prefix, else with `default`; each infill takes `seconds`, reading the cancel token meanwhile."""

    def __init__(self, answers: Mapping[str, str] | None = None, default: str = MIDDLE, seconds: float = 0.0) -> None:
        self._answers = dict(answers or {})
        self._default = default
        self._seconds = seconds
        self.requests: list[InfillRequest] = []

    @property
    def info(self) -> Mapping[str, str]:
        return {"model": "answering", "digest": "none", "threads": "1", "file": "/somewhere/model.gguf"}

    def infill(
        self,
        request: InfillRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> InfillResult:
        self.requests.append(request)
        until = time.monotonic() + self._seconds
        while time.monotonic() < until:
            (cancel or CancelToken()).raise_if_cancelled()
            time.sleep(0.005)
        text = self._answers.get(request.text[: request.holes[0].start], self._default)
        stop = StopReason.LENGTH if text.endswith("#") else StopReason.END
        usage = Usage(prompt_tokens=20, forwards=2, tokens=6, ms=Timings(encode=3.0, denoise=4.0, total=7.0))
        return InfillResult((Candidate((text,), stop),), "answering", request.mode or Mode.LOSSLESS, usage)

    def rewrite(
        self,
        request: RewriteRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> RewriteResult:
        raise RequestError("this engine only fills holes")


def open_slowly(_: EngineConfig) -> AnsweringEngine:
    """An engine slow enough to be stopped in the middle."""
    return AnsweringEngine(seconds=0.1)
