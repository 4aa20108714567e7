from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.editor import GHOST_TEXT, AnsweredWithError, InProcessEditor, range_of

URI = "file:///project/a.py"
REWRITE = "sfumato.rewrite"


def wanted(start: tuple[int, int], end: tuple[int, int], **more: Any) -> dict[str, Any]:
    return {"uri": URI, "range": range_of(start, end), "instruction": "do it", **more}


async def test_exactly_the_range_is_replaced_by_one_versioned_edit() -> None:
    async with InProcessEditor({"answers": ["count"]}) as editor:
        await editor.initialize()
        editor.open(URI, 'icon = "🚀"; oldName = 1\n', version=7)
        outcome = await editor.command(REWRITE, wanted((0, 13), (0, 20), version=7))
        assert editor.documents[URI] == 'icon = "🚀"; count = 1\n'
        assert outcome["applied"] is True
        assert (outcome["text"], outcome["range"]) == ("count", range_of((0, 13), (0, 20)))
        [applied] = editor.applied
        assert applied["edit"]["documentChanges"][0]["textDocument"] == {"uri": URI, "version": 7}
        assert applied["label"].startswith("Sfumato: ")


async def test_only_lines_that_differ_are_touched() -> None:
    async with InProcessEditor({"answers": ["a = 1\nb = 3\nc = 3\n"]}) as editor:
        await editor.initialize()
        editor.open(URI, "a = 1\nb = 2\nc = 3\nd = 4\n")
        await editor.command(REWRITE, wanted((0, 0), (3, 0)))
        assert editor.documents[URI] == "a = 1\nb = 3\nc = 3\nd = 4\n"
        [edit] = editor.applied[0]["edit"]["documentChanges"][0]["edits"]
        assert edit == {"range": range_of((1, 0), (2, 0)), "newText": "b = 3\n"}


async def test_a_preview_changes_nothing_and_says_what_it_would() -> None:
    async with InProcessEditor({"answers": ["2"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        outcome = await editor.command(REWRITE, wanted((0, 4), (0, 5), preview=True))
        assert (outcome["applied"], outcome["text"], outcome["range"]) == (False, "2", range_of((0, 4), (0, 5)))
        assert outcome["edit"]["documentChanges"][0]["edits"][0]["newText"] == "2"
        assert (editor.applied, editor.documents[URI]) == ([], "x = 1\n")


async def test_a_stale_version_is_refused_with_a_message() -> None:
    async with InProcessEditor({"answers": ["2"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n", version=3)
        outcome = await editor.command(REWRITE, wanted((0, 4), (0, 5), version=2))
        assert (outcome["applied"], outcome["refused"]) == (False, "stale-version")
        assert editor.shown == ["Sfumato: rewrite: the document changed since; ask again"]
        assert (editor.asked, editor.applied) == (0, [])


async def test_an_unknown_document_is_refused() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        assert (await editor.command(REWRITE, wanted((0, 4), (0, 5))))["refused"] == "unknown-document"


async def test_what_the_text_side_refuses_is_said_and_nothing_changes() -> None:
    async with InProcessEditor({"answers": ["1"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        outcome = await editor.command(REWRITE, wanted((0, 4), (0, 5)))
        assert (outcome["applied"], outcome["refused"]) == (False, "unchanged")
        assert "nothing to change" in editor.shown[0]
        assert editor.applied == []


async def test_edits_elsewhere_survive_while_it_runs() -> None:
    async with InProcessEditor({"answers": [{"texts": ["y = 2"], "delay_s": 0.1}]}) as editor:
        await editor.initialize()
        editor.open(URI, "a = 0\n\nx = 1\n\nz = 3\n")
        asked = editor.ask_command(REWRITE, wanted((2, 0), (2, 5), version=1))
        await editor.until_asked(1)
        editor.edit(URI, (0, 0), (0, 1), "import os\nb")
        editor.edit(URI, (5, 0), (5, 1), "w")
        assert (await editor.answer(asked))["applied"] is True
        assert editor.documents[URI] == "import os\nb = 0\n\ny = 2\n\nw = 3\n"
        assert editor.applied[0]["edit"]["documentChanges"][0]["textDocument"]["version"] == 3


@pytest.mark.parametrize(("start", "end"), [((2, 2), (2, 3)), ((2, 0), (2, 0)), ((2, 5), (2, 5)), ((1, 0), (3, 0))])
async def test_edits_inside_or_at_a_border_end_it_with_a_message(start: tuple[int, int], end: tuple[int, int]) -> None:
    async with InProcessEditor({"answers": [{"texts": ["y = 2"], "delay_s": 30}]}) as editor:
        await editor.initialize()
        editor.open(URI, "a = 0\n\nx = 1\n\nz = 3\n")
        asked = editor.ask_command(REWRITE, wanted((2, 0), (2, 5)))
        await editor.until_asked(1)
        editor.edit(URI, start, end, "?")
        outcome = await editor.answer(asked)
        assert (outcome["applied"], outcome["refused"]) == (False, "changed-inside")
        assert "was changed while" in editor.shown[0]
        await editor.until(lambda: editor.state == "ready", timeout_s=2)  # the engine stopped too


async def test_closing_the_document_ends_it() -> None:
    async with InProcessEditor({"answers": [{"texts": ["y = 2"], "delay_s": 30}]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        asked = editor.ask_command(REWRITE, wanted((0, 0), (0, 5)))
        await editor.until_asked(1)
        editor.close(URI)
        assert (await editor.answer(asked))["refused"] == "closed"


async def test_an_edit_the_editor_refuses_is_told_with_its_reason() -> None:
    async with InProcessEditor({"answers": ["2"]}, refuses_edits="read only") as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        outcome = await editor.command(REWRITE, wanted((0, 4), (0, 5)))
        assert outcome["applied"] is False
        assert "read only" in outcome["message"]
        assert "read only" in editor.shown[0]


async def test_clients_without_versioned_edits_get_plain_changes() -> None:
    async with InProcessEditor({"answers": ["2"]}, ignores={"workspace/applyEdit"}) as editor:
        await editor.initialize({"textDocument": {"inlineCompletion": {}}})
        editor.open(URI, "x = 1\n")
        outcome = await editor.command(REWRITE, wanted((0, 4), (0, 5), preview=True))
        assert outcome["edit"] == {"changes": {URI: [{"range": range_of((0, 4), (0, 5)), "newText": "2"}]}}


async def test_progress_begins_reports_drafts_and_ends() -> None:
    answer = {"texts": ["y = 2\nz = 3"], "drafts": ["", "y = \nz", "y = 2\nz = 3"], "delay_s": 0.15}
    async with InProcessEditor({"answers": [answer, answer]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        await editor.command(REWRITE, wanted((0, 0), (0, 5), preview=True), workDoneToken="mine")
        await editor.command(REWRITE, wanted((0, 0), (0, 5), preview=True))
        mine = editor.progress.pop("mine")
        assert [value["kind"] for value in mine] == ["begin", "report", "end"]
        assert mine[0]["cancellable"] is True
        assert mine[1]["message"] == "y = \nz"  # all of it for a client that brought its own progress
        [servers] = editor.progress.values()
        assert servers[1]["message"] == "z"  # the last line for everybody else


@pytest.mark.parametrize("token", ["mine", 17, None])
async def test_progress_can_be_cancelled(token: str | int | None) -> None:
    async with InProcessEditor({"answers": [{"texts": ["y"], "delay_s": 30}]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        params = {} if token is None else {"workDoneToken": token}
        asked = editor.ask_command(REWRITE, wanted((0, 0), (0, 5)), **params)
        await editor.until_asked(1)
        [shown] = editor.progress
        editor.notify("window/workDoneProgress/cancel", {"token": shown})
        with pytest.raises(AnsweredWithError) as raised:
            await editor.answer(asked)
        assert raised.value.code == -32800
        assert editor.progress[shown][-1]["kind"] == "end"
        await editor.until(lambda: editor.state == "ready", timeout_s=2)
        editor.notify("window/workDoneProgress/cancel", {"token": shown})  # late, and harmless
        assert (editor.applied, editor.shown) == ([], [])


async def test_cancelling_the_request_reaches_the_engine() -> None:
    """pygls cancels only the outer half of a command."""
    async with InProcessEditor({"answers": [{"texts": ["y"], "delay_s": 30}]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        asked = editor.ask_command(REWRITE, wanted((0, 0), (0, 5)))
        await editor.until_asked(1)
        editor.notify("$/cancelRequest", {"id": asked})
        with pytest.raises(AnsweredWithError) as raised:
            await editor.answer(asked)
        assert raised.value.code == -32800
        await editor.until(lambda: editor.state == "ready", timeout_s=2)
        assert len(editor.answers[asked]) == 1


async def test_a_client_that_never_creates_the_progress_holds_nothing_up() -> None:
    async with InProcessEditor({"answers": ["2"]}, ignores={"window/workDoneProgress/create"}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        assert (await editor.command(REWRITE, wanted((0, 4), (0, 5))))["applied"] is True
        assert editor.progress == {}


async def test_a_rewrite_goes_before_the_completion_that_runs() -> None:
    async with InProcessEditor({"answers": [{"texts": ["late"], "delay_s": 30}, "2"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\ny = \n")
        completion = editor.ask_inline(URI, 1, 4)
        await editor.until_asked(1)
        assert (await editor.command(REWRITE, wanted((0, 4), (0, 5))))["applied"] is True
        assert (await editor.answer(completion))["items"] == []


async def test_an_engine_that_raises_is_told() -> None:
    async with InProcessEditor({"answers": [{"error": "boom"}]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        outcome = await editor.command(REWRITE, wanted((0, 4), (0, 5)))
        assert (outcome["refused"], len(editor.shown)) == ("engine-fault", 1)


async def test_a_server_that_closes_says_so() -> None:
    async with InProcessEditor({"answers": [{"texts": ["y"], "delay_s": 30}]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        asked = editor.ask_command(REWRITE, wanted((0, 0), (0, 5)))
        await editor.until_asked(1)
        assert editor.server.session.close()
        assert (await editor.answer(asked))["refused"] == "cancelled"


async def test_without_a_model_the_reason_is_told() -> None:
    async with InProcessEditor({"models": {"embedded": {"error": "no network; copy the file"}}}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        outcome = await editor.command(REWRITE, wanted((0, 4), (0, 5), preview=True))
        assert (outcome["refused"], outcome["message"]) == ("not-ready", "no network; copy the file")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "one argument"),
        ([1], "Expected `object`"),
        ([{"uri": URI, "instruction": "x"}], "range"),
        ([{"uri": URI, "range": range_of((0, -1), (0, 0)), "instruction": "x"}], "character"),
        ([{"uri": URI, "range": range_of((0, 0), (0, 0)), "instruction": 3}], "instruction"),
    ],
)
async def test_arguments_that_make_no_sense_are_named(arguments: list[Any], named: str) -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        with pytest.raises(AnsweredWithError, match=named) as raised:
            await editor.command(REWRITE, *arguments)
        assert raised.value.code == -32602


async def test_an_unknown_command_is_an_error() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        with pytest.raises(AnsweredWithError, match="no command"):
            await editor.command("sfumato.dance")


AGAIN = "sfumato.rewriteAgain"


async def test_another_attempt_is_asked_of_the_engine(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with InProcessEditor({"answers": ["2"], "log": str(log)}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        await editor.command(REWRITE, wanted((0, 4), (0, 5), preview=True, attempt=3))
        assert json.loads(log.read_text())["attempt"] == 3


async def test_run_again_replaces_the_result_by_another_one_of_the_same_text(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with InProcessEditor({"answers": ["22", "333"], "log": str(log)}) as editor:
        await editor.initialize()
        editor.open(URI, "a\nx = 1; y\n")
        await editor.command(REWRITE, wanted((1, 4), (1, 5)))
        outcome = await editor.command(AGAIN, {"uri": URI, "version": 2})
        assert editor.documents[URI] == "a\nx = 333; y\n"
        assert outcome["range"] == range_of((1, 4), (1, 6))
        asked = [json.loads(line) for line in log.read_text().splitlines()]
        assert [(one["text"], one["selected"], one["attempt"]) for one in asked] == [
            ("a\nx = 1; y\n", "1", 0),
            ("a\nx = 1; y\n", "1", 1),
        ]


async def test_run_again_takes_up_what_was_undone() -> None:
    async with InProcessEditor({"answers": ["22", "333", "4444"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        await editor.command(REWRITE, wanted((0, 4), (0, 5)))
        editor.edit(URI, (0, 4), (0, 6), "1")
        await editor.command(AGAIN, {"uri": URI})
        assert editor.documents[URI] == "x = 333\n"
        await editor.command(AGAIN, {"uri": URI})
        assert editor.documents[URI] == "x = 4444\n"


@pytest.mark.parametrize("edited", ["", "elsewhere", "inside"])
async def test_there_is_nothing_to_run_again_without_a_rewrite_or_after_an_edit(edited: str) -> None:
    async with InProcessEditor({"answers": ["2", "3"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        if edited:
            await editor.command(REWRITE, wanted((0, 4), (0, 5)))
            at = (0, 0) if edited == "elsewhere" else (0, 5)
            editor.edit(URI, at, at, "7")
        before = editor.documents[URI]
        assert (await editor.command(AGAIN, {"uri": URI}))["refused"] == "nothing-to-run-again"
        assert editor.documents[URI] == before


async def test_run_again_keeps_what_was_typed_elsewhere_while_it_ran(tmp_path: Path) -> None:
    log, slow = tmp_path / "log", [{"texts": [text], "delay_s": 0.1} for text in ("22", "333")]
    async with InProcessEditor({"answers": [*slow, "4444"], "log": str(log)}) as editor:
        await editor.initialize()
        editor.open(URI, "a\n\nx = 1; y\n")
        for count, (command, arguments) in enumerate([(REWRITE, wanted((2, 4), (2, 5))), (AGAIN, {"uri": URI})], 1):
            asked = editor.ask_command(command, arguments)
            await editor.until_asked(count)
            editor.edit(URI, (0, 0), (0, 0), "b")
            assert (await editor.answer(asked))["applied"] is True
        await editor.command(AGAIN, {"uri": URI})
        assert editor.documents[URI] == "bba\n\nx = 4444; y\n"
        texts = [json.loads(line)["text"] for line in log.read_text().splitlines()]
        assert texts == ["a\n\nx = 1; y\n", "ba\n\nx = 1; y\n", "bba\n\nx = 1; y\n"]


async def test_the_same_text_again_changes_nothing_and_is_said() -> None:
    async with InProcessEditor({"answers": ["2"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        await editor.command(REWRITE, wanted((0, 4), (0, 5)))
        assert (await editor.command(AGAIN, {"uri": URI}))["refused"] == "same-again"
        assert len(editor.applied) == 1


ASKS = {**GHOST_TEXT, "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
ASKS["workspace"]["workspaceEdit"]["changeAnnotationSupport"] = {"groupsOnLabel": True}
CONFIRM = {"confirmChanges": True}


async def test_an_editor_that_can_ask_first_is_told_to() -> None:
    async with InProcessEditor({"answers": ["2"]}) as editor:
        await editor.initialize(ASKS, initializationOptions=CONFIRM)
        editor.open(URI, "x = 1\n")
        await editor.command(REWRITE, wanted((0, 4), (0, 5)))
        edit = editor.applied[0]["edit"]
        [(name, annotation)] = edit["changeAnnotations"].items()
        assert annotation == {"label": "Sfumato: Rewrite: do it", "needsConfirmation": True}
        assert {one["annotationId"] for one in edit["documentChanges"][0]["edits"]} == {name}


async def test_nothing_is_annotated_unless_it_is_wanted() -> None:
    async with InProcessEditor({"answers": ["2"]}) as editor:
        await editor.initialize(ASKS)
        editor.open(URI, "x = 1\n")
        await editor.command(REWRITE, wanted((0, 4), (0, 5)))
        assert "changeAnnotations" not in editor.applied[0]["edit"]


async def test_an_editor_that_cannot_ask_first_changes_nothing_but_may_preview() -> None:
    async with InProcessEditor({"answers": ["2"]}) as editor:
        await editor.initialize(initializationOptions=CONFIRM)
        editor.open(URI, "x = 1\n")
        assert (await editor.command(REWRITE, wanted((0, 4), (0, 5))))["refused"] == "cannot-confirm"
        assert (editor.asked, editor.applied) == (0, [])
        outcome = await editor.command(REWRITE, wanted((0, 4), (0, 5), preview=True))
        assert outcome["edit"]["documentChanges"][0]["edits"][0]["newText"] == "2"
