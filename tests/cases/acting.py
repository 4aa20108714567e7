"""A case acted out before the real server, as an editor would, and what came of it.

complete    ghost text is asked for at the position and the first item accepted. As `Invoked`: a case asks for the
            right text at a place, not whether an unasked suggestion is welcome there (in the middle of a line it is
            not, and the server says `mid-line`). With `messages_at_most` it is asked for five times, as one who types.
rewrite, fim    the command is run without preview; whatever edit the server then sends is applied.
didChange   only what the events say.
initialize  a session; `didChangeConfiguration` with null and {} follows the handshake.

Events are sent at `t` milliseconds, but those less than 5 ms apart in one write, as neither timers nor pipes keep such
times. Requests in races are `Automatic`: editors send them while one types; a position they do not name is the case's,
moved along by what is typed. With an `engine_result` among the events the engine writes nothing before it: one
releases the work it does at that time, `text` replacing the candidate; after the last event nothing is held.

The engine says that it wrote all it wanted; in cases of the kind `cut-off-candidate`, that its tokens ran out.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tests.clients.editor import AnsweredWithError, at, position_of
from tests.clients.reference import ReferenceDocument

from .case import Case
from .session import CaseServer, NotingEditor

Json = Any
_ONE_BREATH_MS = 5
_KEYS = 5
_PROBE = ("file:///cases/probe", "value = \n", at(0, 8))
_FITTING = ("1", "x", '"x"', "x = 1", "x: 1")  # something that may stand at most places
_NO_VERDICT = ("superseded", "not-ready", "engine-fault", "unknown-document", "cancelled")


@dataclass
class Asked:
    """One request of the case."""

    id: Json
    name: Json  # as the case has it
    version: int
    at: float
    answer: Mapping[str, Json] | None = None
    ms: float = 0.0

    @property
    def items(self) -> list[Mapping[str, Json]]:
        """Ghost text in the answer."""
        result = (self.answer or {}).get("result")
        return list(result.get("items", [])) if isinstance(result, dict) else []


@dataclass
class Outcome:
    """What came of a case; `probes` are the further requests that its checks ask for."""

    case: Case
    before: str  # the document when the last request was sent
    document: str
    cursor: Mapping[str, int] | None
    asked: list[Asked] = field(default_factory=list)
    edits: list[Mapping[str, Json]] = field(default_factory=list)  # range and newText
    versions: list[int | None] = field(default_factory=list)  # of the edits
    refused: str = ""  # a reason that is about the candidate
    probes: dict[str, bool] = field(default_factory=dict)
    heard: list[dict[str, Any]] = field(default_factory=list)
    engine: list[dict[str, Any]] = field(default_factory=list)
    log: str = ""
    server_text_is_ours: bool = True
    faults: list[str] = field(default_factory=list)  # wrong whatever is checked


async def act(case: Case, server: CaseServer) -> Outcome:
    """Act one case out; raises `Lost` if the server does not last."""
    editor = server.editor
    heard, logged, engine = server.noted  # by the case before; the first one answers for the handshake too
    editor.impossible.clear()
    editor.applied.clear()
    acting = _Acting(case, server)
    outcome = await acting.run()
    await acting.probe()
    await editor.command("sfumato.debugInformation")  # whatever was on its way has come
    outcome.heard, outcome.engine = editor.heard[heard:], server.asked[engine:]
    outcome.log = server.log[logged:]
    outcome.faults += editor.impossible
    server.noted = len(editor.heard), len(server.log), len(server.asked)
    return outcome


class _Acting:
    def __init__(self, case: Case, server: CaseServer) -> None:
        self._case, self._server = case, server
        self._editor: NotingEditor = server.editor
        position = case.fields.get("position")
        self._document = ReferenceDocument(case.text)
        self._cursor: int | None = None  # where it is worth following
        if case.events and position is not None:
            self._cursor = self._document.offset(position["line"], position["character"])
        self._outcome = Outcome(case, case.text, case.text, position if case.action == "complete" else None)

    async def run(self) -> Outcome:
        """The action itself."""
        case, outcome = self._case, self._outcome
        held = any(event["do"] == "engine_result" for event in case.events)
        stop = "length" if case.fields.get("kind") == "cut-off-candidate" else "end"
        self._server.answer(case.answers, stop, gated=held)
        if case.action == "initialize":
            for settings in (None, {}):
                self._editor.notify("workspace/didChangeConfiguration", {"settings": settings})
        self._editor.open(case.uri, case.text, case.language, case.version)
        if case.events:
            await self._race()
        elif case.action in ("complete", "rewrite", "fim"):
            for _ in range(_KEYS if "messages_at_most" in case.has else 1):
                await self._answered(self._ask(case.version))
        for asked in outcome.asked:
            await self._answered(asked)
        self._accept()
        outcome.refused = await self._reason()
        outcome.server_text_is_ours = await self._agrees()
        return outcome

    def _ask(self, version: int, event: Mapping[str, Json] | None = None) -> Asked:
        """Send the request of the case."""
        event = event or {}
        name = event.get("id", len(self._outcome.asked) + 1)
        text = self._editor.documents[self._case.uri]
        msg_id = f"{self._case.id}-{len(self._outcome.asked)}-{time.monotonic_ns()}"
        self._outcome.before = text
        asked = Asked(msg_id, name, version, time.monotonic())
        self._outcome.asked.append(asked)
        self._editor.ask(*self._request(version, text, event), msg_id=msg_id)
        return asked

    def _request(self, version: int, text: str, event: Mapping[str, Json]) -> tuple[str, Json]:
        case = self._case
        if case.action == "complete":
            position = event.get("position") or case.fields["position"]
            if self._cursor is not None and "position" not in event and version != case.version:
                position = position_of(text, self._cursor)
            self._outcome.cursor = position
            context = {"triggerKind": 2 if case.is_automatic else 1}
            params = {"textDocument": {"uri": case.uri}, "position": position, "context": context}
            return "textDocument/inlineCompletion", params
        arguments = {"uri": case.uri, "version": version}
        if case.action == "fim":
            name, arguments["holes"] = "sfumato.fillHoles", case.holes
        else:
            name, arguments["range"] = "sfumato.rewrite", case.selection
            arguments["instruction"] = case.fields["instruction"]
        return "workspace/executeCommand", {"command": name, "arguments": [arguments]}

    async def _answered(self, asked: Asked) -> None:
        await self._editor.until(lambda: self._editor.answers[asked.id])
        asked.answer = self._editor.answers[asked.id][0]
        asked.ms = (self._editor.arrivals[asked.id] - asked.at) * 1000

    async def _race(self) -> None:
        began = time.monotonic()
        events = self._case.events
        self._editor.hold()
        for before, event in pairwise([None, *events]):
            assert event is not None
            if before is not None and event["t"] - before["t"] >= _ONE_BREATH_MS:
                self._editor.flush()
                await asyncio.sleep(began + event["t"] / 1000 - time.monotonic())
                self._editor.hold()
            if event["do"] == "engine_result":
                self._editor.flush()
                await self._server.release(event.get("text"))
                self._editor.hold()
            else:
                self._happen(event)
        self._editor.flush()
        if any(event["do"] == "engine_result" for event in events):
            self._server.release_all()

    def _happen(self, event: Mapping[str, Json]) -> None:
        if event["do"] == "request":
            self._ask(event.get("version", self._editor.versions[self._case.uri]), event)
        elif event["do"] == "cancel":
            named = [asked.id for asked in self._outcome.asked if asked.name == event["id"]]
            for msg_id in named or [f"nobody-{event['id']}"]:
                self._editor.notify("$/cancelRequest", {"id": msg_id})
        else:
            self._change(event)

    def _change(self, event: Mapping[str, Json]) -> None:
        uri, editor = self._case.uri, self._editor
        changes = event.get("changes") or [{key: event[key] for key in ("range", "text") if key in event}]
        for change in changes:
            self._cursor = self._document.change(change, self._cursor)
        editor.documents[uri] = self._document.text
        editor.versions[uri] = event.get("version", editor.versions[uri] + 1)
        document = {"uri": uri, "version": editor.versions[uri]}
        editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _accept(self) -> None:
        """Accept what the last request brought; edits of commands are applied already."""
        outcome, editor, uri = self._outcome, self._editor, self._case.uri
        for params in editor.applied:
            for change in params["edit"].get("documentChanges", []):
                outcome.versions.append(change["textDocument"]["version"])
                outcome.edits += change["edits"]
        if len(editor.applied) > len([one for one in outcome.asked if self._case.action != "complete"]):
            outcome.faults.append("more edits than requests: an edit is one undo step")
        items = outcome.asked[-1].items if outcome.asked else []
        if items:
            where = items[0]["range"]
            if where["start"]["line"] != where["end"]["line"]:
                outcome.faults.append("the range of ghost text must stay on one line")
            outcome.edits.append({"range": where, "newText": items[0]["insertText"]})
            try:
                outcome.document = editor.accept(uri, items[0])
            except AssertionError as error:
                editor.impossible.append(f"a range that cannot be applied: {error}")
        else:
            outcome.document = editor.documents[uri]

    async def _reason(self) -> str:
        """Why the server made no suggestion, if it said so and the reason is the candidate's or the place's."""
        if self._outcome.edits or not self._outcome.asked:
            return ""
        result = (self._outcome.asked[-1].answer or {}).get("result")
        reason = result.get("refused") if isinstance(result, dict) else None
        if self._case.action == "complete":
            last = (await self._editor.command("sfumato.debugInformation"))["last"]
            reason = last["refused"] if last else None
        return reason if isinstance(reason, str) and reason not in _NO_VERDICT else ""

    async def _agrees(self) -> bool:
        """Whether the server has the same document as the editor; the accepted ghost text is not in it yet."""
        uri = self._case.uri
        if self._editor.applied:  # an editor tells what it changed
            self._editor.versions[uri] += 1
            document = {"uri": uri, "version": self._editor.versions[uri]}
            changes = [{"text": self._editor.documents[uri]}]
            self._editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        told = await self._editor.command("sfumato.debugInformation", {"uri": uri})
        return told["document"] == ReferenceDocument(self._editor.documents[uri]).description(
            self._editor.versions[uri], self._case.language
        )

    async def probe(self) -> None:
        """Further requests, as far as the checks ask for them; then the document is closed."""
        case, outcome = self._case, self._outcome
        self._server.answer(["1"])
        if case.has & {"server_alive", "completes"}:
            uri, text, position = _PROBE
            self._editor.open(uri, text)
            outcome.probes["completes"] = await self._suggests(uri, position)
            self._editor.close(uri)
            outcome.probes["server_alive"] = True  # or else `Lost`
        if "next_request_answers" in case.has:
            position = outcome.cursor or at(0, 0)
            outcome.probes["next_request_answers"] = await self._any_suits(case.uri, position)
        self._editor.close(case.uri)

    async def _any_suits(self, uri: str, position: Json) -> bool:
        for text in _FITTING:
            self._server.answer([text])
            if await self._suggests(uri, position):
                return True
        return False

    async def _suggests(self, uri: str, position: Mapping[str, int]) -> bool:
        try:
            return bool(await self._editor.inline(uri, position["line"], position["character"], kind=1))
        except AnsweredWithError:
            return False
