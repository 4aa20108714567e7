"""Whatever a client sends, the real server has the same text as it, stays up, and answers each request exactly once."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.clients.editor import SubprocessEditor
from tests.clients.reference import ReferenceDocument

Json = Any
EDITS = 20  # an example
TEXTS = st.text(st.sampled_from("ab é日😀🏴\t\n\r\f\v\x1c\x85\u2028\u2029\ufeff"), max_size=12)
PIECES = st.one_of(TEXTS, st.sampled_from(["", "\r\n", "\r\n\r\n", "\n\r", "👨‍👩‍👧", "def f():\n    return 1\n"]))
SCRIPT = {"answers": [{"texts": ["value"], "delay_s": 0.003}]}
FAR = 1_000_000


def fuzz(examples: int) -> settings:
    """Deadlines mean nothing on a shared machine; a function-scoped server would be one for all examples anyway."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))


class Wire:
    """A server process, a loop to speak to it from, and its editor. What failed meets a new one when tried again."""

    def __init__(self, encoding: str, script: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._encoding, self._script = encoding, script
        self._opened = 0
        self.run(self._start())

    async def _start(self) -> None:
        self.editor = SubprocessEditor(self._encoding)
        command = (sys.executable, "-m", "tests.clients.scripted_server", "--script", str(self._script))
        await self.editor.start(*command, env={"SFUMATO_HOME": str(self._script.parent)})
        await self.editor.initialize()

    @contextmanager
    def sound(self) -> Iterator[None]:
        """Start another server if this one turns out not to be."""
        try:
            yield
        except BaseException:  # pytest's own failures too
            self.run(self.editor.__aexit__())
            self.run(self._start())
            raise

    def run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run to its end."""
        self._loop.run_until_complete(coroutine)

    def fresh_uri(self) -> str:
        """Of a document nobody spoke of before."""
        self._opened += 1
        return f"untitled:fuzz-{self._opened}"

    def end(self) -> None:
        """Shut down; the server must still be there to do so, and must go in order."""

        async def leave() -> None:
            assert await self.editor.leave() == 0

        self.run(leave())
        self._loop.close()


@pytest.fixture(scope="module", params=["utf-8", "utf-16", "utf-32"])
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    script = tmp_path_factory.mktemp("fuzz") / "script.json"
    script.write_text(json.dumps(SCRIPT))
    wire = Wire(request.param, script)
    yield wire
    wire.end()


# Documents


@st.composite
def places(draw: st.DrawFn, document: ReferenceDocument) -> dict[str, int]:
    """A position an editor could mean: at the border of a character, or past the end of its line or of the text."""
    lines = document.lines
    line = draw(st.integers(0, len(lines)))
    if line == len(lines):
        return {"line": line, "character": draw(st.integers(0, 3))}
    content = lines[line][0]
    at = draw(st.integers(0, len(content) + 1))
    return {"line": line, "character": FAR if at > len(content) else document.units(content[:at])}


@st.composite
def changes(draw: st.DrawFn, document: ReferenceDocument) -> dict[str, Json]:
    """One content change; now and then the whole text."""
    text = draw(PIECES)
    if draw(st.integers(0, 19)) == 0:
        return {"text": text}
    ends = sorted([draw(places(document)), draw(places(document))], key=lambda end: document.offset(**end))
    return {"range": {"start": ends[0], "end": ends[1]}, "text": text}


def check_edits(wire: Wire, data: st.DataObject, edits: int) -> None:
    """Edits, several to a message now and then, told to the server and to the reference."""
    document = ReferenceDocument(data.draw(PIECES), wire.editor.encoding)
    opened, messages = document.text, []
    while edits > 0:
        message = []
        for _ in range(min(edits, data.draw(st.sampled_from([1, 1, 1, 2, 3])))):
            message.append(data.draw(changes(document)))
            document.change(message[-1])
        messages.append(message)
        edits -= len(message)

    async def compare() -> None:
        uri = wire.fresh_uri()
        wire.editor.open(uri, opened)
        for version, message in enumerate(messages, 2):
            named = {"uri": uri, "version": version}
            wire.editor.notify("textDocument/didChange", {"textDocument": named, "contentChanges": message})
        told = await wire.editor.command("sfumato.debugInformation", {"uri": uri})
        assert told["document"] == document.description(len(messages) + 1, "python")
        wire.editor.close(uri)

    with wire.sound():
        wire.run(compare())


@fuzz(10)
@given(data=st.data())
def test_the_server_has_the_editors_text(wire: Wire, data: st.DataObject) -> None:
    check_edits(wire, data, EDITS)


@pytest.mark.slow
@fuzz(200)
@given(data=st.data())
def test_the_server_has_the_editors_text_after_ten_thousand_edits(wire: Wire, data: st.DataObject) -> None:
    """200 examples in each of three encodings, 20 edits each: 12,000."""
    check_edits(wire, data, EDITS)


# Messages

JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1, 9), st.floats(allow_nan=False), st.text("aé😀", max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["uri", "range", "textDocument", "position", "token", "id"]), inner, max_size=3
        ),
    ),
    max_leaves=6,
)
METHODS = st.sampled_from(
    [
        "textDocument/inlineCompletion",
        "textDocument/codeAction",
        "workspace/executeCommand",
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didClose",
        "workspace/didChangeConfiguration",
        "window/workDoneProgress/cancel",
        "$/cancelRequest",
        "$/setTrace",
        "initialize",
        "initialized",
        "sfumato/unheard-of",
        "",
    ]
)
FRAMES = st.sampled_from(
    [
        *(b"{", b"[]", b"null", b'"a"', b"\xff\xfe", b"{}", b'{"jsonrpc": "1.0"}', b"[" * 100_000),
        *(b'{"jsonrpc": "2.0", "id": [1], "method": "a"}', b'{"jsonrpc": "2.0", "id": null, "method": "shutdown"}'),
    ]
)
OPERATIONS = st.sampled_from(
    [
        *("open", "close", "change", "complete", "complete", "complete", "rewrite", "fill", "actions", "cancel"),
        *("unknown fields", "junk request", "junk notification", "broken frame", "stray answer"),
    ]
)


class Chatter:
    """What an editor says, one thing after another, and what it must get an answer to."""

    def __init__(self, wire: Wire, data: st.DataObject) -> None:
        self._data = data
        self._uris = [wire.fresh_uri() for _ in range(2)]
        self._named = wire.fresh_uri
        self.frames: list[bytes] = []
        self.asked: dict[Json, Json] = {}  # requests by id
        self.broken = 0

    def say(self, what: str) -> None:
        """One message more."""
        draw = self._data.draw
        uri = draw(st.sampled_from(self._uris))
        place = {"line": draw(st.integers(0, 3)), "character": draw(st.integers(0, 9))}
        if what == "open":
            document = {"uri": uri, "languageId": "python", "version": 1, "text": draw(PIECES)}
            self._tell("textDocument/didOpen", {"textDocument": document})
        elif what == "close":
            self._tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        elif what == "change":
            change = {"range": {"start": place, "end": place}, "text": draw(PIECES)}
            named = {"uri": uri, "version": draw(st.integers(0, 9))}
            self._tell("textDocument/didChange", {"textDocument": named, "contentChanges": [change]})
        elif what == "cancel":
            self._tell("$/cancelRequest", {"id": draw(st.sampled_from([*self.asked, "nobody"]))})
        elif what == "junk request":
            self._ask(draw(METHODS), draw(JUNK))
        elif what == "junk notification":
            self._tell(draw(METHODS), draw(JUNK))
        elif what == "broken frame":
            self.frames.append(draw(FRAMES))
            self.broken += 1
        elif what == "stray answer":
            self._send({"id": draw(st.integers(0, 9)), "result": draw(JUNK)})
        else:
            self._ask(*self._request(what, uri, place))

    def _request(self, what: str, uri: str, place: Json) -> tuple[str, Json]:
        where = {"textDocument": {"uri": uri}, "position": place}
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
        if what == "rewrite":
            arguments = {"uri": uri, "range": everything, "instruction": "do it", "preview": True}
            return "workspace/executeCommand", {"command": "sfumato.rewrite", "arguments": [arguments]}
        if what == "fill":
            holes = [{"start": place, "end": place}]
            arguments = {"uri": uri, "holes": holes, "preview": True}
            return "workspace/executeCommand", {"command": "sfumato.fillHoles", "arguments": [arguments]}
        if what == "actions":
            return "textDocument/codeAction", {**where, "range": everything, "context": {"diagnostics": []}}
        context = {"triggerKind": self._data.draw(st.integers(0, 3))}
        more = {"futureField": self._data.draw(JUNK)} if what == "unknown fields" else {}
        return "textDocument/inlineCompletion", {**where, "context": {**context, **more}, **more}

    def _ask(self, method: str, params: Json) -> None:
        name = self._named()
        msg_id = name if self._data.draw(st.booleans()) else 10_000 + int(name.rpartition("-")[2])
        self.asked[msg_id] = {"id": msg_id, "method": method, "params": params}
        self._send(self.asked[msg_id])

    def _tell(self, method: str, params: Json) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: Json) -> None:
        self.frames.append(json.dumps({"jsonrpc": "2.0", **message}).encode())


async def converse(editor: SubprocessEditor, chatter: Chatter) -> None:
    """Say it all; every request is answered, and none twice, and so is every frame that was no message."""
    answers, before = editor.answers, len(editor.answers[None])
    for body in chatter.frames:
        editor.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    try:
        await editor.until(lambda: all(answers[asked] for asked in chatter.asked))
    except TimeoutError:
        pytest.fail(f"no answer: {[asked for name, asked in chatter.asked.items() if not answers[name]]}")
    await editor.command("sfumato.debugInformation")  # whatever was on its way is here
    assert {name: len(answers[name]) for name in chatter.asked} == dict.fromkeys(chatter.asked, 1)
    assert len(answers[None]) - before == chatter.broken


def check_chatter(wire: Wire, data: st.DataObject) -> None:
    chatter = Chatter(wire, data)
    for what in data.draw(st.lists(OPERATIONS, min_size=1, max_size=25)):
        chatter.say(what)
    with wire.sound():
        wire.run(converse(wire.editor, chatter))


@fuzz(15)
@given(data=st.data())
def test_each_request_is_answered_once(wire: Wire, data: st.DataObject) -> None:
    check_chatter(wire, data)


@pytest.mark.slow
@fuzz(300)
@given(data=st.data())
def test_each_of_many_requests_is_answered_once(wire: Wire, data: st.DataObject) -> None:
    check_chatter(wire, data)
