"""Benchmark files, their traps, and the seeded sample."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.tasks import DataError, load_tasks, sample_tasks

from .hand_made import MIDDLE, humaneval_row, santacoder_row, write_rows


@pytest.mark.parametrize("name", ["tasks.jsonl", "tasks.jsonl.gz"])
def test_humaneval_infilling_is_read_plain_and_compressed(tmp_path: Path, name: str) -> None:
    (task,) = load_tasks(write_rows(tmp_path / name, [humaneval_row(12, 3)]))
    assert (task.id, task.problem, task.language) == ("SingleLineInfilling/HumanEval/12/L3", "HumanEval/12", "python")
    assert task.runnable
    assert task.joined(MIDDLE) == task.prefix + MIDDLE + task.suffix


def test_the_program_is_the_official_one(tmp_path: Path) -> None:
    row = humaneval_row(0)
    (task,) = load_tasks(write_rows(tmp_path / "tasks.jsonl", [row]))
    assert task.program("X") == row["prompt"] + "X" + row["suffix"] + "\n" + row["test"] + "\n" + "check(add)"


def test_humaneval_matches_to_the_last_character(tmp_path: Path) -> None:
    (task,) = load_tasks(write_rows(tmp_path / "tasks.jsonl", [humaneval_row(0)]))
    assert task.matches(MIDDLE)
    assert not task.matches(MIDDLE.rstrip("\n"))
    assert not task.matches(MIDDLE + "\n")


def test_santacoder_sets_the_lost_line_ends_aside_and_nothing_else(tmp_path: Path) -> None:
    row = santacoder_row("py", "def add(a, b):", "    return a + b", "\n")
    (task,) = load_tasks(write_rows(tmp_path / "tasks.jsonl", [row]))
    assert (task.problem, task.language, task.runnable) == ("HumanEval/7", "python", False)
    assert task.matches("    return a + b")
    assert task.matches("\n    return a + b\n")
    assert not task.matches("return a + b")
    assert not task.matches("    return a + b\n    pass")
    assert not task.matches("    return a + b ")


def test_santacoder_names_repeat_but_ids_do_not(tmp_path: Path) -> None:
    rows = [
        santacoder_row("py", "a", "b", "c"),
        santacoder_row("py", "d", "e", "f"),
        santacoder_row("js", "g", "h", "i"),
    ]
    tasks = load_tasks(write_rows(tmp_path / "tasks.jsonl", rows))
    assert len({task.id for task in tasks}) == 3
    assert {task.problem for task in tasks} == {"HumanEval/7"}
    assert tasks[2].language == "javascript"


def test_the_sample_is_the_head_of_a_seeded_shuffle(tmp_path: Path) -> None:
    tasks = load_tasks(write_rows(tmp_path / "tasks.jsonl", [humaneval_row(number) for number in range(20)]))
    shuffled = list(tasks)
    random.Random(5).shuffle(shuffled)
    assert sample_tasks(tasks, 8, 5) == tuple(shuffled[:8])
    assert sample_tasks(tasks, 12, 5)[:8] == sample_tasks(tasks, 8, 5)
    assert sample_tasks(tasks, 8, 6) != sample_tasks(tasks, 8, 5)
    assert sample_tasks(tasks, None, 5) == tuple(shuffled)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no tasks"),
        (b"{]\n", "tasks.jsonl:1: not JSON"),
        (b"[1]\n", "tasks.jsonl:1: not an object"),
        (b'{"task_id": 1}\n', "tasks.jsonl:1: neither a HumanEval-Infilling nor a SantaCoder-FIM task (keys: )"),
        (b'\n{"a": "b"}\n', "tasks.jsonl:2: neither a HumanEval-Infilling nor a SantaCoder-FIM task (keys: a)"),
        (b"\xff\xfe\n", "cannot be read"),
    ],
)
def test_bad_files_are_named_with_their_line(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "tasks.jsonl").write_bytes(content)
    with pytest.raises(DataError) as error:
        load_tasks(tmp_path / "tasks.jsonl")
    assert says in str(error.value)


def test_a_missing_file_and_a_broken_archive_are_data_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        load_tasks(tmp_path / "none.jsonl")
    whole = write_rows(tmp_path / "whole.jsonl.gz", [humaneval_row(0)]).read_bytes()
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="cannot be read"):
        load_tasks(tmp_path / "cut.jsonl.gz")


def test_unknown_languages_and_repeated_ids_are_data_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="language 'java' is not known"):
        load_tasks(write_rows(tmp_path / "java.jsonl", [santacoder_row("java", "a", "b", "c")]))
    with pytest.raises(DataError, match="1 task ids occur more than once"):
        load_tasks(write_rows(tmp_path / "twice.jsonl", [humaneval_row(0), humaneval_row(0)]))
