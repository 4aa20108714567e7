"""Does the server stay as it began? `python -m benchmarks.soak [--seconds 3600] [--rate 20] [--out FILE.json]`.

The real server over stdio, the engine's loops around a toy model, asked at a fixed rate whatever it answers: typing,
asking by hand, cancelling, rewriting, filling, closing and opening again. Memory, threads and tasks are looked at all
along; the exit code is 1 if a request stays unanswered or is answered twice, or a thread or task is left.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence

import msgspec

from server.cli.editor_client import RequestFailed

from .latency import SEED
from .machine import memory_of
from .options import positive
from .typing_report import report, report_parser
from .typing_session import AUTOMATIC, CAPABILITIES, Server

TEXT = "def total(items):\n    result = 0\n    for item in items:\n        result += <<hole>>\n    return result\n\n\n"
DOCUMENTS = 8
LONGEST = 4_000  # characters, then a document is opened anew
WHAT = {"type": 70, "by hand": 5, "cancel": 10, "rewrite": 5, "fill": 5, "reopen": 5}  # in a hundred
SAMPLES = 120
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}}


class _Counts(msgspec.Struct):
    """What the debug information says."""

    tasks: int
    threads: int
    documents: int


class _Document:
    """One document, typed into at its end."""

    def __init__(self, uri: str) -> None:
        self.uri, self.version, self.text = uri, 0, ""

    @property
    def end(self) -> dict[str, int]:
        return {"line": self.text.count("\n"), "character": len(self.text) - self.text.rfind("\n") - 1}


class _Soak:
    def __init__(self, server: Server, seed: int) -> None:
        self._server = server
        self._random = random.Random(seed)
        self._documents = [_Document(f"untitled:soak-{number}") for number in range(DOCUMENTS)]
        self.asking: set[asyncio.Task[None]] = set()
        self.outcomes: Counter[str] = Counter()
        self.ms: list[float] = []

    async def open_all(self) -> None:
        for document in self._documents:
            await self._open(document)

    async def step(self) -> None:
        """One request, and what an editor says around it."""
        document = self._random.choice(self._documents)
        if len(document.text) > LONGEST:
            await self._reopen(document)
        what = self._random.choices(list(WHAT), list(WHAT.values()))[0]
        if what == "rewrite":
            arguments = {"uri": document.uri, "range": WHOLE, "instruction": "do it", "preview": True}
            self._ask("workspace/executeCommand", {"command": "sfumato.rewrite", "arguments": [arguments]})
        elif what == "fill":
            arguments = {"uri": document.uri, "preview": True}
            self._ask("workspace/executeCommand", {"command": "sfumato.fillHoles", "arguments": [arguments]})
        else:
            if what == "reopen":
                await self._reopen(document)
            await self._type(document)
            kind = 1 if what == "by hand" else AUTOMATIC
            place = {"textDocument": {"uri": document.uri}, "position": document.end}
            self._ask("textDocument/inlineCompletion", {**place, "context": {"triggerKind": kind}})
            if what == "cancel":
                await asyncio.sleep(self._random.uniform(0, 0.01))
                await self._server.cancel_newest()

    def _ask(self, method: str, params: object) -> None:
        async def ask() -> None:
            began = time.perf_counter()
            try:
                await self._server.request(method, params, msgspec.Raw)
                self.outcomes["answered"] += 1
            except RequestFailed:  # cancelled, in time
                self.outcomes["cancelled"] += 1
            self.ms.append((time.perf_counter() - began) * 1000)

        self.outcomes["asked"] += 1
        task = asyncio.create_task(ask())
        self.asking.add(task)
        task.add_done_callback(self.asking.discard)

    async def _type(self, document: _Document) -> None:
        text = self._random.choice(["x", "x", "x", " = ", "(", "\n", "😀"])
        await self._change(document, document.end, text)

    async def _change(self, document: _Document, place: dict[str, int], text: str) -> None:
        document.version += 1
        document.text += text if text.isascii() else "__"  # as many UTF-16 code units
        named = {"uri": document.uri, "version": document.version}
        change = {"range": {"start": place, "end": place}, "text": text}
        await self._server.notify("textDocument/didChange", {"textDocument": named, "contentChanges": [change]})

    async def _reopen(self, document: _Document) -> None:
        await self._server.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})
        await self._open(document)

    async def _open(self, document: _Document) -> None:
        document.version, document.text = 1, TEXT
        named = {"uri": document.uri, "languageId": "python", "version": 1, "text": TEXT}
        await self._server.notify("textDocument/didOpen", {"textDocument": named})

    async def counts(self) -> _Counts:
        params = {"command": "sfumato.debugInformation"}
        return await self._server.request("workspace/executeCommand", params, _Counts)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print JSON; 0 as it began, 1 not so."""
    parser = report_parser("soak", __doc__)
    parser.add_argument("--seconds", type=positive, default=60, help="how long (default: 60)")
    parser.add_argument("--rate", type=positive, default=20, help="requests a second (default: 20)")
    asked = parser.parse_args(argv)
    figures: dict[str, object] = {}

    async def measure() -> dict[str, object]:
        figures.update(await _measure(asked.seconds, asked.rate))
        return figures

    return report("soak", measure(), asked.out) or int(bool(figures["faults"]))


async def _measure(seconds: int, rate: int) -> dict[str, object]:
    async with Server([sys.executable, "-m", "tests.clients.toy_server"], lambda *_: None) as server:
        options = {"maxTokens": 16, "rewriteMaxTokens": 64}  # the toy would go on and on
        hello = {"processId": None, "capabilities": CAPABILITIES, "initializationOptions": options}
        await server.request("initialize", hello, msgspec.Raw)
        await server.notify("initialized", {})
        soak = _Soak(server, SEED)
        await soak.open_all()
        return await _soaked(soak, server.pid, seconds, rate)


async def _soaked(soak: _Soak, pid: int, seconds: int, rate: int) -> dict[str, object]:
    await soak.step()
    await asyncio.wait(soak.asking)
    idle = await soak.counts()
    began = time.monotonic()
    samples: list[tuple[float, int]] = []
    busiest = _Counts(0, 0, 0)
    for number in range(seconds * rate):
        await asyncio.sleep(began + number / rate - time.monotonic())
        await soak.step()
        if number % max(1, seconds * rate // SAMPLES) == 0:
            samples.append((time.monotonic() - began, memory_of(pid)["resident_bytes"]))
            busiest = max(busiest, await soak.counts(), key=lambda counts: (counts.threads, counts.tasks))
    took = time.monotonic() - began
    if soak.asking:
        await asyncio.wait(soak.asking, timeout=10)
    await asyncio.sleep(1)
    left = await soak.counts()
    return _figures(soak, samples, {"idle": idle, "busiest": busiest, "left": left}, took)


def _figures(
    soak: _Soak, samples: Sequence[tuple[float, int]], counts: dict[str, _Counts], took: float
) -> dict[str, object]:
    later = samples[len(samples) // 2 :]
    slope = statistics.linear_regression(*zip(*later, strict=True)).slope
    faults = []
    if missing := soak.outcomes["asked"] - soak.outcomes["answered"] - soak.outcomes["cancelled"]:
        faults.append(f"{missing} requests without an answer")
    if counts["left"] != counts["idle"]:
        faults.append(f"{counts['idle']} became {counts['left']}")
    return {
        "seconds": round(took, 1),
        "requests": dict(soak.outcomes),
        "per_second": round(soak.outcomes["asked"] / took, 2),
        "p50_ms": round(statistics.median(soak.ms), 1),
        "p99_ms": round(statistics.quantiles(soak.ms, n=100)[98], 1),
        "resident_bytes": {"first": samples[0][1], "middle": later[0][1], "last": samples[-1][1]},
        "second_half_bytes_per_hour": round(slope * 3600),
        "counts": {name: msgspec.structs.asdict(one) for name, one in counts.items()},
        "faults": faults,
    }


if __name__ == "__main__":
    sys.exit(main())
