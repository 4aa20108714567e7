"""Edits by instruction: what is selected, what stands around it, and what decides whether the new text is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.edit_tasks import load_edit_tasks
from benchmarks.tasks import DataError

from .hand_made import editeval_row, humanevalpack_row, write_rows


def test_editeval_selects_the_input_where_its_context_has_it(tmp_path: Path) -> None:
    row = editeval_row(0, context="class Sums:\n{{Code}}\n\n    zero = 0")
    (task,) = load_edit_tasks([write_rows(tmp_path / "edits.jsonl", [row])], 0)
    assert (task.before, task.selected) == ("class Sums:\n", row["input"])
    assert task.after.startswith("\n\n    zero = 0\n")
    assert task.document == task.before + row["input"] + task.after
    assert task.program("NEW") == f"class Sums:\nNEW\n\n    zero = 0\n\n\n{row['test']}\ncheck()\n"


def test_a_copy_of_the_new_text_is_for_the_test_alone(tmp_path: Path) -> None:
    row = editeval_row(0, context="{{Code}}\nedited_code = '''{{Code}}'''\n")
    (task,) = load_edit_tasks([write_rows(tmp_path / "edits.jsonl", [row])], 0)
    assert task.document.startswith(f"{row['input']}\nedited_code = ''''''\n")
    assert task.program("NEW").startswith("NEW\nedited_code = '''NEW'''\n")


@pytest.mark.parametrize("part", ["Python", "JavaScript"])
def test_of_humanevalpack_the_function_with_the_bug_is_selected(tmp_path: Path, part: str) -> None:
    row = humanevalpack_row(part, 3)
    (task,) = load_edit_tasks([write_rows(tmp_path / "bugs.jsonl", [row])], 0)
    head = row["prompt"].splitlines()[-1]
    assert task.selected == f"{head}\n{row['buggy_solution']}".rstrip()
    assert task.canonical == f"{head}\n{row['canonical_solution']}".rstrip()
    assert task.before + head == row["prompt"].rstrip()
    assert task.instruction == "Fix bugs in add."
    assert (task.language, task.problem) == (part.lower(), "HumanEval/3")
    assert task.program(task.canonical).endswith(f"{row['test']}\n")


def test_an_edit_outside_the_selection_is_seen(tmp_path: Path) -> None:
    (task,) = load_edit_tasks([write_rows(tmp_path / "bugs.jsonl", [humanevalpack_row("Python", 3)])], 0)
    start, end = len(task.before), len(task.before) + len(task.selected)
    assert task.edited(start, end, "NEW") == ("NEW", False)
    assert task.edited(start, end - 1, "NEW") == ("NEWb", False)
    assert task.edited(end, end, "NEW") == (f"{task.selected}NEW", False)
    for first, last in ((start - 1, end), (start, end + 1), (0, len(task.document))):
        assert task.edited(first, last, "NEW")[1]
    assert task.edited(0, start, task.before.upper())[1]


def test_files_take_turns_and_a_beginning_depends_on_the_seed_alone(tmp_path: Path) -> None:
    edits = write_rows(tmp_path / "edits.jsonl", [editeval_row(number) for number in range(5)])
    bugs = write_rows(tmp_path / "bugs.jsonl", [humanevalpack_row("Python", number) for number in range(3)])
    tasks = load_edit_tasks([edits, bugs], 7)
    assert [task.part for task in tasks] == ["EditEval", "Python"] * 3 + ["EditEval"] * 2
    assert tasks == load_edit_tasks([edits, bugs], 7)
    assert tasks != load_edit_tasks([edits, bugs], 8)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"task_id": "Go/1"}], "bad.jsonl:1: neither an EditEval task nor one of HumanEvalPack"),
        ([{"task_id": "EditEval/1", "input": "x"}], "bad.jsonl:1: neither"),
        ([humanevalpack_row("Python", 1) | {"prompt": "add = lambda"}], "bad.jsonl:1: the prompt declares no function"),
        ([editeval_row(1), editeval_row(1)], "some more than once"),
        ([], "no tasks"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, rows: list[dict[str, str]], says: str) -> None:
    with pytest.raises(DataError, match=says):
        load_edit_tasks([write_rows(tmp_path / "bad.jsonl", rows)], 0)
