from __future__ import annotations

import logging
from pathlib import Path

import pytest

from server.privacy import IGNORE_FILE, is_excluded
from server.snapshot import Snapshot


def document(uri: str | Path) -> Snapshot:
    return Snapshot(uri.as_uri() if isinstance(uri, Path) else uri, "python", 1, "")


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".env.local",
        "prod.env",
        ".ENV",
        "server.pem",
        "Server.KEY",
        "id_rsa",
        "id_rsa.bak",
        "id_work",
        ".ssh/config",
        ".aws/credentials",
        "secrets.yaml",
        "secrets/db.py",
        ".netrc",
        "_netrc",
        "passwords.kdbx",
        ".npmrc",
        ".docker/config.json",
        ".git-credentials",
        "terraform.tfstate",
        "a b/.env",
    ],
)
def test_what_is_denied(path: str) -> None:
    assert is_excluded(document(Path("/project") / path), ())


@pytest.mark.parametrize(
    "path",
    [
        "main.py",
        "id_generator.py",
        "environment.py",
        "monkey.py",
        "keyboard.ts",
        "env/a.py",
        "secret_santa.py",
        "a.pem.md",
    ],
)
def test_what_is_not(path: str) -> None:
    assert not is_excluded(document(Path("/project") / path), ())


@pytest.mark.parametrize("uri", ["untitled:.env", "vscode-remote://host/home/u/.env", "git:/a/.env?ref"])
def test_names_count_whatever_the_scheme(uri: str) -> None:
    assert is_excluded(document(uri), ())


def test_untitled_documents_are_fine() -> None:
    assert not is_excluded(document("untitled:Untitled-1"), ())


def test_patterns_of_the_user() -> None:
    private = document("file:///project/private/a.py")
    assert is_excluded(private, ("private/",))
    assert is_excluded(private, ("Private/*.PY",))
    assert not is_excluded(private, ("public/",))
    assert not is_excluded(private, ("private/*", "!a.py"))


def test_a_pattern_that_is_none_is_passed_over_and_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert is_excluded(document("file:///p/other.py"), ("!", "[z-a]x", "other.py"))
    assert "[z-a]x" in caplog.text


def test_ignore_files_up_the_tree(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / IGNORE_FILE).write_text("# private\n*.gen.py\n/a/b/top.py\n")
    (tmp_path / "a" / IGNORE_FILE).write_text("b/inner.py\n")
    excluded = {
        name: is_excluded(document(tmp_path / "a" / "b" / name), ())
        for name in ("x.gen.py", "top.py", "inner.py", "x.py")
    }
    assert excluded == {"x.gen.py": True, "top.py": True, "inner.py": True, "x.py": False}


def test_an_ignore_file_that_changes_is_read_again(tmp_path: Path) -> None:
    assert not is_excluded(document(tmp_path / "a.py"), ())
    (tmp_path / IGNORE_FILE).write_text("a.py\n")
    assert is_excluded(document(tmp_path / "a.py"), ())


def test_an_ignore_file_that_cannot_be_read_excludes_all_below(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / IGNORE_FILE).mkdir()
    with caplog.at_level(logging.WARNING):
        assert is_excluded(document(tmp_path / "a.py"), ())
    assert IGNORE_FILE in caplog.text


def test_a_link_is_judged_by_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "harmless.txt").symlink_to(tmp_path / ".env")
    assert is_excluded(document(tmp_path / "harmless.txt"), ())


def test_a_link_is_judged_by_its_own_name_and_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.py").write_text("")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / IGNORE_FILE).write_text("linked.py\n")
    (tmp_path / "here" / "linked.py").symlink_to(tmp_path / "elsewhere" / "a.py")
    assert is_excluded(document(tmp_path / "here" / "linked.py"), ())
    assert not is_excluded(document(tmp_path / "elsewhere" / "a.py"), ())


def test_a_loop_of_links_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to(tmp_path / "b.py")
    (tmp_path / "b.py").symlink_to(tmp_path / "a.py")
    assert not is_excluded(document(tmp_path / "a.py"), ())
