"""editors/PROTOCOL.md says what is so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from server.app import create_server
from server.features.changing import REASONS
from server.features.commands import AgainArguments, FillHolesArguments, RewriteArguments
from server.features.outcome import OutcomeArguments
from server.quiet import Suppressed
from server.status import State
from server.suggestion import Refused
from tests.clients.editor import InProcessEditor
from tests.clients.scripted_engine import ScriptedOpening

TEXT = (Path(__file__).parents[2] / "editors" / "PROTOCOL.md").read_text(encoding="utf-8")
STATUS, REWRITE, OUTCOME, REFUSAL, AGAIN, FILL, NOTE = (
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
)
URI = "file:///project/a.py"


def test_the_arguments_shown_are_the_arguments_taken() -> None:
    kinds = (RewriteArguments, AgainArguments, FillHolesArguments, OutcomeArguments)
    for example, kind in zip((REWRITE, AGAIN, FILL, NOTE), kinds, strict=True):
        assert set(example) <= {field.encode_name for field in msgspec.structs.fields(kind)}
        msgspec.convert(example, kind)


async def test_the_outcomes_shown_are_the_outcomes_given() -> None:
    async with InProcessEditor({"answers": ["2"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n", version=7)
        where: dict[str, Any] = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}
        done = await editor.command("sfumato.rewrite", {**REWRITE, "range": where})
        refused = await editor.command("sfumato.rewrite", {**REWRITE, "range": where, "version": 6})
        assert set(done) == set(OUTCOME)
        assert refused == REFUSAL
        assert set(editor.statuses[0]) == set(STATUS)
        told = await editor.command("sfumato.debugInformation")
        assert all(f"`{key}`" in TEXT for key in (*told, *told["last"]))


def test_every_command_state_and_reason_is_named() -> None:
    commands = create_server(ScriptedOpening({})).protocol.fm.commands
    assert all(f"## `{command}`" in TEXT for command in commands)
    assert all(f"`{name}`" in TEXT for name in (*State, *Suppressed, *Refused, *REASONS))
