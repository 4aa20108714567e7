from __future__ import annotations

from pathlib import Path

import pytest

from server.snapshot import Snapshot


@pytest.mark.parametrize(
    ("uri", "path", "on_disk"),
    [
        ("file:///home/me/a%20b.py", "/home/me/a b.py", True),
        ("file:///c%3A/Users/me/a.py", "c:/Users/me/a.py", True),
        ("untitled:Untitled-1", "", False),
        ("untitled:/home/me/.env", "/home/me/.env", False),
        ("vscode-vfs://github/me/.env", "/me/.env", False),
        ("", "", False),
    ],
)
def test_path_shows_every_scheme_and_file_only_the_disk(uri: str, path: str, on_disk: bool) -> None:
    snapshot = Snapshot(uri, "python", 1, "")
    assert snapshot.path == path
    assert snapshot.file == (Path(path) if on_disk else None)


def test_lines_are_made_once() -> None:
    snapshot = Snapshot("untitled:1", "python", 1, "a\nb")
    assert snapshot.lines is snapshot.lines
    assert snapshot.lines.count == 2
