"""What the server itself costs: `python -m benchmarks.server_overhead [--out FILE.json]`.

The real server over stdio, around an engine that answers at once, so that all of an editor's wait is the server's:
protocol, document, context, cleaning, gate. In a small file, a long one, and one of a single huge line.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from .latency import SAMPLE, SEED
from .typing_report import report, typing_parser
from .typing_session import TypingSession
from .typist import Place, choose_places, summarise, type_places

SCRIPT = {"answers": ["value"]}
LINES = 20_000
BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class Document:
    """A file and where it is typed in."""

    name: str
    text: str
    places: tuple[Place, ...]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print JSON; 0 done, 1 cannot."""
    asked = typing_parser("server_overhead", __doc__).parse_args(argv)
    return report("server_overhead", _measure_all(documents(asked.places), asked.keys), asked.out)


def documents(places: int) -> tuple[Document, ...]:
    """A small file, one of 20,000 lines, and one line of 2 MB that is typed in at its end."""
    small = SAMPLE.read_text(encoding="utf-8")
    long = small * (LINES // small.count("\n") + 1)
    wide = "values = [" + "1, " * (BYTES // 3)
    return (
        Document("small_file", small, choose_places(small, places, SEED)),
        Document("long_file", long, choose_places(long, places, SEED)),
        Document("wide_line", wide, (Place(len(wide) - 12, len(wide)),)),
    )


async def _measure_all(documents: Sequence[Document], keys: int) -> dict[str, object]:
    return {document.name: await _measure(document, keys) for document in documents}


async def _measure(document: Document, keys: int) -> dict[str, object]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as script:
        json.dump(SCRIPT, script)
        script.flush()
        command = [sys.executable, "-m", "tests.clients.scripted_server", "--script", script.name]
        async with TypingSession.started(command, "python", document.text) as session:
            await session.ready()
            strokes = await type_places(session, document.text, document.places, keys)
            return {"initialize_ms": session.initialize_ms, **summarise(strokes)}


if __name__ == "__main__":
    sys.exit(main())
