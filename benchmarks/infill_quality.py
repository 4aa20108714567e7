"""How well a model fills holes: `python -m benchmarks.infill_quality --model NAME|PATH --data FILE --out FILE.json`.

Drives `engine` through its public surface and judges its raw text. Definitions: `README.md` beside this file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from engine import (
    Cancelled,
    CancelToken,
    Engine,
    Hole,
    InfillRequest,
    Mode,
    StopReason,
    open_engine,
)

from .intervals import Part, Ratio, clustered_ratio
from .journal import Journal, Record
from .machine import describe_machine
from .plan import OpenEngine, Plan, add_options, exit_code
from .running import stoppable
from .sandbox import Outcome, Sandbox
from .syntax import syntax_valid
from .tasks import Task, load_tasks, sample_tasks

MAX_TOKENS = 256
WARM_UP = InfillRequest(text="def double(x):\n    return \n", holes=(Hole(26, 26),), language="python", max_tokens=8)


def main(argv: Sequence[str] | None = None, open_engine: OpenEngine = open_engine) -> int:
    """Run and write the summary; 0 done, 1 cannot, 128 + N stopped by signal N."""
    return exit_code("infill_quality", lambda: _run(_options(argv), open_engine))


def summarise(records: Sequence[Record]) -> dict[str, object]:
    """The figures of the README, then an interval for each that is a ratio."""
    ratios = {
        "pass_at_1": _share(records, lambda record: record.passed),
        "exact_match": _share(records, lambda record: record.exact),
        "syntax_valid": _share(records, lambda record: record.syntax_valid),
        "stops": _share(records, lambda record: record.stop_reason == StopReason.END),
        "tokens_per_forward": clustered_ratio(Part(r.problem, r.tokens, r.forwards) for r in records),
        "tokens_per_second": clustered_ratio(Part(r.problem, r.tokens, r.seconds) for r in records),
    }
    values = {name: ratio.value for name, ratio in ratios.items()}
    return {
        "n": len(records),
        **{name: values[name] for name in ("pass_at_1", "exact_match", "syntax_valid", "stops")},
        "tokens": sum(record.tokens for record in records),
        "forwards": sum(record.forwards for record in records),
        **{name: values[name] for name in ("tokens_per_forward", "tokens_per_second")},
        "intervals": {name: [ratio.low, ratio.high] for name, ratio in ratios.items()},
    }


def _share(records: Sequence[Record], holds: Callable[[Record], bool | None]) -> Ratio:
    known = ((record.problem, holds(record)) for record in records)
    return clustered_ratio(Part(problem, float(yes)) for problem, yes in known if yes is not None)


def _run(options: argparse.Namespace, open_engine: OpenEngine) -> int:
    plan = Plan.of(options, mode=str(options.mode or "default"), max_tokens=MAX_TOKENS)
    tasks = sample_tasks(load_tasks(options.data[0]), plan.limit, plan.seed)
    sandbox = Sandbox() if any(task.runnable for task in tasks) else None
    machine = describe_machine()
    print(f"opening {plan.config.model} (the first time, it is fetched and converted)", file=sys.stderr, flush=True)
    engine = open_engine(plan.config)
    journal = Journal.open(plan.journal_path, plan.identity(engine.info), Record)
    taken_over = sum(task.id in journal.records for task in tasks)
    with stoppable() as (cancel, signals):
        try:
            _measure_all(engine, tasks, journal, sandbox, options.mode, cancel)
        except Cancelled:
            done = sum(task.id in journal.records for task in tasks)
            print(f"stopped with {done} of {len(tasks)} done; the same command goes on from there", file=sys.stderr)
            return 128 + signals[0]
    summary = summarise([journal.records[task.id] for task in tasks])
    plan.write(summary, engine, sandbox, machine, taken_over=taken_over)
    if not options.records:
        plan.journal_path.unlink()
    return 0


def _measure_all(
    engine: Engine,
    tasks: Sequence[Task],
    journal: Journal[Record],
    sandbox: Sandbox | None,
    mode: Mode | None,
    cancel: CancelToken,
) -> None:
    waiting = [task for task in tasks if task.id not in journal.records]
    if waiting:
        engine.infill(WARM_UP, cancel=cancel)
    for number, task in enumerate(waiting, len(tasks) - len(waiting) + 1):
        record = _measure(engine, task, sandbox, mode, cancel)
        journal.add(record)
        verdict = record.ending or ("exact" if record.exact else "not exact")
        speed = f"{record.tokens} tokens, {record.forwards} forwards, {record.seconds:.2f} s, {record.stop_reason}"
        print(f"[{number}/{len(tasks)}] {task.id}: {verdict}; {speed}", file=sys.stderr, flush=True)


def _measure(engine: Engine, task: Task, sandbox: Sandbox | None, mode: Mode | None, cancel: CancelToken) -> Record:
    hole = Hole(len(task.prefix), len(task.prefix))
    request = InfillRequest(
        text=task.prefix + task.suffix, holes=(hole,), language=task.language, mode=mode, max_tokens=MAX_TOKENS
    )
    began = time.perf_counter()
    result = engine.infill(request, cancel=cancel)
    seconds = time.perf_counter() - began
    best, usage = result.candidates[0], result.usage
    text = best.texts[0]
    outcome = sandbox.run(task.program(text), cancel) if sandbox and task.runnable else None
    return Record(
        id=task.id,
        problem=task.problem,
        text=text,
        stop_reason=best.stop_reason,
        passed=outcome.passed if outcome else None,
        ending=_words(outcome),
        exact=task.matches(text),
        syntax_valid=syntax_valid(task.language, task.joined(text)),
        tokens=usage.tokens,
        forwards=usage.forwards,
        prompt_tokens=usage.prompt_tokens,
        reused_tokens=usage.reused_tokens,
        seconds=seconds,
        encode_ms=usage.ms.encode,
        denoise_ms=usage.ms.denoise,
    )


def _words(outcome: Outcome | None) -> str:
    return f"{outcome.ending} {outcome.error}".strip() if outcome else ""


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.infill_quality", description=__doc__)
    add_options(parser, limit=None)
    parser.add_argument("--mode", type=Mode, choices=tuple(Mode), help="default: the engine's own for one hole")
    parser.add_argument("--records", action="store_true", help="keep one record a task in FILE.records.jsonl")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
