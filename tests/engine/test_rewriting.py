"""Rewriting: the selection seeds the canvas, the fence ends the answer, one repair round is all."""

from __future__ import annotations

import pytest

from engine.cancel import CancelToken, Deadline
from engine.models.base import Voice
from engine.models.toy import Toy
from engine.prompt import rewrite_prompt
from engine.request import Drafts, Progress, RewriteRequest, StopReason
from engine.rewriting import Rewritten, rewrite
from engine.work import Work

from .plain_reading import told

DRAFT = "".join(f"line {number} of the draft\n" for number in range(8))
CHANGED = DRAFT.replace("line 3 of the draft", "another line altogether")


def answering(answer: str, **how: float) -> Toy:
    """A toy that gives this answer to any rewrite."""
    return Toy([f"assistant\n```python\n{answer}"], **how)  # type: ignore[arg-type]


def rewritten(
    toy: Toy,
    draft: str = DRAFT,
    most: int = 400,
    attempt: int = 0,
    drafts: Drafts = Drafts.SELECTION,
    **more: object,
) -> tuple[Rewritten, Work]:
    work = Work(toy, CancelToken(), Deadline(None), progress=more.get("progress"))  # type: ignore[arg-type]
    request = RewriteRequest(
        f"# before\n{draft}# after\n",
        9,
        9 + len(draft),
        "Change it.",
        "python",
        attempt=attempt,
        drafts=drafts,
        max_tokens=most,
    )
    return rewrite(work, request, 400, more.get("check")), work  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", ["\n```", "\n```\n", "\n```\nThis is the code."])
def test_the_answer_ends_at_its_fence(ending: str) -> None:
    new, _ = rewritten(answering(CHANGED + ending.removeprefix("\n")))
    assert new == Rewritten(CHANGED, len(answering("").tokenizer.encode(CHANGED)), StopReason.END)


def test_a_fence_within_a_line_is_a_part_of_the_answer() -> None:
    code = 'def f():\n    """Say ```f()```.\n    ```\n    """\n'
    assert rewritten(answering(f"{code}```"))[0].text == code


def test_a_draft_with_a_fence_gets_a_longer_one() -> None:
    draft = "```sh\nls\n```\n"
    toy = Toy(["assistant\n````python\n```sh\nls -l\n```\n````\nDone."])
    assert rewritten(toy, draft)[0].text == "```sh\nls -l\n```\n"


def test_an_answer_may_be_empty_or_end_by_itself() -> None:
    assert rewritten(answering("```"))[0] == Rewritten("", 0, StopReason.END)
    assert rewritten(answering("x = 1"))[0].stop_reason is StopReason.END


def test_what_the_draft_keeps_is_accepted_many_tokens_at_a_time() -> None:
    same, work = rewritten(answering(f"{DRAFT}```"))
    assert same.text == DRAFT
    assert same.tokens / work.forwards > 10
    changed, work = rewritten(answering(f"{CHANGED}```"))
    assert changed.text == CHANGED
    assert changed.tokens / work.forwards > 4  # after the changed line, the draft is taken up again
    other, work = rewritten(answering("ZYXWVUTSRQPONMLKJIHGFEDCBA9876543210\n```"))
    assert other.tokens <= work.forwards <= other.tokens + 4


@pytest.mark.parametrize("answer", [f"{CHANGED}```", "0123456789" * 4 + "\n```"])
@pytest.mark.parametrize("attempt", [0, 1])
def test_drafts_change_the_cost_alone(answer: str, attempt: int) -> None:
    made = {}
    for drafts in Drafts:
        new, work = rewritten(answering(answer, accuracy=0.5), attempt=attempt, drafts=drafts)
        made[drafts] = work.forwards
        assert new == rewritten(answering(answer), attempt=attempt)[0]
    assert max(made.values()) == made[Drafts.NOTHING]
    if answer.startswith(CHANGED):  # what repeats itself alone is not what the selection's drafts are for
        assert made[Drafts.SELECTION] < made[Drafts.LOOKUP]


def test_a_rewrite_that_changes_nothing_is_verified_in_a_few_forwards_its_fence_included() -> None:
    _, work = rewritten(answering(f"{DRAFT}```"))
    tokens = len(answering("").tokenizer.encode(f"{DRAFT}```"))
    assert work.forwards == 2 + -(-(tokens - 25 - 49) // 49)  # 24 and 48 proposals, each with the next token


@pytest.mark.parametrize("most", [1, 5, 30])
def test_it_is_the_plain_reading_of_the_base_alone(most: int) -> None:
    toy = Toy()
    new, work = rewritten(toy, most=most)
    request = RewriteRequest(f"# before\n{DRAFT}# after\n", 9, 9 + len(DRAFT), "Change it.", "python")
    expected = told(toy, rewrite_prompt(toy.tokenizer, toy.prompts, request, 400).ids, Voice.PLAIN, most=most)
    assert new.text == expected.data.decode()
    assert work.prompt_tokens > 0


def test_at_the_length_it_keeps_what_there_is() -> None:
    new, _ = rewritten(answering(f"{CHANGED}```"), most=20)
    assert (new.tokens, new.stop_reason) == (20, StopReason.LENGTH)
    assert CHANGED.startswith(new.text)


def test_drafts_are_told_as_they_grow() -> None:
    told_drafts: list[Progress] = []
    rewritten(answering(f"{CHANGED}```"), progress=told_drafts.append)
    assert {step.stage for step in told_drafts} == {"denoise"}
    assert [step.done for step in told_drafts] == sorted({step.done for step in told_drafts})
    assert all(CHANGED.startswith(step.text.rstrip("`")) for step in told_drafts)
    assert told_drafts[-1].text == CHANGED


class Checks:
    """Says these numbers of errors, in order, and remembers what was asked."""

    def __init__(self, *errors: int) -> None:
        self._errors = list(errors)
        self.asked: list[str] = []

    def __call__(self, texts: tuple[str, ...]) -> int:
        self.asked += texts
        return self._errors.pop(0)


@pytest.mark.parametrize(("errors", "kept"), [((0,), 0), ((2, 0), 1), ((2, 1), 1), ((2, 2), 0), ((1, 3), 0)])
def test_one_repair_round_that_is_kept_if_it_has_fewer_errors(errors: tuple[int, ...], kept: int) -> None:
    check = Checks(*errors)
    new, _ = rewritten(Toy(), most=20, check=check)
    assert len(check.asked) == len(errors)
    assert new.text == check.asked[kept]
    assert len({*check.asked}) == len(errors)  # the second is another draw


def test_no_repair_after_the_deadline() -> None:
    check = Checks(2)
    work = Work(Toy(), CancelToken(), Deadline(0))
    request = RewriteRequest("x", 0, 1, "Change it.")
    assert rewrite(work, request, 400, check) == Rewritten("", 0, StopReason.DEADLINE)


def test_every_attempt_is_another_text_and_the_same_one_each_time() -> None:
    texts = [rewritten(Toy(), most=20, attempt=attempt)[0].text for attempt in (0, 1, 2, 1)]
    assert len(set(texts[:3])) == 3
    assert texts[3] == texts[1]
