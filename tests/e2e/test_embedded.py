"""The real server with the real model: greedy completions in many languages, pinned as they were observed.

Where a change of model, numerics or cleaning is meant to change them, `python -m tests.e2e.test_embedded` writes
`pinned.json` anew. Look at the difference before you commit it: every line should be code a programmer would accept.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, make_test_lsp_client

from .completions import PLACES, Place
from .conftest import RecordingClient, with_ghost_text

PINNED = Path(__file__).with_name("pinned.json")
SERVER = [sys.executable, "-m", "server", "serve", "--stdio"]
AUTOMATIC = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)

pytestmark = [pytest.mark.model, pytest.mark.asyncio(loop_scope="module")]


async def started() -> RecordingClient:
    """A server whose model is loaded."""
    lsp = await ClientServerConfig(server_command=SERVER, client_factory=make_test_lsp_client).start()
    assert isinstance(lsp, LanguageClient)
    client = RecordingClient(lsp, PINNED)
    lsp.feature("sfumato/status")(lambda params: client.states.append(params.state))
    client.result = await lsp.initialize_session(types.InitializeParams(capabilities=with_ghost_text()))
    await client.until_state("ready")
    return client


async def stopped(client: RecordingClient) -> None:
    await client.lsp.shutdown_session()
    await client.lsp.stop()


async def completion(client: RecordingClient, place: Place) -> list[str]:
    """The inserted text, and the cursor's line with it in; nothing where the server refuses."""
    uri = f"untitled:{place.name}"
    client.open(uri, place.text, place.language)
    position = types.Position(place.line, place.character)
    params = types.InlineCompletionParams(AUTOMATIC, types.TextDocumentIdentifier(uri), position)
    answer = await client.lsp.text_document_inline_completion_async(params)
    items = answer.items if isinstance(answer, types.InlineCompletionList) else answer or []
    client.lsp.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    return [line for item in items for line in (str(item.insert_text), accepted(place, item))]


def accepted(place: Place, item: types.InlineCompletionItem) -> str:
    """The cursor's line after accepting an item, by hand and in utf-16."""
    assert item.range is not None
    assert item.range.start.line == item.range.end.line == place.line
    line = place.text.split("\n")[place.line].encode("utf-16-le")
    before, after = line[: 2 * item.range.start.character], line[2 * item.range.end.character :]
    return before.decode("utf-16-le") + str(item.insert_text) + after.decode("utf-16-le")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client() -> AsyncIterator[RecordingClient]:
    session = await started()
    yield session
    await stopped(session)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.language}-{place.name}")
async def test_the_completion_is_the_pinned_one(client: RecordingClient, place: Place) -> None:
    assert await completion(client, place) == json.loads(PINNED.read_text("utf-8"))[place.name]


async def test_a_warm_server_gives_the_same_again(client: RecordingClient) -> None:
    """After all the others, in another order: nothing of an earlier request shows."""
    for place in PLACES[::-4]:
        assert await completion(client, place) == json.loads(PINNED.read_text("utf-8"))[place.name]


async def test_enough_is_pinned() -> None:
    pinned = json.loads(PINNED.read_text("utf-8"))
    assert pinned.keys() == {place.name for place in PLACES}
    assert all(pinned.values())
    assert len(pinned) >= 12
    assert len({place.language for place in PLACES}) >= 6


async def pin() -> None:
    """Write what the server says today."""
    session = await started()
    pinned = {place.name: await completion(session, place) for place in PLACES}
    await stopped(session)
    PINNED.write_text(json.dumps(pinned, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(pin())
