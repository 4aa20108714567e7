"""How long an editor waits: `python -m benchmarks.latency [--model NAME|PATH] [--out FILE.json]`.

Starts the real server over stdio and types in a file. Definitions: `README.md` beside this file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .machine import memory_of
from .spread import spread
from .typing_report import report, typing_parser
from .typing_session import TypingSession
from .typist import Place, choose_places, summarise, type_places

SAMPLE = Path(__file__).with_name("samples") / "ledger.py"
SEED = 0
CANCELS = 8
CANCEL_AFTER_S = 0.03


def main(argv: Sequence[str] | None = None, command: Sequence[str] | None = None) -> int:
    """Measure and print JSON; 0 done, 1 cannot. `command` starts another server than the real one."""
    parser = typing_parser("latency", __doc__)
    parser.add_argument("--model", default="embedded", help="embedded, causal, base, or the path of a GGUF file")
    asked = parser.parse_args(argv)
    real = [sys.executable, "-m", "server", "serve", "--stdio", "--model", asked.model]
    return report("latency", _measure(command or real, asked.model, asked.places, asked.keys), asked.out)


async def _measure(command: Sequence[str], model: str, places: int, keys: int) -> dict[str, object]:
    """One server from its start to its memory when all is done."""
    text = SAMPLE.read_text(encoding="utf-8")
    chosen = choose_places(text, places + CANCELS, SEED)
    to_type, to_cancel = chosen[:-CANCELS], chosen[-CANCELS:]
    async with TypingSession.started(command, "python", text) as session:
        ready_s = await session.ready()
        strokes = await type_places(session, text, to_type, keys)
        cancelled = [await _cancel(session, text, place) for place in to_cancel]
        memory = memory_of(session.pid)
    return {
        "model": model,
        "initialize_ms": session.initialize_ms,
        "ready_s": ready_s,
        "first_completion_ms": strokes[0].answer.ms,
        **summarise(strokes[1:]),
        "cancel_to_idle_ms": spread([ms for ms in cancelled if ms is not None]),
        "memory": memory,
    }


async def _cancel(session: TypingSession, text: str, place: Place) -> float | None:
    await session.replace(place.start, place.end, "")
    ms = await session.cancel(place.start, CANCEL_AFTER_S)
    await session.replace(place.start, place.start, text[place.start : place.end])
    return ms


if __name__ == "__main__":
    sys.exit(main())
