from __future__ import annotations

from engine import Candidate, InfillResult, Mode, RewriteResult, StopReason, Timings, Usage
from server.session import Session
from server.settings import Settings
from tests.clients.scripted_engine import ScriptedOpening

USAGE = Usage(prompt_tokens=9, reused_tokens=3, forwards=2, tokens=5, ms=Timings(encode=1, denoise=2, total=3))


def session() -> Session:
    return Session(ScriptedOpening({}))


def test_changed_settings_lie_over_the_initial_ones() -> None:
    one = session()
    assert one.initialize({"model": "causal", "threads": 2}) == []
    assert one.configure({"threads": 4, "steps": 1}) == ["steps: no such setting"]
    assert one.settings == Settings(model="causal", threads=4)
    assert one.configure({}) == []
    assert one.settings == Settings(model="causal", threads=2)


def test_configuring_opens_no_engine_before_there_was_one() -> None:
    opening = ScriptedOpening({})
    one = Session(opening)
    one.configure({"model": "causal"})
    assert opening.opened == []
    assert one.close()


def test_costs_and_refusals_are_noted() -> None:
    one = session()
    one.note("completion", None, InfillResult((Candidate(("x",), StopReason.END),), "m", Mode.JOINT, USAGE))
    assert one.last is not None
    assert (one.last.ms, one.last.mode, one.last.tokens_per_forward, one.last.reused_tokens) == (3, "joint", 2.5, 3)
    one.note("rewrite", "syntax", RewriteResult("x", StopReason.END, "m", USAGE))
    assert (one.last.kind, one.last.mode, one.last.tokens) == ("rewrite", "", 5)
    one.note("completion", "syntax", None)
    assert (one.last.ms, one.refusals) == (0, {"syntax": 2})


def test_nothing_is_news_twice() -> None:
    one = session()
    assert [one.is_news(text) for text in ("a", "b", "a")] == [True, True, False]
