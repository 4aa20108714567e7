"""What the joint mode is worth: `python -m benchmarks.joint_quality holes|candidates --data FILE --out FILE.json`.

`holes`: two holes of one program, filled jointly or one after the other. `candidates`: one hole, several candidates
ranked by what follows it, against the one of the lossless mode. Definitions: `README.md` beside this file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine import (
    Cancelled,
    CancelToken,
    Engine,
    Hole,
    InfillRequest,
    InfillResult,
    Mode,
    open_engine,
)

from .infill_quality import MAX_TOKENS, WARM_UP
from .joint_figures import Attempt, summarise
from .journal import Journal
from .machine import describe_machine
from .plan import OpenEngine, Plan, add_options, exit_code
from .running import stoppable
from .sandbox import Sandbox
from .syntax import syntax_valid
from .tasks import Task, load_tasks, sample_tasks
from .two_holes import TwoHoles, two_hole_tasks

TWO_HOLE_TASKS = 300
CANDIDATES = 3  # what the server asks for

AnyTask = Task | TwoHoles


@dataclass(slots=True)
class Asking:
    """One way to fill the holes of a task: the requests made, and what all of them cost."""

    engine: Engine
    cancel: CancelToken
    results: list[InfillResult] = field(default_factory=list)
    seconds: float = 0.0
    processor_seconds: float = 0.0

    def __call__(self, pinned: Sequence[str], mode: Mode, candidates: int = 1, *, checked: bool = False) -> list[str]:
        """Fill empty holes between `pinned`; returns the first candidate's texts."""
        text, holes = pinned[0], []
        for part in pinned[1:]:
            holes.append(Hole(len(text), len(text)))
            text += part

        def faults(texts: tuple[str, ...]) -> int:
            pairs = zip(pinned[1:], texts, strict=True)
            return int(not syntax_valid("python", pinned[0] + "".join(filling + part for part, filling in pairs)))

        request = InfillRequest(
            text=text, holes=tuple(holes), language="python", mode=mode, candidates=candidates, max_tokens=MAX_TOKENS
        )
        began, worked = time.perf_counter(), time.process_time()
        result = self.engine.infill(request, cancel=self.cancel, check=faults if checked else None)
        self.seconds += time.perf_counter() - began
        self.processor_seconds += time.process_time() - worked
        self.results.append(result)
        return list(result.candidates[0].texts)


def in_turn(ask: Asking, task: TwoHoles) -> list[list[str]]:
    """Each hole's lossless filling from left to right, in the text as it stands: the later hole is just not there."""
    before, between, after = task.pinned
    first = ask((before, between + after), Mode.LOSSLESS)
    return [first + ask((before + first[0] + between, after), Mode.LOSSLESS)]


def cut_off(ask: Asking, task: TwoHoles) -> list[list[str]]:
    """The same, but the first hole is shown nothing behind the second one."""
    before, between, after = task.pinned
    first = ask((before, between), Mode.LOSSLESS)
    return [first + ask((before + first[0] + between, after), Mode.LOSSLESS)]


def joint(ask: Asking, task: TwoHoles) -> list[list[str]]:
    """Both holes in one request, with the syntax check that the server gives."""
    return [ask(task.pinned, Mode.JOINT, checked=True)]


def lossless(ask: Asking, task: Task) -> list[list[str]]:
    """The one filling of the lossless mode."""
    return [ask((task.prefix, task.suffix), Mode.LOSSLESS)]


def ranked(ask: Asking, task: Task) -> list[list[str]]:
    """Several candidates, best first, with the syntax check that the server gives."""
    ask((task.prefix, task.suffix), Mode.JOINT, CANDIDATES, checked=True)
    return [list(candidate.texts) for candidate in ask.results[-1].candidates]


HOLES = {"in_turn": in_turn, "cut_off": cut_off, "joint": joint}
ONE_HOLE = {"lossless": lossless, "joint": ranked}


def main(argv: Sequence[str] | None = None, open_engine: OpenEngine = open_engine) -> int:
    """Run and write the summary; 0 done, 1 cannot, 128 + N stopped by signal N."""
    return exit_code("joint_quality", lambda: _run(_options(argv), open_engine))


def _tasks(plan: Plan) -> Sequence[AnyTask]:
    """The first `limit` in an order that does not depend on it: any beginning is a fair sample."""
    rows = load_tasks(plan.data[0])
    if plan.asked["part"] == "holes":
        return two_hole_tasks(rows, TWO_HOLE_TASKS, plan.seed)[: plan.limit]
    return sample_tasks(rows, plan.limit, plan.seed)


def _run(options: argparse.Namespace, open_engine: OpenEngine) -> int:
    plan = Plan.of(options, part=options.part, max_tokens=MAX_TOKENS)
    tasks = _tasks(plan)
    sandbox, machine = Sandbox(), describe_machine()
    engine = open_engine(plan.config)
    journal = Journal.open(plan.journal_path, plan.identity(engine.info), Attempt)
    with stoppable() as (cancel, signals):
        try:
            engine.infill(WARM_UP, cancel=cancel)
            for number, task in enumerate(tasks, 1):
                for attempt in _attempts(engine, task, options.ways, journal, sandbox, cancel):
                    journal.add(attempt)
                    cost = f"{attempt.forwards} forwards, {attempt.processor_seconds:.2f} s of processor"
                    verdict = "passed" if attempt.passed[0] else "failed"
                    print(f"[{number}/{len(tasks)}] {attempt.id}: {verdict}; {cost}", file=sys.stderr, flush=True)
        except Cancelled:
            print("stopped; the same command goes on from there", file=sys.stderr)
            return 128 + signals[0]
    ids = {f"{task.id}:{way}" for task in tasks for way in options.ways}
    summary = summarise([record for record in journal.records.values() if record.id in ids])
    plan.write(summary, engine, sandbox, machine)
    return 0


def _attempts(
    engine: Engine,
    task: AnyTask,
    ways: Sequence[str],
    journal: Journal[Attempt],
    sandbox: Sandbox,
    cancel: CancelToken,
) -> Iterator[Attempt]:
    """What each way gives that the journal lacks; one after the other, so that an equal prompt is read once."""
    known: dict[str, bool] = {}
    for name in ways:
        if f"{task.id}:{name}" in journal.records:
            continue
        ask = Asking(engine, cancel)
        texts = HOLES[name](ask, task) if isinstance(task, TwoHoles) else ONE_HOLE[name](ask, task)
        programs, wholes = zip(*(_whole(task, fillings) for fillings in texts), strict=True)
        for program in programs:
            if program not in known:
                known[program] = sandbox.run(program, cancel).passed
        usages = [result.usage for result in ask.results]
        yield Attempt(
            id=f"{task.id}:{name}",
            problem=task.problem,
            way=name,
            texts=texts,
            canonical=list(task.canonical) if isinstance(task, TwoHoles) else [task.canonical],
            scores=[candidate.score for candidate in ask.results[-1].candidates],
            passed=[known[program] for program in programs],
            valid=[bool(syntax_valid("python", whole)) for whole in wholes],
            tokens=sum(usage.tokens for usage in usages),
            forwards=sum(usage.forwards for usage in usages),
            prompt_tokens=sum(usage.prompt_tokens for usage in usages),
            reused_tokens=sum(usage.reused_tokens for usage in usages),
            encode_ms=sum(usage.ms.encode for usage in usages),
            seconds=ask.seconds,
            processor_seconds=ask.processor_seconds,
        )


def _whole(task: AnyTask, fillings: Sequence[str]) -> tuple[str, str]:
    """The program that judges these fillings, and the file they make."""
    if isinstance(task, TwoHoles):
        return task.program(tuple(fillings)), task.joined(tuple(fillings))
    return task.program(fillings[0]), task.joined(fillings[0])


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.joint_quality", description=__doc__)
    parser.add_argument("part", choices=("holes", "candidates"))
    add_options(parser, limit=300)
    parser.add_argument("--ways", nargs="+", choices=(*HOLES, "lossless"), help="default: all of the part")
    options = parser.parse_args(argv)
    of_part = HOLES if options.part == "holes" else ONE_HOLE
    options.ways = tuple(options.ways or of_part)
    if unknown := set(options.ways) - of_part.keys():
        parser.error(f"{options.part} knows no way {', '.join(sorted(unknown))}; use {', '.join(of_part)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
