from __future__ import annotations

import pytest

from tests.clients.editor import AnsweredWithError, InProcessEditor
from tests.clients.reference import ReferenceDocument

URI = "file:///project/a.py"


async def test_it_names_versions_model_encoding_timings_and_refusals() -> None:
    async with InProcessEditor({"answers": ["x)", ""]}, encoding="utf-8") as editor:
        await editor.initialize()
        before = await editor.command("sfumato.debugInformation")
        assert (before["last"], before["refusals"]) == (None, {})
        editor.open(URI, "print(\nlist(\n")
        await editor.inline(URI, 0, 6)
        told = await editor.command("sfumato.debugInformation")
        assert told["last"]["ms"] == 3.0
        assert told["last"]["tokens_per_forward"] == 3.0
        await editor.inline(URI, 1, 5)
        told = await editor.command("sfumato.debugInformation")
        assert told["refusals"] == {"empty": 1}
        assert told["last"]["refused"] == "empty"
        assert told["model"] == {"model": "embedded", "family": "scripted"}
        assert told["encoding"] == "utf-8"
        assert told["status"]["state"] == "ready"
        assert set(told["versions"]) == {"sfumato", "python", "pygls", "lsprotocol"}
        assert told["documents"] == 1


async def test_it_names_why_it_was_quiet() -> None:
    async with InProcessEditor({"answers": ["x)", "y)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "printy(\n")
        editor.edit(URI, (0, 5), (0, 6), "")
        assert await editor.inline(URI, 0, 5) == []
        told = await editor.command("sfumato.debugInformation")
        assert told["suppressions"] == {"after-deletion": 1}
        assert [one["reason"] for one in told["recent"]] == ["after-deletion"]
        assert (told["refusals"], told["counts"], told["back_off_ms"]) == ({}, {}, 100)
        await editor.inline(URI, 0, 6)
        await editor.inline(URI, 0, 6)
        told = await editor.command("sfumato.debugInformation")
        assert (told["counts"], told["cache"]["answers"]) == ({"from-cache": 1}, 1)


async def test_it_answers_without_an_engine() -> None:
    async with InProcessEditor({"models": {"embedded": {"error": "no room"}}}) as editor:
        await editor.initialize()
        told = await editor.command("sfumato.debugInformation")
        assert (told["model"], told["status"]) == (None, {"state": "failed", "message": "no room"})


async def test_a_document_is_described_but_not_shown() -> None:
    uri, text = "file:///a.py", "a = '😀'\r\nb\u2028c"
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.open(uri, text, version=3)
        told = (await editor.command("sfumato.debugInformation", {"uri": uri}))["document"]
        assert told == ReferenceDocument(text).description(3, "python")
        assert (told["lines"], told["characters"]) == (2, len(text))
        assert (await editor.command("sfumato.debugInformation", {"uri": "file:///b.py"}))["document"] is None
        with pytest.raises(AnsweredWithError, match="uri"):
            await editor.command("sfumato.debugInformation", {"uri": 1})
