from __future__ import annotations

from typing import Any

import pytest

from tests.clients.editor import GHOST_TEXT, InProcessEditor

URI = "file:///project/a.py"
CHANGED = "workspace/didChangeConfiguration"


@pytest.mark.parametrize("options", [{}, {"initializationOptions": None}, {"initializationOptions": {}}])
async def test_no_options_are_fine(options: dict[str, Any]) -> None:
    async with InProcessEditor({"answers": ["x"]}) as editor:
        await editor.initialize(**options)
        for settings in ({"settings": None}, {"settings": {}}, {}):
            editor.notify(CHANGED, settings)
        editor.open(URI, "x = \n")
        assert len(await editor.inline(URI, 0, 4)) == 1
        assert (editor.shown, editor.opening.opened) == ([], ["embedded"])


async def test_a_bad_key_is_named_once_and_the_rest_holds() -> None:
    async with InProcessEditor({"answers": ["x"]}) as editor:
        bad = {"max_tokens": "512", "steps": -1, "model": 12, "threads": 3}
        await editor.initialize(initializationOptions=bad)
        editor.notify(CHANGED, {"settings": {"sfumato": bad}})
        editor.open(URI, "x = \n")
        assert len(await editor.inline(URI, 0, 4)) == 1
        [message] = editor.shown
        assert all(key in message for key in ("max_tokens", "steps", "model"))
        editor.notify(CHANGED, {"settings": {"sfumato": bad | {"tabSize": 99}}})
        assert len(await editor.inline(URI, 0, 4)) == 1
        assert "tabSize" in editor.shown[1]
        assert "max_tokens" not in editor.shown[1]
        settings = (await editor.command("sfumato.debugInformation"))["settings"]
        assert (settings["max_tokens"], settings["threads"], settings["model"]) == (256, 3, "embedded")


async def test_a_failure_is_said_once_and_another_model_is_tried() -> None:
    script = {"answers": ["x"], "models": {"/no/model": {"error": "no model at /no/model; run sfumato models pull"}}}
    async with InProcessEditor(script) as editor:
        await editor.initialize(initializationOptions={"model": "/no/model"})
        editor.open(URI, "x = \n")
        for _ in range(3):
            assert await editor.inline(URI, 0, 4) == []
        assert editor.shown == ["Sfumato: no model at /no/model; run sfumato models pull"]
        assert editor.state == "failed"
        editor.notify(CHANGED, {"settings": {"sfumato": {"model": "causal"}}})
        await editor.until(lambda: editor.state == "ready")
        assert len(await editor.inline(URI, 0, 4)) == 1
        editor.notify(CHANGED, {"settings": {"sfumato": {"model": "/no/model"}}})
        await editor.until(lambda: editor.state == "failed")
        assert editor.opening.opened == ["/no/model", "causal", "/no/model"]
        assert len(editor.shown) == 2  # it was asked for again


async def test_settings_that_do_not_concern_the_engine_do_not_reopen_it() -> None:
    async with InProcessEditor({"answers": ["x"]}) as editor:
        await editor.initialize(initializationOptions={"model": "causal"})
        editor.notify(CHANGED, {"settings": {"sfumato": {"maxTokens": 7}}})
        editor.notify(CHANGED, {"settings": {}})
        assert editor.opening.opened == ["causal"]


async def test_a_client_that_only_says_so_is_asked() -> None:
    capabilities = {**GHOST_TEXT, "workspace": {"configuration": True}}
    async with InProcessEditor({"answers": ["x"]}, configuration={"maxTokens": 9}) as editor:
        await editor.initialize(capabilities)
        editor.notify(CHANGED, {"settings": None})
        assert (await editor.command("sfumato.debugInformation"))["settings"]["max_tokens"] == 9


async def test_changed_settings_forget_what_was_suggested() -> None:
    async with InProcessEditor({"answers": ["x", "y"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        await editor.inline(URI, 0, 4)
        editor.notify(CHANGED, {"settings": {"sfumato": {"exclude": ["*.py"]}}})
        assert await editor.inline(URI, 0, 4) == []
        assert (await editor.command("sfumato.debugInformation"))["refusals"] == {"excluded": 1}
