from __future__ import annotations

from typing import Any

from tests.clients.editor import InProcessEditor, apply_edits, at, range_of

URI = "file:///project/a.py"


def asking(line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": URI}, "position": at(line, character)}


async def test_only_clients_without_ghost_text_are_offered_it() -> None:
    async with InProcessEditor({}) as editor:
        assert "completionProvider" in (await editor.initialize({}))["capabilities"]
    async with InProcessEditor({}) as editor:
        assert "completionProvider" not in (await editor.initialize())["capabilities"]


async def test_the_item_replaces_the_word_so_that_clients_keep_it_in_the_list() -> None:
    async with InProcessEditor({"answers": ["nt(x)\nprint(y)"]}) as editor:
        await editor.initialize({})
        editor.open(URI, "a = 1\npri\n")
        answer = await editor.request("textDocument/completion", asking(1, 3))
        [item] = answer["items"]
        assert answer["isIncomplete"] is True
        assert item["textEdit"] == {"range": range_of((1, 0), (1, 3)), "newText": item["filterText"]}
        assert item["filterText"].startswith("print(x)")
        assert item["label"] == "print(x)"
        assert (item["insertTextFormat"], item["insertTextMode"], item["preselect"]) == (1, 1, False)
        assert "insertText" not in item


async def test_what_was_typed_meanwhile_is_kept() -> None:
    async with InProcessEditor({"answers": [{"texts": ["nt(x)"], "delay_s": 0.1}]}) as editor:
        await editor.initialize({})
        editor.open(URI, "pri\n")
        asked = editor.ask("textDocument/completion", asking(0, 3))
        await editor.until_asked(1)
        editor.edit(URI, (0, 3), (0, 3), "n")
        [item] = (await editor.answer(asked))["items"]
        assert apply_edits(editor.documents[URI], [item["textEdit"]]) == "print(x)\n"


async def test_unknown_and_closed_documents_get_an_empty_list() -> None:
    async with InProcessEditor({"answers": [{"texts": ["nt(x)"], "delay_s": 0.05}]}) as editor:
        await editor.initialize({})
        assert (await editor.request("textDocument/completion", asking(0, 3)))["items"] == []
        editor.open(URI, "pri\n")
        asked = editor.ask("textDocument/completion", asking(0, 3))
        await editor.until_asked(1)
        editor.close(URI)
        assert (await editor.answer(asked))["items"] == []
