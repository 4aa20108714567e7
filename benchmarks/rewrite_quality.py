"""How well and how fast selections are rewritten: `python -m benchmarks.rewrite_quality --data FILE... --out FILE`.

Goes the road of the editor's rewrite command (`server.suggest.rewrite`), once for each kind of draft, and judges the
document that comes out. Definitions: `README.md` beside this file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine import (
    Cancelled,
    CancelToken,
    Drafts,
    Engine,
    InfillRequest,
    InfillResult,
    Progress,
    ProgressSink,
    RewriteRequest,
    RewriteResult,
    SyntaxCheck,
    open_engine,
)
from server.settings import Settings
from server.snapshot import Snapshot
from server.suggest import RewriteAnswer, rewrite

from .edit_tasks import EditTask, load_edit_tasks
from .journal import Journal
from .machine import describe_machine
from .plan import OpenEngine, Plan, add_options, exit_code
from .rewrite_figures import Rewrite, summarise
from .running import stoppable
from .sandbox import Outcome, Sandbox

WAYS = {
    "selection": Drafts.SELECTION,
    "causal_chat": Drafts.NOTHING,
    "unseeded_canvas": Drafts.DENOISER,
    "prompt_lookup": Drafts.LOOKUP,
}
SETTINGS = Settings(rewrite_deadline_ms=3_600_000)  # a busy machine must not cut the slow ways off
READ_ONLY = Settings(rewrite_max_tokens=1)  # and what is made then is thrown away
FILE_ENDS = {"python": "py", "javascript": "js"}


@dataclass(slots=True)
class Drafting:
    """An engine whose rewrites draft as told; counts the tokens that they write."""

    engine: Engine
    drafts: Drafts
    tokens: int = 0
    _written: int = field(default=0, init=False)

    @property
    def info(self) -> Mapping[str, str]:
        """See `engine.Engine`."""
        return self.engine.info

    def infill(
        self,
        request: InfillRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> InfillResult:
        """See `engine.Engine`."""
        return self.engine.infill(request, cancel=cancel, progress=progress, check=check)

    def rewrite(
        self,
        request: RewriteRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> RewriteResult:
        """See `engine.Engine`."""
        drafted = replace(request, drafts=self.drafts)
        return self.engine.rewrite(drafted, cancel=cancel, progress=self._count, check=check)

    def _count(self, step: Progress) -> None:
        """Each forward tells how far its round is; a repair round begins anew."""
        self.tokens += step.done - (self._written if step.done > self._written else 0)
        self._written = step.done


def main(argv: Sequence[str] | None = None, open_engine: OpenEngine = open_engine) -> int:
    """Run and write the summary; 0 done, 1 cannot, 128 + N stopped by signal N."""
    return exit_code("rewrite_quality", lambda: _run(_options(argv), open_engine))


def _run(options: argparse.Namespace, open_engine: OpenEngine) -> int:
    plan = Plan.of(options)
    tasks = load_edit_tasks(plan.data, plan.seed)[: plan.limit]
    sandbox, machine = Sandbox(), describe_machine()
    engine = open_engine(plan.config)
    journal = Journal.open(plan.journal_path, plan.identity(engine.info), Rewrite)
    skipped: dict[str, list[str]] = {}
    with stoppable() as (cancel, signals):
        try:
            for number, task in enumerate(tasks, 1):
                if reason := _cannot_judge(task, sandbox, cancel):
                    skipped.setdefault(reason, []).append(task.id)
                    print(f"[{number}/{len(tasks)}] {task.id}: skipped, {reason}", file=sys.stderr, flush=True)
                    continue
                for one in _rewrites(engine, task, options.ways, journal, sandbox, cancel):
                    journal.add(one)
                    cost = f"{one.tokens} tokens, {one.forwards} forwards, {one.processor_ms / 1000:.2f} s of processor"
                    verdict = one.refused or one.ending
                    print(f"[{number}/{len(tasks)}] {one.id}: {verdict}; {cost}", file=sys.stderr, flush=True)
        except Cancelled:
            print("stopped; the same command goes on from there", file=sys.stderr)
            return 128 + signals[0]
    asked = [f"{task.id}:{way}" for task in tasks for way in options.ways]
    summary = summarise([journal.records[name] for name in asked if name in journal.records])
    plan.write({**summary, "skipped": skipped}, engine, sandbox, machine)
    return 0


def _cannot_judge(task: EditTask, sandbox: Sandbox, cancel: CancelToken) -> str:
    """Why this machine cannot tell right from wrong, or ""."""
    if not sandbox.can_run(task.language):
        return f"nothing here runs {task.language}"
    right = sandbox.run(task.program(task.canonical), cancel, task.language)
    return "" if right.passed else "what its authors made fails here"


def _rewrites(
    engine: Engine,
    task: EditTask,
    ways: Sequence[str],
    journal: Journal[Rewrite],
    sandbox: Sandbox,
    cancel: CancelToken,
) -> Iterator[Rewrite]:
    """What the journal lacks. The prompt is read before, so that every way finds it; a program is run once."""
    waiting = [way for way in ways if f"{task.id}:{way}" not in journal.records]
    if waiting:
        _ask(engine, task, READ_ONLY, cancel)
    known: dict[str, Outcome] = {}
    for way in waiting:
        drafting = Drafting(engine, WAYS[way])
        began, worked = time.perf_counter(), time.process_time()
        answer = _ask(drafting, task, SETTINGS, cancel)
        ms, processor_ms = (time.perf_counter() - began) * 1000, (time.process_time() - worked) * 1000
        made = answer.suggestion
        new, outside = task.edited(made.start, made.end, made.text) if made else (None, False)
        if new is not None and new not in known:
            known[new] = sandbox.run(task.program(new), cancel, task.language)
        outcome = known[new] if new is not None else None
        assert answer.result is not None  # every task has an instruction and a range within its document
        yield Rewrite(
            id=f"{task.id}:{way}",
            problem=task.problem,
            part=task.part,
            way=way,
            said=answer.result.text,
            refused=str(answer.refused or ""),
            passed=outcome is not None and outcome.passed and not outside,
            ending=f"{outcome.ending} {outcome.error}".strip() if outcome else "",
            outside=outside,
            tokens=drafting.tokens,
            forwards=answer.result.usage.forwards,
            prompt_tokens=answer.result.usage.prompt_tokens,
            ms=ms,
            processor_ms=processor_ms,
        )


def _ask(engine: Engine, task: EditTask, settings: Settings, cancel: CancelToken) -> RewriteAnswer:
    snapshot = Snapshot(f"untitled:task.{FILE_ENDS[task.language]}", task.language, 1, task.document)
    start = len(task.before)
    return rewrite(engine, snapshot, start, start + len(task.selected), task.instruction, settings, cancel=cancel)


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rewrite_quality", description=__doc__)
    add_options(parser, limit=None, files="+")
    parser.add_argument("--ways", nargs="+", choices=tuple(WAYS), default=tuple(WAYS), help="default: all")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
