"""Which files of a repository are read."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from server.cli.arguments import UsageError
from server.cli.repository import read_repository


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    (path / ".gitignore").write_text("built/\n*.log\n")
    files = {
        "tracked.py": "x = 1\r\ny = 2\r\n",
        "new.py": "z = 3\n",
        "sub/é.py": "w = 4\n",
        "built/made.py": "no\n",
        "run.log": "no\n",
        ".env": "KEY=no\n",
        "secrets.py": "no\n",
        "mine/own.py": "no\n",
        "binary.py": "\0no",
        "long.py": "n" * 200_001,
    }
    for name, text in files.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(text.encode())
    (path / ".sfumatoignore").write_text("mine/\n")
    (path / "link.py").symlink_to("new.py")
    subprocess.run(["git", "-C", str(path), "add", "tracked.py"], check=True)
    return path


def test_what_git_or_privacy_leaves_out_is_not_read(repo: Path) -> None:
    files = dict(read_repository(repo, ("new.*",)))
    assert {name: text for name, text in files.items() if name.endswith(".py")} == {
        "tracked.py": "x = 1\ny = 2\n",
        "sub/é.py": "w = 4\n",
    }
    assert not files.keys() & {".env", "run.log", "secrets.py"}


def test_a_folder_of_a_repository_is_enough(repo: Path) -> None:
    assert read_repository(repo / "sub", ()) == [("é.py", "w = 4\n")]


def test_a_tracked_file_that_is_gone_is_passed_over(repo: Path) -> None:
    (repo / "tracked.py").unlink()
    assert "tracked.py" not in dict(read_repository(repo, ()))


def test_nothing_of_the_repository_is_run(repo: Path, tmp_path: Path) -> None:
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    subprocess.run(["git", "-C", str(repo), "config", "core.fsmonitor", str(hook)], check=True)
    read_repository(repo, ())
    assert not (tmp_path / "ran").exists()


def test_outside_a_repository_it_is_not_known_what_to_leave_out(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not in a git repository, so what to leave out is not known"):
        read_repository(tmp_path, ())
