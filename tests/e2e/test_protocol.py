"""The whole server as a process, spoken to by a client of its own framework: the roads a user takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcRequestCancelled

from .conftest import Connect, RecordingClient

AUTOMATIC = types.InlineCompletionTriggerKind.Automatic


def inline(uri: str, line: int, character: int) -> types.InlineCompletionParams:
    return types.InlineCompletionParams(
        types.InlineCompletionContext(AUTOMATIC), types.TextDocumentIdentifier(uri), types.Position(line, character)
    )


def span(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))


async def items(client: RecordingClient, uri: str, line: int, character: int) -> list[types.InlineCompletionItem]:
    answer = await client.lsp.text_document_inline_completion_async(inline(uri, line, character))
    assert isinstance(answer, types.InlineCompletionList)
    return list(answer.items)


async def command(client: RecordingClient, name: str, argument: Mapping[str, Any], **how: Any) -> Any:
    params = types.ExecuteCommandParams(command=name, arguments=[argument], **how)
    return await client.lsp.workspace_execute_command_async(params)


def rewriting(uri: str, where: types.Range, **more: Any) -> dict[str, Any]:
    ends = [{"line": place.line, "character": place.character} for place in (where.start, where.end)]
    return {"uri": uri, "range": {"start": ends[0], "end": ends[1]}, "instruction": "do it", **more}


async def test_ghost_text(connect: Connect, uri: str) -> None:
    client = await connect({"answers": ["s)"]})
    client.open(uri, 's = "😀😀"; n = len(\n')
    [item] = await items(client, uri, 0, 20)
    assert item == types.InlineCompletionItem("s)", range=span(0, 20, 20))


@pytest.mark.parametrize("like", ["neovim@v0.11.0", "neovim@v0.6.1", "visual-studio-code", "emacs"])
async def test_clients_without_ghost_text_get_items(connect: Connect, uri: str, like: str) -> None:
    """With the capabilities that real clients send; pytest-lsp checks the answers against them."""
    client = await connect({"answers": ["nt(x)"]}, like)
    assert client.result.capabilities.completion_provider is not None
    client.open(uri, "pri\n")
    answer = await client.lsp.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(0, 3))
    )
    assert isinstance(answer, types.CompletionList)
    assert [item.label for item in answer.items] == ["print(x)"]


async def test_cancelling(connect: Connect, uri: str) -> None:
    """The client's own `future.cancel()` would send nothing: the request needs an id of its own."""
    client = await connect({"answers": [{"texts": ["x"], "delay_s": 60}, "y"]})
    client.open(uri, "x = \n")
    method = types.TEXT_DOCUMENT_INLINE_COMPLETION
    asked = asyncio.ensure_future(client.lsp.protocol.send_request_async(method, inline(uri, 0, 4), msg_id="mine"))
    await client.until_state("working")
    client.lsp.cancel_request(types.CancelParams(id="mine"))
    with pytest.raises(JsonRpcRequestCancelled):
        await asked
    began = time.monotonic()
    await client.until_state("ready")  # whoever asks again in the same breath takes over what is being written
    assert [item.insert_text for item in await items(client, uri, 0, 4)] == ["y"]
    assert time.monotonic() - began < 5
    assert [event["event"] for event in client.asked] == ["infill", "cancelled", "infill"]


async def test_latest_wins_and_everybody_is_answered(connect: Connect, uri: str) -> None:
    client = await connect({"answers": [{"texts": ["x"], "delay_s": 0.3}]})
    client.open(uri, "x = \n")
    answers = await asyncio.gather(*(items(client, uri, 0, 4) for _ in range(5)))
    assert [len(answer) for answer in answers] == [0, 0, 0, 0, 1]


async def test_an_answer_is_rebased_over_what_was_typed(connect: Connect, uri: str) -> None:
    client = await connect({"answers": [{"texts": ["value)"], "delay_s": 0.3}]})
    client.open(uri, "print(\n")
    asked = asyncio.ensure_future(items(client, uri, 0, 6))
    await client.until_state("working")
    client.change(uri, 2, span(0, 6, 6), "v")
    assert await asked == [types.InlineCompletionItem("alue)", range=span(0, 7, 7))]


async def test_a_rewrite_is_one_versioned_edit(connect: Connect, uri: str) -> None:
    client = await connect({"answers": ["count"]})
    client.open(uri, "oldName = 1\n")
    outcome = await command(client, "sfumato.rewrite", rewriting(uri, span(0, 0, 7), version=1))
    assert outcome["applied"] is True
    [edit] = client.edits
    [change] = edit.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document == types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=1)
    assert list(change.edits) == [types.TextEdit(span(0, 0, 7), "count")]


async def test_a_stale_rewrite_is_refused(connect: Connect, uri: str) -> None:
    client = await connect({"answers": ["count"]})
    client.open(uri, "oldName = 1\n")
    client.change(uri, 2, span(0, 0, 0), "# ")
    outcome = await command(client, "sfumato.rewrite", rewriting(uri, span(0, 0, 7), version=1))
    assert (outcome["applied"], outcome["refused"]) == (False, "stale-version")
    assert "changed since" in client.lsp.messages[0].message
    assert (client.edits, client.asked) == ([], [])


async def test_rewrite_progress_reaches_the_client_and_its_cancel_comes_back(connect: Connect, uri: str) -> None:
    client = await connect({"answers": [{"texts": ["b"], "drafts": ["a", "b"], "delay_s": 60}]})
    client.open(uri, "x = 1\n")
    asked = asyncio.ensure_future(command(client, "sfumato.rewrite", rewriting(uri, span(0, 4, 5))))
    await client.lsp.wait_for_notification("$/progress")
    [token] = client.lsp.progress_reports
    client.lsp.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    with pytest.raises(JsonRpcRequestCancelled):
        await asked
    assert client.lsp.progress_reports[token][-1].kind == "end"


async def test_holes_are_filled_together(connect: Connect, uri: str) -> None:
    client = await connect({"answers": [["a", "b"]]})
    client.open(uri, "x = <<hole>>\ny = <<hole>>\n")
    outcome = await command(client, "sfumato.fillHoles", {"uri": uri, "preview": True})
    assert outcome["texts"] == ["a", "b"]
    [asked] = client.asked
    assert len(asked["holes"]) == 2


async def test_settings_are_read_with_patience(connect: Connect, uri: str) -> None:
    client = await connect({"answers": ["x"]}, initialization_options={"steps": -1, "maxTokens": "512"})
    client.lsp.workspace_did_change_configuration(types.DidChangeConfigurationParams({"sfumato": {"steps": -1}}))
    client.open(uri, "x = \n")
    assert len(await items(client, uri, 0, 4)) == 1
    [message] = [message.message for message in client.lsp.messages]
    assert "steps" in message  # and not again for each change of the settings
    assert "maxTokens" in message


async def test_a_model_that_does_not_open_is_said_once(connect: Connect, uri: str) -> None:
    script = {"models": {"/no/model": {"error": "no model at /no/model"}}}
    client = await connect(script, initialization_options={"model": "/no/model"})
    await client.until_state("failed")
    client.open(uri, "x = \n")
    assert [await items(client, uri, 0, 4) for _ in range(3)] == [[], [], []]
    assert [message.message for message in client.lsp.messages] == ["Sfumato: no model at /no/model"]
    assert all(reports[-1].kind == "end" for reports in client.lsp.progress_reports.values())


async def test_an_engine_that_raises_leaves_the_server_up(connect: Connect, uri: str) -> None:
    client = await connect({"answers": [{"error": "boom"}, "x"]})
    client.open(uri, "x = \n")
    assert await items(client, uri, 0, 4) == []
    assert len(await items(client, uri, 0, 4)) == 1
    assert len(client.lsp.messages) == 1


async def test_malformed_parameters_are_an_error_for_the_asker_alone(connect: Connect, uri: str) -> None:
    client = await connect({"answers": ["x"]})
    with pytest.raises(JsonRpcInvalidParams, match="line"):
        await command(client, "sfumato.rewrite", {"uri": uri, "range": {"start": {}, "end": {}}, "instruction": 1})
    with pytest.raises(JsonRpcException):
        await client.lsp.protocol.send_request_async("sfumato/unknown", {})
    client.open(uri, "x = \n")
    assert len(await items(client, uri, 0, 4)) == 1
    assert client.lsp.messages == []


async def test_initialize_does_not_wait_for_the_model(connect: Connect) -> None:
    slow = {"models": {"embedded": {"progress": [["load", 0, 0]], "delay_s": 60}}}
    client = await connect(slow)
    began = time.monotonic()
    told = await client.lsp.workspace_execute_command_async(types.ExecuteCommandParams("sfumato.debugInformation"))
    assert time.monotonic() - began < 1
    assert told["model"] is None
