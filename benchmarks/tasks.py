"""Benchmark files on disk -> tasks, and the seeded sample of them that a run measures.

Knows the two published formats, HumanEval-Infilling and SantaCoder-FIM. Never knows an engine, and never runs anything.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

HUMANEVAL_KEYS = frozenset({"task_id", "entry_point", "prompt", "suffix", "canonical_solution", "test"})
SANTACODER_KEYS = frozenset({"name", "language", "prompt", "suffix", "canonical_solution"})
SANTACODER_LANGUAGES = {"py": "python", "js": "javascript"}
PROBLEM = re.compile(r"HumanEval[/_]\d+")
AnyTask = TypeVar("AnyTask")


class DataError(Exception):
    """A benchmark file that cannot be read; one line that says where."""


@dataclass(frozen=True, slots=True)
class Task:
    """One hole. `problem` groups holes of one program: they are not independent, intervals resample whole problems.

    `test` and `entry_point` are empty where the benchmark is scored by text alone. `edges` are the characters that are
    set aside at both ends of a middle before it is compared with `canonical`.
    """

    id: str
    problem: str
    language: str
    prefix: str
    suffix: str
    canonical: str
    entry_point: str = ""
    test: str = ""
    edges: str = ""

    @property
    def runnable(self) -> bool:
        """Whether the benchmark brings tests that are to be run."""
        return bool(self.test)

    def joined(self, middle: str) -> str:
        """The file with the hole filled."""
        return self.prefix + middle + self.suffix

    def program(self, middle: str) -> str:
        """The official HumanEval-Infilling program: file, tests, and the call that runs them."""
        return f"{self.joined(middle)}\n{self.test}\ncheck({self.entry_point})"

    def matches(self, middle: str) -> bool:
        """Exact match."""
        return middle.strip(self.edges) == self.canonical.strip(self.edges)


def load_tasks(path: Path) -> tuple[Task, ...]:
    """All tasks of a `.jsonl` or `.jsonl.gz` file, in its order. Raises `DataError`."""
    tasks = tuple(_task(row, f"{path.name}:{number}", number) for number, row in read_rows(path))
    if not tasks:
        raise DataError(f"{path}: no tasks in it")
    ids = {task.id for task in tasks}
    if len(ids) != len(tasks):
        raise DataError(f"{path}: {len(tasks) - len(ids)} task ids occur more than once")
    return tasks


def sample_tasks(tasks: tuple[Task, ...], limit: int | None, seed: int) -> tuple[Task, ...]:
    """The first `limit` tasks after `random.Random(seed).shuffle`; a larger limit only adds tasks, None takes all."""
    return tuple(shuffled(tasks, seed)[:limit])


def shuffled(tasks: Sequence[AnyTask], seed: int) -> list[AnyTask]:
    """In the order that `seed` gives."""
    order = list(tasks)
    random.Random(seed).shuffle(order)
    return order


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Line numbers and the texts of each line's object; what is no text is left out. Raises `DataError`."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, _row(line, f"{path.name}:{number}")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from error


def _row(line: str, place: str) -> dict[str, str]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{place}: not JSON ({error})") from error
    if not isinstance(row, dict):
        raise DataError(f"{place}: not an object")
    return {key: value for key, value in row.items() if isinstance(value, str)}


def _task(row: dict[str, str], place: str, number: int) -> Task:
    if row.keys() >= HUMANEVAL_KEYS:
        return Task(
            id=row["task_id"],
            problem=_problem(row["task_id"]),
            language="python",
            prefix=row["prompt"],
            suffix=row["suffix"],
            canonical=row["canonical_solution"],
            entry_point=row["entry_point"],
            test=row["test"],
        )
    if row.keys() >= SANTACODER_KEYS:
        if row["language"] not in SANTACODER_LANGUAGES:
            raise DataError(f"{place}: language {row['language']!r} is not known")
        return Task(
            id=f"{row['language']}/{row['name']}#{number}",  # names repeat across and within languages
            problem=_problem(row["name"]),
            language=SANTACODER_LANGUAGES[row["language"]],
            prefix=row["prompt"],
            suffix=row["suffix"],
            canonical=row["canonical_solution"],
            edges="\n",  # the published rows lost the line ends around the hole
        )
    keys = ", ".join(sorted(row))
    raise DataError(f"{place}: neither a HumanEval-Infilling nor a SantaCoder-FIM task (keys: {keys})")


def _problem(name: str) -> str:
    found = PROBLEM.search(name)
    return found.group().replace("_", "/") if found else name
