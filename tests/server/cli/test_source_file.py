"""Files are read as UTF-8 and replaced all or nothing, with everything that is not text kept."""

from __future__ import annotations

import os
import stat
from codecs import BOM_UTF8, BOM_UTF16_LE
from pathlib import Path

import pytest

from server.cli.arguments import UsageError
from server.cli.source_file import read_source


def test_text_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes("é\r\n🙂\x0c\rz".encode())
    source = read_source(path)
    assert source.text == "é\r\n🙂\x0c\rz"
    snapshot = source.snapshot()
    assert (snapshot.language, snapshot.uri, snapshot.text) == ("python", path.as_uri(), source.text)


def test_the_byte_order_mark_is_not_text_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(BOM_UTF8 + b"old\r\n")
    source = read_source(path)
    assert source.text == "old\r\n"
    source.replace("new\r\n")
    assert path.read_bytes() == BOM_UTF8 + b"new\r\n"


def test_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text("old\n")
    path.chmod(0o754)
    read_source(path).replace("new\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o754


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "a.py", tmp_path / "link.py"
    path.write_text("old\n")
    link.symlink_to(path)
    read_source(link).replace("new\n")
    assert link.is_symlink()
    assert path.read_text() == "new\n"


def test_a_file_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("old\n")
    source = read_source(path)
    path.write_text("theirs\n")
    with pytest.raises(OSError, match=r"changed by somebody else meanwhile; nothing was written"):
        source.replace("ours\n")
    assert path.read_text() == "theirs\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("old\n")
    source = read_source(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        source.replace("ours\n")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.py: no such file"):
        read_source(tmp_path / "gone.py")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a directory"):
        read_source(tmp_path)


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is not a regular file"):
        read_source(tmp_path / "pipe")


def test_a_file_below_a_file_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(UsageError, match="cannot be read"):
        read_source(tmp_path / "a" / "b.py")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ab\xe9", "0xe9 at offset 2"),
        (BOM_UTF8 + b"ab\xe9", "0xe9 at offset 5"),
        (BOM_UTF16_LE + b"a\x00", "0xff at offset 0"),
    ],
)
def test_what_is_not_utf_8_is_said_with_its_place(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "a.py").write_bytes(data)
    with pytest.raises(UsageError, match=f"is not UTF-8 .*{said}"):
        read_source(tmp_path / "a.py")
