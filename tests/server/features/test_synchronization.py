from __future__ import annotations

from tests.clients.editor import InProcessEditor, range_of

URI = "file:///project/a.py"


def text_in(editor: InProcessEditor) -> str:
    snapshot = editor.server.session.documents.snapshot(URI)
    assert snapshot is not None
    return snapshot.text


async def test_a_change_is_applied_once() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.open(URI, "ab\n")
        editor.edit(URI, (0, 1), (0, 1), "X")
        assert text_in(editor) == editor.documents[URI] == "aXb\n"


async def test_lines_end_as_the_protocol_says() -> None:
    """pygls' own copy drifts here: it takes a form feed and U+2028 for line ends."""
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.open(URI, "a\fb\u2028c\rd\r\ne\n")
        editor.edit(URI, (1, 0), (1, 1), "X")
        editor.edit(URI, (3, 0), (3, 0), "end")
        assert text_in(editor) == editor.documents[URI] == "a\fb\u2028c\rX\r\ne\nend"


async def test_whole_text_and_several_changes_in_one_message() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.open(URI, "a")
        changes = [{"text": "b\nc"}, {"range": range_of((1, 0), (1, 1)), "text": "d", "rangeLength": 1}]
        document = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": changes}
        editor.notify("textDocument/didChange", document)
        assert text_in(editor) == "b\nd"


async def test_unknown_fields_are_ignored() -> None:
    async with InProcessEditor({"answers": ["x"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        params = {
            "textDocument": {"uri": URI, "version": 1},
            "position": {"line": 0, "character": 4},
            "context": {"triggerKind": 2, "requestUuid": "1"},
            "formattingOptions": {"tabSize": 4, "insertSpaces": True},
        }
        assert len((await editor.request("textDocument/inlineCompletion", params))["items"]) == 1


async def test_changes_of_unknown_documents_are_ignored() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        changes = [{"text": "x"}]
        document = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": changes}
        editor.notify("textDocument/didChange", document)
        editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        assert (await editor.command("sfumato.debugInformation"))["documents"] == 0


async def test_the_frameworks_own_copy_is_left_out() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.open(URI, "x")
        assert not editor.server.workspace.text_documents
