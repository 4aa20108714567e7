"""How long an editor waits: `python -m benchmarks.latency [--model NAME|PATH] [--out FILE.json]`.

Starts the real server over stdio and types in a file. Definitions: `README.md` beside this file.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from server.cli.editor_client import RequestFailed, ServerGone

from .machine import describe_machine, load_average, memory_of
from .spread import spread
from .typing_session import StartError, TypingSession
from .typist import Place, choose_places, summarise, type_place

SAMPLE = Path(__file__).with_name("samples") / "ledger.py"
SEED = 0
CANCELS = 8
CANCEL_AFTER_S = 0.03


def main(argv: Sequence[str] | None = None, server: Sequence[str] = (sys.executable, "-m", "server")) -> int:
    """Measure and print JSON; 0 done, 1 cannot. `server` is the command that `serve --stdio` is added to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency", description=__doc__)
    parser.add_argument("--model", default="embedded", help="embedded, causal, base, or the path of a GGUF file")
    parser.add_argument("--places", type=int, default=12, help="lines that are typed again (default: 12)")
    parser.add_argument("--keys", type=int, default=6, help="keys typed at each (default: 6)")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="also write the JSON here")
    asked = parser.parse_args(argv)
    command = [*server, "serve", "--stdio", "--model", asked.model]
    try:
        figures = asyncio.run(measure(command, asked.places, asked.keys))
    except (StartError, ServerGone, RequestFailed, OSError) as error:
        print(f"latency: {error}", file=sys.stderr)
        return 1
    report = json.dumps({"model": asked.model, **figures}, indent=2)
    print(report)
    if asked.out:
        asked.out.write_text(report + "\n", encoding="utf-8")
    return 0


async def measure(command: Sequence[str], places: int, keys: int) -> dict[str, object]:
    """One server from its start to its memory when all is done."""
    machine = describe_machine()
    text = SAMPLE.read_text(encoding="utf-8")
    chosen = choose_places(text, places + CANCELS, SEED)
    to_type, to_cancel = chosen[:-CANCELS], chosen[-CANCELS:]
    async with TypingSession.started(command, "python", text) as session:
        ready_s = await session.ready()
        strokes = [stroke for place in to_type for stroke in await type_place(session, text, place, keys)]
        cancelled = [await _cancel(session, text, place) for place in to_cancel]
        memory = memory_of(session.pid)
    return {
        "initialize_ms": session.initialize_ms,
        "ready_s": ready_s,
        "first_completion_ms": strokes[0].answer.ms,
        **summarise(strokes[1:]),
        "cancel_to_idle_ms": spread([ms for ms in cancelled if ms is not None]),
        "memory": memory,
        "machine": machine,
        "load_average_after": load_average(),
    }


async def _cancel(session: TypingSession, text: str, place: Place) -> float | None:
    await session.replace(place.start, place.end, "")
    ms = await session.cancel(place.start, CANCEL_AFTER_S)
    await session.replace(place.start, place.start, text[place.start : place.end])
    return ms


if __name__ == "__main__":
    sys.exit(main())
