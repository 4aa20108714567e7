"""A pytest-lsp client in front of the real server process, with the scripted engine behind it."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

Connect = Callable[..., Awaitable["RecordingClient"]]


class RecordingClient:
    """A session: the client, what `initialize` said, and the edits it was asked to apply."""

    def __init__(self, lsp: LanguageClient, script: Path) -> None:
        self.lsp = lsp
        self.script = script
        self.edits: list[types.ApplyWorkspaceEditParams] = []
        self.states: list[str] = []
        self.result: types.InitializeResult

    def apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        """What pytest-lsp's own client lacks."""
        self.edits.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    def open(self, uri: str, text: str, language: str = "python") -> None:
        """Open a document at version 1."""
        item = types.TextDocumentItem(uri=uri, language_id=language, version=1, text=text)
        self.lsp.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, version: int, range_: types.Range, text: str) -> None:
        """Change a document."""
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
        change = types.TextDocumentContentChangePartial(range=range_, text=text)
        self.lsp.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def until_state(self, state: str) -> None:
        """Wait until the engine is in a state."""
        while state not in self.states:
            await self.lsp.wait_for_notification("sfumato/status")
        self.states.clear()

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the engine was asked, as its log has it."""
        log = self.script.with_suffix(".log")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


@pytest_asyncio.fixture
async def connect(tmp_path: Path) -> AsyncIterator[Connect]:
    """Start a server with a script and shake hands; shuts down what was started."""
    started: list[RecordingClient] = []

    async def start(script: Mapping[str, Any], like: str | None = None, **params: Any) -> RecordingClient:
        file = tmp_path / f"script{len(started)}.json"
        file.write_text(json.dumps({**script, "log": str(file.with_suffix(".log"))}), encoding="utf-8")
        command = [sys.executable, "-m", "tests.clients.scripted_server", "--script", str(file)]
        lsp = await ClientServerConfig(server_command=command, client_factory=make_test_lsp_client).start()
        assert isinstance(lsp, LanguageClient)
        session = RecordingClient(lsp, file)
        lsp.feature(types.WORKSPACE_APPLY_EDIT)(lambda params: session.apply(params))
        lsp.feature("sfumato/status")(lambda params: session.states.append(params.state))
        started.append(session)
        capabilities = client_capabilities(like) if like else with_ghost_text()
        params["initialization_options"] = {"speculate": False, **params.get("initialization_options", {})}
        session.result = await lsp.initialize_session(types.InitializeParams(capabilities=capabilities, **params))
        return session

    yield start
    for session in started:
        await session.lsp.shutdown_session()
        await session.lsp.stop()


def with_ghost_text() -> types.ClientCapabilities:
    """What a current client says."""
    return types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            inline_completion=types.InlineCompletionClientCapabilities()
        ),
        window=types.WindowClientCapabilities(work_done_progress=True),
        workspace=types.WorkspaceClientCapabilities(
            apply_edit=True, workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
        ),
    )


@pytest.fixture
def uri() -> str:
    """Some document; no file has to be there."""
    return "file:///project/a.py"
