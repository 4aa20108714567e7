from __future__ import annotations

import asyncio

import pytest

from tests.clients.editor import AnsweredWithError, InProcessEditor, range_of

URI = "file:///project/a.py"


async def test_the_feature_is_announced_and_answers_at_the_cursor() -> None:
    """Without options pygls advertises nothing, and no client ever calls it."""
    async with InProcessEditor({"answers": ["x)"]}) as editor:
        result = await editor.initialize()
        assert result["capabilities"]["inlineCompletionProvider"] == {"workDoneProgress": True}
        assert "completionProvider" not in result["capabilities"]
        editor.open(URI, "print(\n")
        [item] = await editor.inline(URI, 0, 6)
        assert item == {"insertText": "x)", "range": range_of((0, 6), (0, 6))}
        assert editor.accept(URI, item) == "print(x)\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_positions_are_read_and_written_in_the_negotiated_encoding(encoding: str) -> None:
    async with InProcessEditor({"answers": ["s)"]}, encoding=encoding) as editor:
        result = await editor.initialize()
        assert result["capabilities"]["positionEncoding"] == encoding
        before = "s = '😀\N{ZERO WIDTH JOINER}日'; n = len("
        editor.open(URI, f"{before}\n")
        codec = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        column = len(before.encode(f"{encoding}-le" if codec > 1 else encoding)) // codec
        [item] = await editor.inline(URI, 0, column)
        assert editor.accept(URI, item) == f"{before}s)\n"


async def test_the_clients_first_supported_encoding_wins() -> None:
    async with InProcessEditor({}) as editor:
        general = {"general": {"positionEncodings": ["utf-7", "utf-8", "utf-16"]}}
        assert (await editor.initialize(general))["capabilities"]["positionEncoding"] == "utf-8"


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vscode-vfs://github/me/a.py"])
async def test_documents_without_a_file(uri: str) -> None:
    async with InProcessEditor({"answers": ["x"]}) as editor:
        await editor.initialize()
        editor.open(uri, "def f(x):\n    return \n")
        [item] = await editor.inline(uri, 1, 11)
        assert editor.accept(uri, item) == "def f(x):\n    return x\n"


async def test_unknown_documents_get_an_empty_answer() -> None:
    async with InProcessEditor({"answers": ["x"]}) as editor:
        await editor.initialize()
        assert await editor.inline("file:///nowhere.py", 0, 0) == []


async def test_a_newer_request_takes_the_place_of_the_older_which_is_answered_empty() -> None:
    script = {"answers": [{"texts": ["old)"], "delay_s": 5}, "new)"]}
    async with InProcessEditor(script) as editor:
        await editor.initialize()
        editor.open(URI, "print(\nlist(\n")
        first = editor.ask_inline(URI, 0, 6)
        await editor.until_asked(1)
        second = editor.ask_inline(URI, 1, 5)
        assert (await editor.answer(first))["items"] == []
        assert (await editor.answer(second))["items"][0]["insertText"] == "new)"
        assert [len(editor.answers[one]) for one in (first, second)] == [1, 1]


async def test_a_cancelled_request_is_answered_once_and_stops_the_engine() -> None:
    async with InProcessEditor({"answers": [{"texts": ["x)"], "delay_s": 30}, "y)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        asked = editor.ask_inline(URI, 0, 6)
        await editor.until_asked(1)
        editor.notify("$/cancelRequest", {"id": asked})
        with pytest.raises(AnsweredWithError) as raised:
            await editor.answer(asked)
        assert raised.value.code == -32800
        await editor.until(lambda: editor.state == "ready", timeout_s=2)
        assert (await editor.inline(URI, 0, 6))[0]["insertText"] == "y)"
        assert len(editor.answers[asked]) == 1


async def test_requests_cancelled_while_they_wait_never_reach_the_engine() -> None:
    async with InProcessEditor({"answers": ["x"]}) as editor:
        await editor.initialize()
        editor.open(URI, "def f(x):\n    return \n")
        asked = [editor.ask_inline(URI, 1, 11) for _ in range(3)]
        await asyncio.sleep(0)
        for one in asked[:2]:
            editor.notify("$/cancelRequest", {"id": one})
        assert (await editor.answer(asked[2]))["items"][0]["insertText"] == "x"
        assert editor.asked == 1
        assert all(len(editor.answers[one]) == 1 for one in asked)


async def test_what_was_typed_meanwhile_is_part_of_the_answer() -> None:
    async with InProcessEditor({"answers": [{"texts": ["value)"], "delay_s": 0.1}]}) as editor:
        await editor.initialize()
        editor.open(URI, "# 😀\nprint(\n")
        asked = editor.ask_inline(URI, 1, 6)
        await editor.until_asked(1)
        editor.edit(URI, (1, 6), (1, 6), "v")
        editor.edit(URI, (1, 7), (1, 7), "al")
        [item] = (await editor.answer(asked))["items"]
        assert item == {"insertText": "ue)", "range": range_of((1, 9), (1, 9))}
        assert editor.accept(URI, item) == "# 😀\nprint(value)\n"


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [((0, 6), (0, 6), "w"), ((0, 5), (0, 6), ""), ((0, 0), (0, 5), "list"), ((0, 6), (1, 0), "")],
)
async def test_an_answer_that_no_longer_fits_is_dropped(
    start: tuple[int, int], end: tuple[int, int], text: str
) -> None:
    async with InProcessEditor({"answers": [{"texts": ["value)"], "delay_s": 0.05}]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n\n")
        asked = editor.ask_inline(URI, 0, 6)
        await editor.until_asked(1)
        editor.edit(URI, start, end, text)
        assert (await editor.answer(asked))["items"] == []


async def test_an_edit_on_another_line_moves_the_answer() -> None:
    async with InProcessEditor({"answers": [{"texts": ["value)"], "delay_s": 0.05}]}) as editor:
        await editor.initialize()
        editor.open(URI, "a\nprint(\n")
        asked = editor.ask_inline(URI, 1, 6)
        await editor.until_asked(1)
        editor.edit(URI, (0, 0), (0, 1), "import os\n")
        [item] = (await editor.answer(asked))["items"]
        assert editor.accept(URI, item) == "import os\n\nprint(value)\n"


@pytest.mark.parametrize("reopen", [False, True])
async def test_a_document_closed_meanwhile_gets_nothing(reopen: bool) -> None:
    async with InProcessEditor({"answers": [{"texts": ["value)"], "delay_s": 0.05}]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        asked = editor.ask_inline(URI, 0, 6)
        await editor.until_asked(1)
        editor.close(URI)
        if reopen:
            editor.open(URI, "print(\n")
        assert (await editor.answer(asked))["items"] == []


async def test_typing_as_suggested_is_answered_without_the_engine() -> None:
    async with InProcessEditor({"answers": ["value)", "wrong)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        await editor.inline(URI, 0, 6)
        editor.edit(URI, (0, 6), (0, 6), "va")
        [item] = await editor.inline(URI, 0, 8)
        assert editor.accept(URI, item) == "print(value)\n"
        assert editor.asked == 1


async def test_invoked_requests_get_several_candidates() -> None:
    script = {"answers": [{"candidates": [["x)"], ["y)"], ["z)"]]}]}
    async with InProcessEditor(script) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        items = await editor.inline(URI, 0, 6, kind=1)
        assert [item["insertText"] for item in items] == ["x)", "y)", "z)"]


async def test_items_extend_what_is_selected_in_the_popup() -> None:
    async with InProcessEditor({"answers": ["(value)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = pr\n")
        selected = {"range": range_of((0, 4), (0, 6)), "text": "print"}
        [item] = await editor.inline(URI, 0, 6, selected=selected)
        assert item == {"insertText": "print(value)", "range": range_of((0, 4), (0, 6))}
        assert editor.accept(URI, item) == "x = print(value)\n"


async def test_clients_of_the_9_series_count_from_zero_and_send_ranges_as_arrays() -> None:
    script = {"answers": [{"candidates": [["(a)"], ["(b)"]]}, {"candidates": [["(c)"], ["(d)"]]}]}
    async with InProcessEditor(script) as editor:
        await editor.initialize()
        editor.open(URI, "x = pr\nprint\n")
        selected = {"range": [{"line": 0, "character": 4}, {"line": 0, "character": 6}], "text": "print"}
        items = await editor.inline(URI, 0, 6, kind=0, selected=selected)
        assert [item["insertText"] for item in items] == ["print(a)", "print(b)"]
        assert len(await editor.inline(URI, 1, 5, kind=1)) == 1  # automatic, now that the client is known


async def test_an_engine_that_raises_is_reported_once_and_the_next_request_works() -> None:
    script = {"answers": [{"error": "boom"}, {"error": "boom"}, "x)"]}
    async with InProcessEditor(script) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        assert await editor.inline(URI, 0, 6) == []
        assert await editor.inline(URI, 0, 6) == []
        assert len(await editor.inline(URI, 0, 6)) == 1
        [message] = editor.shown
        assert "RuntimeError" in message
        assert "boom" not in message  # it may quote what the user writes


async def test_it_is_quiet_after_a_deletion_and_an_undo_but_not_for_whoever_asks() -> None:
    async with InProcessEditor({"answers": ["x)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(y\n")
        editor.edit(URI, (0, 6), (0, 7), "")
        assert await editor.inline(URI, 0, 6) == []
        assert len(await editor.inline(URI, 0, 6, kind=1)) == 1
        editor.edit(URI, (0, 6), (0, 6), "abc")
        editor.edit(URI, (0, 6), (0, 9), "")
        assert await editor.inline(URI, 0, 6) == []
        told = await editor.command("sfumato.debugInformation")
        assert told["suppressions"] == {"after-deletion": 1, "after-undo": 1}


@pytest.mark.parametrize(("outcome", "back_off_ms"), [("rejected", 150), ("accepted", 80)])
async def test_a_client_may_say_what_became_of_it(outcome: str, back_off_ms: int) -> None:
    async with InProcessEditor({"answers": ["x)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        told = {"uri": URI, "outcome": outcome}
        assert await editor.command("sfumato.noteOutcome", told) == {"noted": False}
        await editor.inline(URI, 0, 6)
        assert await editor.command("sfumato.noteOutcome", told) == {"noted": True}
        assert await editor.command("sfumato.noteOutcome", told) == {"noted": False}
        assert bool(await editor.inline(URI, 0, 6)) == (outcome == "accepted")
        facts = await editor.command("sfumato.debugInformation")
        assert (facts["outcomes"], facts["back_off_ms"]) == ({outcome: 1}, back_off_ms)
        with pytest.raises(AnsweredWithError, match="outcome"):
            await editor.command("sfumato.noteOutcome", {"uri": URI, "outcome": "liked"})


async def test_what_the_edits_say_of_ghost_text_is_counted() -> None:
    async with InProcessEditor({"answers": ["x)", "y)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\nlist(\n")
        [item] = await editor.inline(URI, 0, 6)
        editor.edit(URI, (0, 6), (0, 6), item["insertText"])
        await editor.inline(URI, 1, 5)
        await asyncio.sleep(0.26)
        editor.edit(URI, (1, 5), (1, 5), "q")
        facts = await editor.command("sfumato.debugInformation")
        assert facts["outcomes"] == {"accepted": 1, "rejected": 1}
        assert await editor.inline(URI, 1, 6) == []
        facts = await editor.command("sfumato.debugInformation")
        assert facts["suppressions"] == {"after-rejection": 1}


async def test_who_types_on_as_suggested_joins_and_both_are_answered() -> None:
    answer = {"texts": ["value)"], "drafts": ["val"], "delay_s": 0.2}
    async with InProcessEditor({"answers": [answer, "wrong)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        first = editor.ask_inline(URI, 0, 6)
        await editor.until_asked(1)
        editor.edit(URI, (0, 6), (0, 6), "va")
        second = editor.ask_inline(URI, 0, 8)
        for asked in (first, second):
            [item] = (await editor.answer(asked))["items"]
            assert item == {"insertText": "lue)", "range": range_of((0, 8), (0, 8))}
        assert editor.asked == 1
        assert (await editor.command("sfumato.debugInformation"))["counts"] == {"joined": 1}


async def test_a_request_cancelled_for_its_successor_goes_on() -> None:
    answer = {"texts": ["value)"], "delay_s": 0.1}
    async with InProcessEditor({"answers": [answer, "wrong)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        first = editor.ask_inline(URI, 0, 6)
        await editor.until_asked(1)
        editor.edit(URI, (0, 6), (0, 6), "v")
        editor.notify("$/cancelRequest", {"id": first})
        [item] = await editor.inline(URI, 0, 7)
        assert editor.accept(URI, item) == "print(value)\n"
        with pytest.raises(AnsweredWithError):
            await editor.answer(first)
        assert (editor.asked, len(editor.answers[first])) == (1, 1)


async def test_what_is_written_otherwise_than_typed_is_not_waited_for() -> None:
    answer = {"texts": ["value)"], "drafts": ["val"], "delay_s": 30}
    async with InProcessEditor({"answers": [answer, "ther)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        first = editor.ask_inline(URI, 0, 6)
        await editor.until_asked(1)
        editor.edit(URI, (0, 6), (0, 6), "o")
        [item] = await editor.inline(URI, 0, 7)
        assert editor.accept(URI, item) == "print(other)\n"
        assert (await editor.answer(first))["items"] == []


async def test_a_joined_request_whose_answer_does_not_fit_asks_for_itself() -> None:
    answer = {"texts": ["value)"], "delay_s": 0.1}
    async with InProcessEditor({"answers": [answer, "ther)"]}) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        first = editor.ask_inline(URI, 0, 6)
        await editor.until_asked(1)
        editor.edit(URI, (0, 6), (0, 6), "o")
        [item] = await editor.inline(URI, 0, 7)
        assert editor.accept(URI, item) == "print(other)\n"
        assert (await editor.answer(first))["items"] == []
        assert editor.asked == 2


async def test_brackets_that_the_editor_closed_are_no_hindrance() -> None:
    async with InProcessEditor({"answers": ["print(value)", "wrong"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        await editor.inline(URI, 0, 4)
        editor.edit(URI, (0, 4), (0, 4), "print")
        editor.edit(URI, (0, 9), (0, 9), "()")
        [item] = await editor.inline(URI, 0, 10)
        assert item == {"insertText": "value)", "range": range_of((0, 10), (0, 11))}
        assert editor.accept(URI, item) == "x = print(value)\n"
        assert editor.asked == 1


SPECULATE = {"initializationOptions": {"speculate": True}}


async def counts_of(editor: InProcessEditor) -> dict[str, int]:
    counts: dict[str, int] = (await editor.command("sfumato.debugInformation"))["speculation"]
    return counts


async def test_what_follows_acceptance_is_there_when_it_is_asked_for() -> None:
    async with InProcessEditor({"answers": ["foo", "(1)", "wrong"]}) as editor:
        await editor.initialize(**SPECULATE)
        editor.open(URI, "x = \n")
        [item] = await editor.inline(URI, 0, 4)
        await editor.until_asked(2)
        await asyncio.sleep(0.05)
        editor.edit(URI, (0, 4), (0, 4), item["insertText"])
        [item] = await editor.inline(URI, 0, 7)
        assert editor.accept(URI, item) == "x = foo(1)\n"
        assert editor.asked == 2
        assert await counts_of(editor) == {"started": 1, "finished": 1, "used": 1}
        assert [status["state"] for status in editor.statuses].count("working") == 1  # it shows nowhere


async def test_that_nothing_follows_is_known_as_well() -> None:
    async with InProcessEditor({"answers": ["foo", "", "wrong"]}) as editor:
        await editor.initialize(**SPECULATE)
        editor.open(URI, "x = \n")
        [item] = await editor.inline(URI, 0, 4)
        await editor.until_asked(2)
        await asyncio.sleep(0.05)
        editor.edit(URI, (0, 4), (0, 4), item["insertText"])
        assert await editor.inline(URI, 0, 7) == []
        assert editor.asked == 2


async def test_a_speculation_under_way_is_joined() -> None:
    answers = ["foo", {"texts": ["(1)"], "delay_s": 0.3}, "wrong"]
    async with InProcessEditor({"answers": answers}) as editor:
        await editor.initialize(**SPECULATE)
        editor.open(URI, "x = \n")
        [item] = await editor.inline(URI, 0, 4)
        await editor.until_asked(2)
        editor.edit(URI, (0, 4), (0, 4), item["insertText"])
        joined = editor.ask_inline(URI, 0, 7)
        editor.open("file:///project/b.py", "y = \n")
        other = editor.ask_inline("file:///project/b.py", 0, 4)  # somebody wants the first one now: this one waits
        [item] = (await editor.answer(joined))["items"]
        assert editor.accept(URI, item) == "x = foo(1)\n"
        assert len((await editor.answer(other))["items"]) == 1
        assert editor.asked == 3
        assert (await counts_of(editor))["used"] == 1


@pytest.mark.parametrize("by", ["typing", "asking", "closing", "a command"])
async def test_a_speculation_ends_for_anything_else(by: str) -> None:
    answers = ["foo", {"texts": ["(1)"], "delay_s": 30}, "bar"]
    async with InProcessEditor({"answers": answers}) as editor:
        await editor.initialize(**SPECULATE)
        editor.open(URI, "x = \ny = \nz = 1\n")
        await editor.inline(URI, 0, 4)
        await editor.until_asked(2)
        if by == "typing":
            editor.edit(URI, (0, 4), (0, 4), "q")
        elif by == "asking":
            assert len(await editor.inline(URI, 1, 4)) == 1
        elif by == "closing":
            editor.close(URI)
        else:
            where = {"uri": URI, "range": range_of((2, 4), (2, 5)), "instruction": "do it", "preview": True}
            assert (await editor.command("sfumato.rewrite", where))["text"] == "bar"
        async with asyncio.timeout(2):
            while editor.server.session.runner._running is not None:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.002)


async def test_no_speculation_where_it_is_switched_off_or_nothing_is_shown() -> None:
    async with InProcessEditor({"answers": ["foo", "bar"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        await editor.inline(URI, 0, 4)
        await asyncio.sleep(0.2)
        assert editor.asked == 1
    async with InProcessEditor({"answers": ["", "bar"]}) as editor:
        await editor.initialize(**SPECULATE)
        editor.open(URI, "x = \n")
        await editor.inline(URI, 0, 4)
        await asyncio.sleep(0.2)
        assert editor.asked == 1


async def test_an_answer_for_settings_that_changed_meanwhile_is_not_kept() -> None:
    async with InProcessEditor({"answers": [{"texts": ["foo"], "delay_s": 0.1}, "bar"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        asked = editor.ask_inline(URI, 0, 4)
        await editor.until_asked(1)
        editor.notify("workspace/didChangeConfiguration", {"settings": {"sfumato": {"exclude": ["*.py"]}}})
        await editor.answer(asked)
        assert await editor.inline(URI, 0, 4) == []


async def test_whoever_asks_by_hand_may_watch_it_being_written() -> None:
    answer = {"drafts": ["fo"], "delay_s": 0.05, "texts": ["foo"]}
    popup = {"range": range_of((0, 4), (0, 4)), "text": "f"}
    async with InProcessEditor({"answers": [answer]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        for kind, token in ((2, "automatic"), (1, "asked")):
            assert await editor.inline(URI, 0, 4, kind=kind, workDoneToken=token)
            editor.edit(URI, (1, 0), (1, 0), "y")  # no answer from the cache
        assert await editor.inline(URI, 0, 4, kind=1, selected=popup, workDoneToken="popup")
        assert "automatic" not in editor.progress
        told = [(one["kind"], one.get("message")) for one in editor.progress["asked"]]
        assert told == [("begin", None), ("report", "fo"), ("end", None)]
        assert [one["kind"] for one in editor.progress["popup"]] == ["begin", "report", "end"]


async def test_progress_ends_when_the_request_is_cancelled() -> None:
    async with InProcessEditor({"answers": [{"texts": ["foo"], "delay_s": 30}]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        asked = editor.ask_inline(URI, 0, 4, kind=1, workDoneToken=7)
        await editor.until_asked(1)
        editor.notify("$/cancelRequest", {"id": asked})
        with pytest.raises(AnsweredWithError):
            await editor.answer(asked)
        assert [one["kind"] for one in editor.progress[7]] == ["begin", "end"]
