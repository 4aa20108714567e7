"""Records survive a kill, and only the run they belong to goes on with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.journal import Journal, JournalError, Record

RUN: dict[str, str | int] = {"model": "answering", "seed": 3}
RECORD = Record(
    id="a",
    problem="p",
    text="x\r\n\u2028é",
    stop_reason="end",
    passed=True,
    ending="passed",
    exact=False,
    syntax_valid=None,
    tokens=3,
    forwards=2,
    prompt_tokens=9,
    reused_tokens=0,
    seconds=0.5,
    encode_ms=1.0,
    denoise_ms=2.0,
)


def test_records_are_there_after_a_new_start(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j", RUN, Record)
    journal.add(RECORD)
    journal.add(replace(RECORD, id="b"))
    assert Journal.open(tmp_path / "j", RUN, Record).records == {"a": RECORD, "b": replace(RECORD, id="b")}


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_line_cut_short_is_taken_off_and_written_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "j"
    journal = Journal.open(path, RUN, Record)
    journal.add(RECORD)
    journal.add(replace(RECORD, id="b"))
    path.write_bytes(path.read_bytes()[:-cut])
    again = Journal.open(path, RUN, Record)
    assert again.records == {"a": RECORD}
    again.add(replace(RECORD, id="c"))
    assert list(Journal.open(path, RUN, Record).records) == ["a", "c"]


def test_a_header_cut_short_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(b'{"run": {"mo')
    Journal.open(tmp_path / "j", RUN, Record).add(RECORD)
    assert Journal.open(tmp_path / "j", RUN, Record).records == {"a": RECORD}


def test_another_run_is_refused_and_left_alone(tmp_path: Path) -> None:
    Journal.open(tmp_path / "j", RUN, Record).add(RECORD)
    with pytest.raises(JournalError, match=r"records of another run \(differs in precision, seed\)"):
        Journal.open(tmp_path / "j", RUN | {"seed": 4, "precision": "int8"}, Record)
    assert Journal.open(tmp_path / "j", RUN, Record).records == {"a": RECORD}


@pytest.mark.parametrize("content", ["hello\n", "[]\n", '{"n": 3}\n', '{"run": {}}\n{"id": "a"}\n', '{"run": 3}\n'])
def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "j").write_text(content)
    with pytest.raises(JournalError, match="not a journal of this benchmark"):
        Journal.open(tmp_path / "j", {}, Record)
    assert (tmp_path / "j").read_text() == content
