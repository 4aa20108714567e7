from __future__ import annotations

from server.acceptance import Outcome
from server.attention import Attention
from server.quiet import Suppressed
from server.suggestion import Suggestion

from .clock import Clock
from .writing import Writing


def test_rejections_keep_their_line_quiet_ever_longer() -> None:
    clock, writing = Clock(), Writing("x = \ny = \n")
    attention, heard = Attention(clock), []
    attention.on_outcome = heard.append
    for number in range(4):
        attention.show(writing.now.uri, [Suggestion(4 + number, 4 + number, "foo")])
        clock.now += 0.5
        attention.changed(*writing.type(4 + number, "q"))
    assert heard == [Outcome.REJECTED] * 4
    assert (attention.outcomes, round(attention.back_off_s, 3)) == ({"rejected": 4}, 0.506)
    clock.now += 0.5
    assert attention.suppressed(writing.now, 8) is Suppressed.AFTER_REJECTION
    assert attention.suppressed(writing.now, len(writing.now.text) - 1) is None
    clock.now += 0.01
    assert attention.suppressed(writing.now, 8) is None


def test_an_accepted_one_makes_it_shorter() -> None:
    clock, writing = Clock(), Writing("x = \n")
    attention = Attention(clock)
    attention.show(writing.now.uri, [Suggestion(4, 4, "foo")])
    attention.changed(*writing.type(4, "f"))
    attention.changed(*writing.type(5, "oo"))
    assert (attention.outcomes, round(attention.back_off_s, 3)) == ({"accepted": 1}, 0.08)


def test_deletions_come_through_and_a_closed_document_is_forgotten() -> None:
    writing = Writing("x = foo\n")
    attention = Attention(Clock())
    attention.changed(*writing.delete(6, 7))
    assert attention.suppressed(writing.now, 6) is Suppressed.AFTER_DELETION
    attention.closed(writing.now.uri)
    assert attention.suppressed(writing.now, 6) is None


def test_the_client_may_say_it() -> None:
    writing = Writing("x = \n")
    attention = Attention(Clock())
    assert not attention.told(writing.now.uri, Outcome.REJECTED)
    attention.show(writing.now.uri, [Suggestion(4, 4, "foo")])
    assert attention.told(writing.now.uri, Outcome.REJECTED)
    assert attention.suppressed(writing.now, 4) is Suppressed.AFTER_REJECTION
