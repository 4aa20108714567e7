"""Digests remembered until the file changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import StorageError
from engine.hub.digests import DigestMemory
from engine.hub.meter import Meter

from .hub_fakes import Sink, sha256


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    return path


def silent() -> Meter:
    return Meter(None, "verify", 0)


def test_it_recalls_what_it_read(tmp_path: Path, file: Path) -> None:
    memory = DigestMemory(tmp_path / "digests")
    assert memory.recall(file) is None
    assert memory.read(file, silent()) == sha256(b"content")
    assert memory.recall(file) == sha256(b"content")
    memory.forget(file)
    assert memory.recall(file) is None


def test_a_changed_or_replaced_file_is_not_recalled(tmp_path: Path, file: Path) -> None:
    memory = DigestMemory(tmp_path / "digests")
    memory.read(file, silent())
    (tmp_path / "other").write_bytes(b"CONTENT")
    (tmp_path / "other").replace(file)
    assert memory.recall(file) is None


@pytest.mark.parametrize("torn", ["", "{", "[]", '{"stamp": 1}'])
def test_a_torn_memory_is_no_memory(tmp_path: Path, file: Path, torn: str) -> None:
    memory = DigestMemory(tmp_path / "digests")
    memory.read(file, silent())
    (record,) = (tmp_path / "digests").iterdir()
    record.write_text(torn)
    assert memory.recall(file) is None


def test_a_memory_that_cannot_be_written_still_reads(tmp_path: Path, file: Path) -> None:
    (tmp_path / "digests").write_text("not a folder")
    memory = DigestMemory(tmp_path / "digests")
    assert memory.read(file, silent()) == sha256(b"content")
    assert memory.recall(file) is None


def test_a_file_that_changes_while_it_is_read_is_not_remembered(tmp_path: Path, file: Path) -> None:
    memory = DigestMemory(tmp_path / "digests")

    def meddle(_: object) -> None:
        file.write_bytes(b"longer content")

    memory.read(file, Meter(meddle, "verify", 7))
    assert memory.recall(file) is None


def test_an_absent_file_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="absent"):
        DigestMemory(tmp_path / "digests").read(tmp_path / "absent", silent())


def test_progress_is_told_at_the_end_and_seldom_before(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(bytes(8 << 20))
    sink = Sink()
    DigestMemory(tmp_path / "digests").read(big, Meter(sink, "verify", 8 << 20))
    assert sink.seen[-1].done == 8 << 20
    assert len(sink.seen) < 8
