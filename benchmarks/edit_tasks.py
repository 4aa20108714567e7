"""Published edits by instruction -> tasks: EditEval, and HumanEvalPack's bugs in Python and JavaScript.

A task is a document with a selection, as a person would make it: EditEval's input where its context has it, and of
HumanEvalPack the function with the bug. Never knows an engine, and never runs anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from .tasks import DataError, read_rows, shuffled

EDITEVAL_KEYS = frozenset({"task_id", "instruction", "input", "output", "test"})
HUMANEVALPACK_KEYS = frozenset({"task_id", "entry_point", "prompt", "buggy_solution", "canonical_solution", "test"})
LANGUAGES = {"EditEval": "python", "Python": "python", "JavaScript": "javascript"}
DECLARATION = re.compile(r"^(?:async )?(?:def|const|let|var|function) ", re.MULTILINE)
PLACE = "{{Code}}"  # of the selection in EditEval's contexts; a second one is a copy that the test looks at


@dataclass(frozen=True, slots=True)
class EditTask:
    """Rewrite `selected`, between `before` and `after`, as `instruction` says. `canonical`: what the authors made.

    `tail` is `after` with a place for each copy of the new text.
    """

    id: str
    problem: str
    part: str
    language: str
    before: str
    selected: str
    tail: str
    instruction: str
    canonical: str

    @property
    def after(self) -> str:
        """What stands behind the selection: the rest of the file and its tests."""
        return self.tail.replace(PLACE, "")

    @property
    def document(self) -> str:
        """The file before the rewrite."""
        return self.before + self.selected + self.after

    def edited(self, start: int, end: int, text: str) -> tuple[str, bool]:
        """What stands for the selection once `text` replaces `[start, end)`, and whether anything else changed."""
        document = self.document[:start] + text + self.document[end:]
        last = len(document) - len(self.after)
        kept = last >= len(self.before) and document.startswith(self.before) and document[last:] == self.after
        return document[len(self.before) : last], not kept

    def program(self, new: str) -> str:
        """What decides whether `new` is right."""
        return self.before + new + self.tail.replace(PLACE, new)


def load_edit_tasks(paths: Sequence[Path], seed: int) -> tuple[EditTask, ...]:
    """The tasks of all files, each shuffled by `seed`, then one of each in turn: any beginning is a fair sample.

    Raises `DataError`.
    """
    files = [shuffled([_task(row, f"{path.name}:{number}") for number, row in read_rows(path)], seed) for path in paths]
    tasks = tuple(task for turn in zip_longest(*files) for task in turn if task is not None)
    if len({task.id for task in tasks}) != len(tasks) or not tasks:
        raise DataError(f"{', '.join(path.name for path in paths)}: no tasks, or some more than once")
    return tasks


def _task(row: dict[str, str], place: str) -> EditTask:
    part = row.get("task_id", "").partition("/")[0]
    if part == "EditEval" and row.keys() >= EDITEVAL_KEYS:
        return _from_editeval(row, part)
    if part in LANGUAGES and row.keys() >= HUMANEVALPACK_KEYS:
        return _from_humanevalpack(row, part, place)
    raise DataError(f"{place}: neither an EditEval task nor one of HumanEvalPack in Python or JavaScript")


def _from_editeval(row: dict[str, str], part: str) -> EditTask:
    before, _, behind = (row.get("context") or PLACE).partition(PLACE)
    return EditTask(
        id=row["task_id"],
        problem=row["task_id"],
        part=part,
        language=LANGUAGES[part],
        before=before,
        selected=row["input"],
        tail=f"{behind}\n\n\n{row['test']}\ncheck()\n",
        instruction=row["instruction"],
        canonical=row["output"],
    )


def _from_humanevalpack(row: dict[str, str], part: str, place: str) -> EditTask:
    *_, head = [None, *DECLARATION.finditer(row["prompt"])]  # those before the last one help it
    if head is None:
        raise DataError(f"{place}: the prompt declares no function")
    before, declared = row["prompt"][: head.start()], row["prompt"][head.start() :]
    buggy = declared + row["buggy_solution"]
    return EditTask(
        id=row["task_id"],
        problem=f"HumanEval/{row['task_id'].partition('/')[2]}",
        part=part,
        language=LANGUAGES[part],
        before=before,
        selected=buggy.rstrip(),
        tail=f"\n\n{row['test']}\n",
        instruction=f"Fix bugs in {row['entry_point']}.",
        canonical=(declared + row["canonical_solution"]).rstrip(),
    )
