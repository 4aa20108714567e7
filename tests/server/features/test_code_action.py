from __future__ import annotations

from typing import Any

import pytest

from tests.clients.editor import GHOST_TEXT, InProcessEditor, range_of

URI = "file:///project/a.py"
LITERALS = {
    **GHOST_TEXT,
    "textDocument": {
        "inlineCompletion": {},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor"]}},
            "tagSupport": {"valueSet": [1]},
        },
    },
}


def asking(start: tuple[int, int], end: tuple[int, int], **context: Any) -> dict[str, Any]:
    context = {"diagnostics": [], **context}
    return {"textDocument": {"uri": URI}, "range": range_of(start, end), "context": context}


async def actions(editor: InProcessEditor, *where: tuple[int, int], **context: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await editor.request("textDocument/codeAction", asking(*where, **context))
    return found


async def test_presets_for_a_selection_are_commands_that_work() -> None:
    async with InProcessEditor({"answers": ["def f(x: int) -> int: ..."]}) as editor:
        result = await editor.initialize(LITERALS)
        assert result["capabilities"]["codeActionProvider"]["codeActionKinds"] == ["refactor.rewrite", "quickfix"]
        editor.open(URI, "def f(x): ...\n", version=4)
        found = await actions(editor, (0, 0), (0, 13))
        assert [action["title"] for action in found] == [
            "Sfumato: Write a docstring",
            "Sfumato: Add type hints",
            "Sfumato: Simplify",
            "Sfumato: Fix",
        ]
        assert {(action["kind"], tuple(action["tags"])) for action in found} == {("refactor.rewrite", (1,))}
        command = found[1]["command"]
        assert command["arguments"][0]["version"] == 4
        await editor.command(command["command"], *command["arguments"])
        assert editor.documents[URI] == "def f(x: int) -> int: ...\n"


async def test_no_tag_for_clients_that_know_none() -> None:
    capabilities = {"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}}
    async with InProcessEditor({}) as editor:
        await editor.initialize(capabilities)
        editor.open(URI, "x = 1\n")
        assert "tags" not in (await actions(editor, (0, 0), (0, 5)))[0]


async def test_clients_without_literals_get_commands() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        found = await actions(editor, (0, 0), (0, 5))
        assert {action["command"] for action in found} == {"sfumato.rewrite"}


async def test_holes_in_the_selection_are_offered_first() -> None:
    async with InProcessEditor({"answers": ["1"]}) as editor:
        await editor.initialize(LITERALS)
        editor.open(URI, "x = <<hole>>\n")
        command = (await actions(editor, (0, 0), (0, 12)))[0]["command"]
        assert command["command"] == "sfumato.fillHoles"
        await editor.command(command["command"], *command["arguments"])
        assert editor.documents[URI] == "x = 1\n"


async def test_what_is_reported_goes_into_the_fix() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize(LITERALS)
        editor.open(URI, "x = 1 +\n")
        diagnostic = {"range": range_of((0, 0), (0, 1)), "message": "expected an expression"}
        [fix] = await actions(editor, (0, 0), (0, 7), diagnostics=[diagnostic], only=["quickfix"])
        assert fix["title"] == "Sfumato: Fix"
        assert "expected an expression" in fix["command"]["arguments"][0]["instruction"]


@pytest.mark.parametrize(
    ("only", "count"), [(["refactor"], 4), (["refactor.rewrite"], 4), (["source"], 0), ([""], 4), ([], 4)]
)
async def test_only_the_kinds_asked_for(only: list[str], count: int) -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize(LITERALS)
        editor.open(URI, "x = 1\n")
        assert len(await actions(editor, (0, 0), (0, 5), only=only)) == count


@pytest.mark.parametrize(("start", "end"), [((0, 2), (0, 2)), ((0, 1), (0, 2))])
async def test_nothing_is_offered_without_a_selection(start: tuple[int, int], end: tuple[int, int]) -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize(LITERALS)
        editor.open(URI, "x = 1\n")
        assert await actions(editor, start, end) == []


async def test_nothing_is_offered_for_an_unknown_document() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize(LITERALS)
        assert await actions(editor, (0, 0), (0, 5)) == []


async def test_a_rewrite_may_be_run_again_where_it_stands() -> None:
    async with InProcessEditor({"answers": ["2", "3"]}) as editor:
        await editor.initialize(LITERALS)
        editor.open(URI, "x = 1\n\n\ny\n")
        await editor.command("sfumato.rewrite", {"uri": URI, "range": range_of((0, 4), (0, 5)), "instruction": "do it"})
        assert await actions(editor, (3, 0), (3, 0)) == []
        [again] = await actions(editor, (0, 5), (0, 5))
        assert again["title"] == "Sfumato: Run again"
        await editor.command(again["command"]["command"], *again["command"]["arguments"])
        assert editor.documents[URI] == "x = 3\n\n\ny\n"
