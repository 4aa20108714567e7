"""Tasks with two holes, made from HumanEval-Infilling's single-line rows: two lines of one solution taken away.

Knows the task files' tasks, never an engine.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from .tasks import Task


@dataclass(frozen=True, slots=True)
class TwoHoles:
    """`pinned` stands before, between and after the holes; `canonical` stood in them: whole lines with their end."""

    id: str
    problem: str
    pinned: tuple[str, str, str]
    canonical: tuple[str, str]
    entry_point: str
    test: str

    def joined(self, fillings: tuple[str, ...]) -> str:
        """The file with its holes filled."""
        before, between, after = self.pinned
        return before + fillings[0] + between + fillings[1] + after

    def program(self, fillings: tuple[str, ...]) -> str:
        """The file, its tests, and the call that runs them."""
        return f"{self.joined(fillings)}\n{self.test}\ncheck({self.entry_point})"


def two_hole_tasks(rows: Iterable[Task], count: int, seed: int) -> tuple[TwoHoles, ...]:
    """`count` tasks: one of each problem, then a second of each, and so on; the order and the pairs drawn by `seed`.

    A problem's program is that of its first row, whose suffix is the rest of the solution. Lines next to each other
    (blank ones and comments do not part them), comments and lines of a docstring are not chosen.
    """
    draw = random.Random(seed)
    pairs: dict[str, list[TwoHoles]] = {}
    for row in rows:
        if row.problem not in pairs:
            pairs[row.problem] = list(_pairs(row))
            draw.shuffle(pairs[row.problem])
    rounds: dict[int, list[TwoHoles]] = defaultdict(list)
    for of_problem in pairs.values():
        for number, task in enumerate(of_problem):
            rounds[number].append(task)
    chosen = [task for number in sorted(rounds) for task in draw.sample(rounds[number], len(rounds[number]))][:count]
    draw.shuffle(chosen)
    return tuple(chosen)


def _pairs(row: Task) -> Iterator[TwoHoles]:
    solution = row.canonical + row.suffix
    lines = solution.splitlines(keepends=True)
    code = _code_lines(row.prefix, lines)
    for (one, first), (other, second) in combinations(enumerate(code), 2):
        if other - one > 1:
            before, between, after = lines[:first], lines[first + 1 : second], lines[second + 1 :]
            yield TwoHoles(
                id=f"{row.problem}/L{first}+L{second}",
                problem=row.problem,
                pinned=(row.prefix + "".join(before), "".join(between), "".join(after)),
                canonical=(lines[first], lines[second]),
                entry_point=row.entry_point,
                test=row.test,
            )


def _code_lines(prefix: str, lines: list[str]) -> list[int]:
    """Numbers of the lines that hold code and end in a line end."""
    skipped = prefix.count("\n") + 1
    prose = {
        line - skipped
        for node in ast.walk(ast.parse(prefix + "".join(lines)))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return [
        number
        for number, line in enumerate(lines)
        if line.endswith("\n") and line.strip() and not line.lstrip().startswith("#") and number not in prose
    ]
