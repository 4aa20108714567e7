"""Imported files are read below the folders that are open, as these come and go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.clients.editor import InProcessEditor

TEXT = "from cart import Cart\n\nCart().\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "cart.py").write_text("class Cart:\n    def add(self, item): ...\n")
    (tmp_path / "linked").symlink_to("real")
    return tmp_path


def opened(folder: Path) -> dict[str, str]:
    return {"uri": folder.as_uri(), "name": folder.name}


async def shown(editor: InProcessEditor, file: Path) -> list[str]:
    """Where the excerpts came from that a completion was given."""
    editor.open(file.as_uri(), TEXT)
    await editor.inline(file.as_uri(), 2, 7, kind=1)
    told: list[str] = (await editor.command("sfumato.debugInformation"))["snippets"]
    editor.close(file.as_uri())
    return told


@pytest.mark.parametrize(
    ("params", "count"),
    [
        (lambda folder: {"workspaceFolders": [opened(folder)]}, 1),
        (lambda folder: {"workspaceFolders": None, "rootUri": folder.as_uri()}, 1),
        (lambda folder: {"workspaceFolders": [opened(folder / "elsewhere")], "rootUri": folder.as_uri()}, 0),
        (lambda _: {"workspaceFolders": None, "rootUri": None}, 0),
        (lambda _: {"rootUri": "untitled:here"}, 0),
    ],
)
@pytest.mark.parametrize("name", ["real", "linked"])
async def test_folders_from_the_beginning(folder: Path, params: Any, count: int, name: str) -> None:
    async with InProcessEditor({"answers": ["add(1)"]}) as editor:
        await editor.initialize(**params(folder / name))
        assert len(await shown(editor, folder / name / "order.py")) == count


async def test_folders_come_and_go(folder: Path) -> None:
    async with InProcessEditor({"answers": ["add(1)"]}) as editor:
        await editor.initialize()
        for added, removed, count in ((["real"], [], 1), ([], ["real"], 0)):
            event = {
                "added": [opened(folder / one) for one in added],
                "removed": [opened(folder / one) for one in removed],
            }
            editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})
            assert len(await shown(editor, folder / "real" / f"order{count}.py")) == count
