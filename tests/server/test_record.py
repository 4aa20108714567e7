from __future__ import annotations

from engine import Candidate, InfillResult, Mode, RewriteResult, StopReason, Timings, Usage
from server.quiet import Suppressed
from server.record import Record
from server.suggestion import Refused

USAGE = Usage(prompt_tokens=9, reused_tokens=3, forwards=2, tokens=5, ms=Timings(encode=1, denoise=2, total=3))
FILLED = InfillResult((Candidate(("x",), StopReason.END),), "m", Mode.JOINT, USAGE)


def test_costs_are_those_of_the_last_request() -> None:
    record = Record()
    record.note("completion", None, FILLED, queue_ms=7, trim_ms=4)
    last = record.last
    assert last is not None
    assert (last.ms, last.mode, last.tokens_per_forward, last.reused_tokens) == (3, "joint", 2.5, 3)
    assert (last.queue_ms, last.trim_ms) == (7, 4)
    record.note("rewrite", "syntax", RewriteResult("x", StopReason.END, "m", USAGE))
    last = record.last
    assert last is not None
    assert (last.kind, last.mode, last.tokens) == ("rewrite", "", 5)


def test_reasons_of_time_and_of_place_are_counted_apart() -> None:
    record = Record()
    for reason in (Suppressed.AFTER_UNDO, Refused.MID_WORD, Refused.SYNTAX, Suppressed.AFTER_UNDO, "superseded"):
        record.note("completion", reason, None)
    assert record.suppressions == {
        "after-undo": 2,
    }
    assert record.refusals == {"mid-word": 1, "syntax": 1, "superseded": 1}


def test_the_last_ten_are_remembered_the_latest_first() -> None:
    record = Record()
    for number in range(12):
        record.note("completion", f"reason {number}", None)
    assert [one["reason"] for one in record.recent] == [f"reason {number}" for number in range(11, 1, -1)]
    assert record.recent[0]["seconds_ago"] == 0.0
