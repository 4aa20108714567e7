"""Two lines taken out of a solution: which ones, how many of a problem, and that the rest is as it was."""

from __future__ import annotations

from itertools import pairwise

from benchmarks.tasks import Task
from benchmarks.two_holes import two_hole_tasks

HEAD = 'def f(a):\n    """Doc.\n\n    Of it.\n    """\n'
LINES = [
    "    b = a\n",
    "    # a comment\n",
    '    """Text\n',
    '    of its own"""\n',
    "\n",
    "    c = b\n",
    "    d = c\n",
    "    return d",
]


def row(problem: int, lines: list[str], hole: int = 0) -> Task:
    prefix, suffix = HEAD + "".join(lines[:hole]), "".join(lines[hole + 1 :])
    return Task(
        f"{problem}/{hole}", f"HumanEval/{problem}", "python", prefix, suffix, lines[hole], "f", "def check(f): ..."
    )


def test_only_lines_of_code_that_do_not_touch() -> None:
    tasks = two_hole_tasks([row(1, LINES)], 10, 0)
    assert [task.canonical for task in tasks] == [("    b = a\n", "    d = c\n")]  # `return d` has no line end
    assert tasks[0].joined(tasks[0].canonical) == HEAD + "".join(LINES)
    assert tasks[0].joined(("1", "2")) == HEAD + "1" + "".join(LINES[1:6]) + "2    return d"
    assert tasks[0].program(("", "")).endswith("    return d\ndef check(f): ...\ncheck(f)")
    assert tasks[0].id == "HumanEval/1/L0+L6"


def test_each_problem_gives_one_before_any_gives_two() -> None:
    long = [f"    a{number} = 1\n" for number in range(9)]
    rows = [row(1, long), row(1, long, 3), row(2, long), row(3, LINES)]
    tasks = two_hole_tasks(rows, 3, 0)
    assert {task.problem for task in tasks} == {"HumanEval/1", "HumanEval/2", "HumanEval/3"}
    assert len({task.id for task in two_hole_tasks(rows, 1000, 0)}) == 2 * 28 + 1  # pairs that do not touch
    assert [task.problem for task in two_hole_tasks(rows, 5, 0)].count("HumanEval/1") == 2


def test_the_seed_alone_decides() -> None:
    rows = [row(problem, [f"    a{number} = 1\n" for number in range(9)]) for problem in range(8)]
    drawn = [two_hole_tasks(rows, 16, seed) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert any(one.problem > other.problem for one, other in pairwise(drawn[0]))  # shuffled
