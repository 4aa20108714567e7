from __future__ import annotations

import logging
import random
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from server.privacy import DENIED, IGNORE_FILE, is_excluded, is_file_excluded
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
        "id_cards/.env",
        "id_v1.2/server.key",
        "\u017fecrets.py",  # a long s, the same letter to some file systems
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
        "id_cards/main.py",
    ],
)
def test_what_is_not(path: str) -> None:
    assert not is_excluded(document(Path("/project") / path), ())


@pytest.mark.parametrize("uri", ["untitled:.env", "vscode-remote://host/home/u/.env", "git:/a/.env?ref"])
def test_names_count_whatever_the_scheme(uri: str) -> None:
    assert is_excluded(document(uri), ())


def test_the_page_about_privacy_lists_what_is_denied() -> None:
    page = (Path(__file__).parents[2] / "docs" / "privacy.md").read_text(encoding="utf-8")
    assert page.split("```gitignore")[1].split("```")[0].split() == list(DENIED)


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


def test_accents_are_the_same_however_they_are_spelled(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).write_text(unicodedata.normalize("NFC", "h\u00e9.py\n"), encoding="utf-8")
    assert is_excluded(document(tmp_path / unicodedata.normalize("NFD", "H\u00c9.py")), ())


def test_an_ignore_file_from_windows_is_read(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).write_bytes(b"\xef\xbb\xbfa.py\r\nb.py\r\n")
    assert [is_excluded(document(tmp_path / name), ()) for name in ("a.py", "b.py", "c.py")] == [True, True, False]


def test_no_ignore_file_and_no_other_setting_lets_in_what_is_denied(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).write_text("!.env\n!*\n")
    assert is_excluded(document(tmp_path / ".env"), ())
    assert not is_excluded(document(tmp_path / ".env.example"), ("!.env.example",))


PATTERNS = (
    *("a", "b", "/a", "/b/", "a/", "a/b", "a/*", "b/**", "**/b", "a/**/c.py", "*", "*/", "?", "*.py", "c.py", "d.*"),
    *("!a/", "!b", "!*/", "!c.py", "!d.py", "!a/c.py", "[cd].py", "#x", "\\!a", " ", "c.py "),
)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the reference")
@pytest.mark.parametrize("seed", range(30))
def test_ignore_files_say_what_git_would_read_in_them(seed: int, tmp_path: Path) -> None:
    pick = random.Random(seed)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    folders = ("", "a", "b", "a/a", "a/b", "b/a", "b/b")
    files = [tmp_path / folder / name for folder in folders for name in ("c.py", "d.py", "e")]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
    for folder in pick.sample(folders, 3):
        patterns = "\n".join(pick.choices(PATTERNS, k=pick.randint(1, 4)))
        for name in (".gitignore", IGNORE_FILE):
            (tmp_path / folder / name).write_text(patterns)
    ask = ["git", "-C", tmp_path, "check-ignore", "--no-index", "--stdin", "-z"]
    names = "\0".join(map(str, files)).encode()
    told = subprocess.run(ask, input=names, capture_output=True, check=False).stdout.decode().split("\0")
    assert [file for file in files if is_file_excluded(file, ())] == [file for file in files if str(file) in told]


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


def test_a_link_is_judged_by_every_link_on_its_way(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("")
    (tmp_path / ".env").symlink_to("plain.txt")
    (tmp_path / "a.txt").symlink_to(tmp_path / ".env")
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "config").write_text("")
    (tmp_path / ".ssh").symlink_to("keys")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "safe").symlink_to("../.ssh")
    assert is_excluded(document(tmp_path / "a.txt"), ())
    assert is_excluded(document(tmp_path / "sub" / "safe" / "config"), ())
    assert not is_excluded(document(tmp_path / "keys" / "config"), ())


def test_only_file_documents_have_to_do_with_the_disk(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "linked.py").symlink_to(tmp_path / ".env")
    (tmp_path / IGNORE_FILE).write_text("*\n")
    path = (tmp_path / "linked.py").as_posix()
    assert is_excluded(document(f"file://{path}"), ())
    for uri in (f"untitled:{path}", f"git:{path}?ref", f"vscode-notebook-cell:{path}#c1", f"http://host{path}", path):
        assert not is_excluded(document(uri), ())


def test_a_loop_of_links_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to(tmp_path / "b.py")
    (tmp_path / "b.py").symlink_to(tmp_path / "a.py")
    assert not is_excluded(document(tmp_path / "a.py"), ())
