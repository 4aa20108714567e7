"""The real server as a process with the scripted engine in it, and an editor before it that notes all it hears."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.clients.editor import AnsweredWithError, SubprocessEditor

from .case import ABSENT, Case

Json = Any
ANSWER_S = 20.0
_DEFAULT_MODEL = "embedded"


class Lost(Exception):  # noqa: N818 - what became of it
    """The server ended, or does not answer; the message says which."""


class NotingEditor(SubprocessEditor):
    """Keeps every message with the time it came; messages can be held back and then sent in one breath."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.heard: list[dict[str, Any]] = []
        self.arrivals: dict[Json, float] = {}
        self.errors_written: list[bytes] = []
        self.impossible: list[str] = []  # edits that no editor could apply
        self._held: list[bytes] | None = None
        self._gone = False

    def hold(self) -> None:
        """Send nothing until `flush`."""
        self._held = []

    def flush(self) -> None:
        """Send what was held back, in one write."""
        held, self._held = self._held, None
        if held:
            super().send_bytes(b"".join(held))

    def send_bytes(self, data: bytes) -> None:
        if self._held is None:
            super().send_bytes(data)
        else:
            self._held.append(data)

    async def until(self, condition: Callable[[], object], timeout_s: float = ANSWER_S) -> None:
        """Raises `Lost` rather than to wait for a process that ended."""
        try:
            await super().until(lambda: condition() or self._gone, timeout_s)
        except TimeoutError:
            raise Lost(f"no answer within {timeout_s:g} s") from None
        if not condition():
            raise Lost(f"the server ended with {self.process.returncode}")

    def _hear(self, message: dict[str, Any]) -> None:
        self.heard.append(message)
        if "id" in message and "method" not in message:
            self.arrivals.setdefault(message["id"], time.monotonic())
        super()._hear(message)

    def _obey(self, method: str, params: Json) -> Json:
        try:
            return super()._obey(method, params)
        except (AssertionError, KeyError) as error:
            self.impossible.append(f"an edit that cannot be applied: {error}")
            return {"applied": False, "failureReason": str(error)}

    async def _read(self) -> None:
        noting = asyncio.create_task(self._note_errors())
        try:
            await super()._read()
        finally:
            await noting
            await self.process.wait()
            self._gone = True
            await self._tell()

    async def _note_errors(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(65536):
            self.errors_written.append(data)


class CaseServer:
    """One server. What the engine writes next, and when, is told through files."""

    def __init__(self, initialization: Json = ABSENT) -> None:
        self.initialization = initialization
        self.editor = NotingEditor(speculates=True)
        self.noted = (0, 0, 0)  # messages, characters of the log, events of the engine that belong to earlier cases
        self._folder = tempfile.TemporaryDirectory(prefix="sfumato-cases-")
        self._place = Path(self._folder.name)
        self._answers, self._log = self._place / "answers", self._place / "asked"
        self._gates = 0

    async def start(self) -> CaseServer:
        """Start the process and shake hands."""
        self.answer(["1"])
        self._log.touch()
        script = {"answers": str(self._answers), "models": self._models(), "log": str(self._log)}
        (self._place / "script").write_text(json.dumps(script), encoding="utf-8")
        command = (sys.executable, "-m", "tests.clients.scripted_server", "--script", str(self._place / "script"))
        await self.editor.start(*command, env={"SFUMATO_HOME": str(self._place / "home")})
        params = {} if self.initialization == ABSENT else {"initializationOptions": self.initialization}
        try:
            await self.editor.initialize(**params)
        except (Lost, AnsweredWithError) as error:
            log = self.log
            await self.end()
            raise Lost(f"{error} {log[-500:]}".rstrip()) from None
        return self

    def _models(self) -> dict[str, Any]:
        """Any model but the default one is missing, as it is on a machine that was never told of it."""
        named = self.initialization.get("model") if isinstance(self.initialization, dict) else None
        if not isinstance(named, str) or named == _DEFAULT_MODEL:
            return {}
        return {named: {"progress": [["load", 0, 0]], "delay_s": 0.05, "error": f"there is no model {named}"}}

    def answer(self, texts: list[str], stop: str = "end", *, gated: bool = False) -> None:
        """What the engine writes from now on; `gated`: not before it is released."""
        answer: dict[str, Json] = {"texts": texts, "stop": stop}
        if gated:
            self._gates += 1
            self._gate.touch()
            answer["gate"] = str(self._gate)
        new = self._answers.with_suffix(".new")
        new.write_text(json.dumps([answer]), encoding="utf-8")
        new.replace(self._answers)

    @property
    def _gate(self) -> Path:
        return self._place / f"gate{self._gates}"

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the engine noted."""
        return [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]

    async def release(self, text: str | None) -> None:
        """Let the engine end what it works on, if it does; `text` in place of the candidate."""
        if await self._comes_to(working=True):
            self._open({} if text is None else {"texts": [text]})
            await self._comes_to(working=False)

    def release_all(self) -> None:
        """Let the engine answer at once from now on."""
        self._open({"open": True})

    def _open(self, release: Json) -> None:
        with self._gate.open("a", encoding="utf-8") as gate:
            gate.write(json.dumps(release) + "\n")

    async def _comes_to(self, *, working: bool) -> bool:
        """Whether the engine starts, or ends, its work within a second."""
        for _ in range(200):
            events = [note["event"] for note in self.asked]
            begun = sum(event in ("infill", "rewrite") for event in events)
            if (begun > len(events) - begun) == working:
                return True
            await asyncio.sleep(0.005)
        return False

    @property
    def log(self) -> str:
        """The server's log file and what it wrote on standard error."""
        file = self._place / "home" / "log" / "sfumato.log"
        log = file.read_text(encoding="utf-8") if file.exists() else ""
        return log + b"".join(self.editor.errors_written).decode("utf-8", "replace")

    async def end(self) -> None:
        """End the process, by force if it must be."""
        await self.editor.__aexit__()
        self._folder.cleanup()


class Servers:
    """A case finds the server that served the cases before it, as a document does in an editor; a session of its own
    making gets a server of its own. In races the server does not speculate: they count what the engine is asked."""

    def __init__(self) -> None:
        self._shared: dict[bool, CaseServer] = {}

    async def take(self, case: Case, initialization: Json) -> CaseServer:
        """A server for one case."""
        if case.action == "initialize" or any(name.startswith("initializationOptions") for name in case.options):
            return await CaseServer(initialization).start()
        is_race = bool(case.events)
        if is_race not in self._shared:
            self._shared[is_race] = await CaseServer({"speculate": False} if is_race else ABSENT).start()
        return self._shared[is_race]

    async def give_back(self, server: CaseServer, *, is_sound: bool) -> None:
        """End a server that nobody else should meet."""
        shared = [is_race for is_race, one in self._shared.items() if one is server]
        if not shared or not is_sound:
            for is_race in shared:
                del self._shared[is_race]
            await server.end()

    async def close(self) -> None:
        """End what still runs."""
        for server in self._shared.values():
            await server.end()
