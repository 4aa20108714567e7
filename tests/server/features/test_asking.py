"""Whatever is asked, typed, cancelled and closed, in whatever order: each request is answered once, nothing is left."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.clients.editor import InProcessEditor, apply_edits, offset_of

URI = "file:///project/a.py"
URIS = (URI, "file:///project/b.py")
WORDS = ["value", "(", "()", ".", " = ", "x", "1", "\n", "\n    "]
ANSWERS = [
    {"texts": ["value.x"], "drafts": ["va", "value", "value.x"], "delay_s": 0.01},
    {"texts": ["x"], "delay_s": 0.003},
    {"texts": [""]},
    {"texts": ["value(1)"], "drafts": ["value("], "delay_s": 0.05},
    {"texts": ["(x)"]},
    {"error": "boom", "texts": [""]},
]


class Typist:
    """Does one random thing after another; checks every answer it waits for against the document by then."""

    def __init__(self, editor: InProcessEditor, seed: int) -> None:
        self._editor = editor
        self._random = random.Random(seed)
        self.asked: list[object] = []
        self.cancelled: set[object] = set()

    def act(self) -> None:
        """Ask, type, delete, accept what would be typed, cancel, close and open again, or change a setting."""
        uri, choose = self._random.choice(URIS), self._random
        line, column = self._cursor(uri)
        kind = choose.choices(["ask", "type", "delete", "cancel", "reopen", "configure"], [5, 6, 2, 2, 0.3, 0.2])[0]
        if kind == "ask":
            self.asked.append(self._editor.ask_inline(uri, line, column, kind=choose.choice([1, 2, 2, 2])))
        elif kind == "type":
            word = choose.choice(["v", "va", "value", *WORDS])
            self._editor.edit(uri, (line, column), (line, column), word)
        elif kind == "delete" and column:
            self._editor.edit(uri, (line, column - 1), (line, column), "")
        elif kind == "cancel" and self.asked:
            request = choose.choice(self.asked[-3:])
            self.cancelled.add(request)
            self._editor.notify("$/cancelRequest", {"id": request})
        elif kind == "reopen":
            self._editor.close(uri)
            self._editor.open(uri, "x = \n")
        elif kind == "configure":
            settings = {"speculate": True, "maxTokens": choose.randint(8, 64)}
            self._editor.notify("workspace/didChangeConfiguration", {"settings": {"sfumato": settings}})

    def _cursor(self, uri: str) -> tuple[int, int]:
        """The end of the first line: there is one cursor, and it writes there."""
        return 0, len(self._editor.documents[uri].split("\n", 1)[0])


def running() -> set[asyncio.Task[object]]:
    """Tasks that are not done, the test editor's own left out."""
    return {task for task in asyncio.all_tasks() if not task.done() and "Editor" not in repr(task.get_coro())}


@pytest.mark.parametrize("seed", range(2))
async def test_every_request_is_answered_once_and_nothing_is_left(seed: int) -> None:
    chosen = random.Random(seed)
    answers = [chosen.choice(ANSWERS) for _ in range(400)]
    async with InProcessEditor({"answers": answers}) as editor:
        await editor.initialize(initializationOptions={"speculate": True})
        before = running()
        for uri in URIS:
            editor.open(uri, "x = \n")
        typist = Typist(editor, seed)
        for _ in range(400):
            typist.act()
            await asyncio.sleep(0.2 if chosen.random() < 0.05 else chosen.choice([0, 0, 0.001, 0.004, 0.02]))
        for request in typist.asked:
            await editor.until(lambda request=request: bool(editor.answers[request]))
        await asyncio.sleep(0.5)
        assert {len(editor.answers[request]) for request in typist.asked} == {1}
        failed = {request for request in typist.asked if "error" in editor.answers[request][0]}
        assert failed <= typist.cancelled
        for uri in URIS:
            snapshot = editor.server.session.documents.snapshot(uri)
            assert snapshot is not None
            assert snapshot.text == editor.documents[uri]
        assert editor.state == "ready"
        assert editor.server.session.flights == {}
        assert not running() - before
        told = await editor.command("sfumato.debugInformation")
        assert told["counts"]["from-cache"] + told["counts"].get("joined", 0) > 0
        assert told["speculation"]["started"] > 0


async def test_accepting_any_answer_gives_what_was_written() -> None:
    """From the cache, joined or rebased, with a bracket that the editor closed: no character is lost or doubled."""
    assert sum([await type_along(seed) for seed in range(30)]) > 20


async def type_along(seed: int) -> int:
    """Type on while requests are answered, mostly as suggested; how many items came, each of them right by then."""
    chosen = random.Random(seed)
    first = {"texts": ["value(one, two)"], "drafts": ["value", "value(one"], "delay_s": 0.01}
    async with InProcessEditor({"answers": [first, ""]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \ny = 1\n")
        waiting, typed, answered = [editor.ask_inline(URI, 0, 4)], "", 0
        before, document_before = typed, editor.documents[URI]
        for piece in (*(("va", "l", "ue", "()") if seed % 3 else ("val", "q")), ""):
            await asyncio.sleep(chosen.choice([0.003, 0.005, 0.02]))
            for request in [request for request in waiting if editor.answers[request]]:
                waiting.remove(request)
                for item in editor.answers[request][0]["result"]["items"]:
                    answered += 1
                    document = editor.documents[URI]
                    if (start := offset_of(document, item["range"]["start"])) == 4 + len(before):
                        document = document_before  # it was on its way when the last key was struck
                    else:
                        assert start == 4 + len(typed)
                    edit = {"range": item["range"], "newText": item["insertText"]}
                    assert apply_edits(document, [edit], editor.encoding) == "x = value(one, two)\ny = 1\n"
            before, document_before = typed, editor.documents[URI]
            editor.edit(URI, (0, 4 + len(typed)), (0, 4 + len(typed)), piece)
            typed += "(" if piece == "()" else piece
            waiting.append(editor.ask_inline(URI, 0, 4 + len(typed)))
        return answered
