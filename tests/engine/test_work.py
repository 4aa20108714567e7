"""The account of a request: tokens, forwards and times add up."""

from __future__ import annotations

import pytest

from engine.cancel import CancelToken, Deadline
from engine.choose import Greedy
from engine.draft import Draft
from engine.drafting import Filling
from engine.ending import AtLength
from engine.errors import Cancelled
from engine.models.base import Voice
from engine.models.toy import Toy
from engine.propose import Nothing
from engine.work import Work


def test_it_adds_up() -> None:
    toy = Toy(canvas=0)
    work = Work(toy, CancelToken(), Deadline(None), load_ms=5)
    for prompt in ([1, 2, 3], [1, 2, 4, 5]):
        work.encode(prompt, Voice.INFILL)
        work.denoise([Filling(Draft.after(prompt), Greedy(), Nothing(), [AtLength(3)])], Voice.INFILL)
    usage = work.usage(6)
    assert (usage.prompt_tokens, usage.reused_tokens, usage.forwards, usage.tokens) == (7, 2, 6, 6)
    assert usage.tokens_per_forward == 1.0
    assert usage.ms.load == 5
    assert 0 < usage.ms.encode + usage.ms.denoise + usage.ms.load <= usage.ms.total


def test_the_anchor_is_left_out_of_the_prefix() -> None:
    """It is the first row of the canvas."""
    toy = Toy(canvas=0)
    work = Work(toy, CancelToken(), Deadline(None))
    work.encode([1, 2, 3], Voice.INFILL)
    assert toy.encode([1, 2, 3], Voice.INFILL, CancelToken()) == 2


def test_no_forward_is_no_division() -> None:
    assert Work(Toy(), CancelToken(), Deadline(None)).usage(0).tokens_per_forward == 0.0


def test_watch_is_called_after_each_forward() -> None:
    work, calls = Work(Toy(canvas=0), CancelToken(), Deadline(None)), []
    filling = Filling(Draft.after([1]), Greedy(), Nothing(), [AtLength(3)])
    work.denoise([filling], Voice.INFILL, lambda: calls.append(len(filling.draft.committed)))
    assert calls == [1, 2, 3]


def test_a_cancelled_prompt_costs_nothing() -> None:
    cancel = CancelToken()
    cancel.cancel()
    work = Work(Toy(), cancel, Deadline(None))
    with pytest.raises(Cancelled):
        work.encode([1, 2], Voice.INFILL)
    assert work.usage(0).prompt_tokens == 0
