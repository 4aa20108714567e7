"""Stops: what they keep, and which of several counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ending import AtEnd, AtFence, AtLength, AtNewline, before_fence, first_ending
from engine.models.toy import toy_tokenizer
from engine.request import StopReason
from engine.tokenizer import Tokenizer

END, LENGTH, NEWLINE = StopReason.END, StopReason.LENGTH, StopReason.NEWLINE


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return toy_tokenizer()


def test_an_end_token_is_not_kept() -> None:
    stop = AtEnd(frozenset({50, 60}))
    assert stop([], [1, 2, 60, 50]) == (2, END)
    assert stop([50], [1]) is None


@pytest.mark.parametrize(
    ("written", "new", "expected"),
    [(0, 3, None), (0, 5, (5, LENGTH)), (3, 4, (2, LENGTH)), (4, 1, (1, LENGTH)), (3, 1, None)],
)
def test_length_counts_what_is_written(written: int, new: int, expected: tuple[int, StopReason] | None) -> None:
    assert AtLength(5)([1] * written, [1] * new) == expected


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\n\n"])
def test_a_line_end_is_kept_to_be_cut_later(tokenizer: Tokenizer, line_end: str) -> None:
    tokens = tokenizer.encode(f"ab{line_end}cd")
    assert AtNewline(tokenizer)([], tokens) == (3, NEWLINE)
    assert AtNewline(tokenizer)(tokens, tokenizer.encode("ab")) is None


@pytest.mark.parametrize("other", ["\x0b", "\x0c", "\x85", "\u2028"])
def test_what_is_no_line_end_to_an_editor_is_none_here(tokenizer: Tokenizer, other: str) -> None:
    assert AtNewline(tokenizer)([], tokenizer.encode(f"ab{other}cd")) is None


@given(st.integers(0, 12), st.integers(0, 12), st.sampled_from(["", "x", "x = 1\n", "a\nb\n"]))
def test_a_fence_is_found_however_it_is_spread(first: int, second: int, before: str) -> None:
    """The real tokenizer writes a fence before a line end as two tokens."""
    tokenizer = toy_tokenizer()
    tokens = tokenizer.encode(f"{before}\n```\nDone.")
    low, high = min(first, second), max(first, second)
    written: list[int] = []
    for part in (tokens[:low], tokens[low:high], tokens[high:]):
        stop = AtFence(tokenizer, "```")(written, part)
        kept = part[: stop[0]] if stop else part
        written += kept
        if stop:
            break
    assert tokenizer.decode(written) == f"{before}\n```"
    assert before_fence(tokenizer.decode(written), "```") == f"{before}\n"


def test_an_answer_may_be_nothing_but_the_fence(tokenizer: Tokenizer) -> None:
    assert AtFence(tokenizer, "```")([], tokenizer.encode("```")) == (3, END)
    assert before_fence("```", "```") == ""


@pytest.mark.parametrize("text", ["a ``` b", '    """\n    ```\n    f()\n    ```', "``\n`", "x`\n``"])
def test_a_fence_within_a_line_closes_nothing(tokenizer: Tokenizer, text: str) -> None:
    assert AtFence(tokenizer, "```")([], tokenizer.encode(text)) is None
    assert before_fence(text, "```") == text


def test_a_longer_fence_holds_shorter_ones(tokenizer: Tokenizer) -> None:
    text = "# Title\n```sh\nls\n```\n````"
    tokens = tokenizer.encode(text)
    assert AtFence(tokenizer, "````")([], tokens) == (len(tokens), END)
    assert before_fence(text, "````") == "# Title\n```sh\nls\n```\n"


def test_the_stop_that_keeps_least_counts_and_of_equal_ones_an_end_last(tokenizer: Tokenizer) -> None:
    end = AtEnd(frozenset({0}))
    line = tokenizer.encode("\n")[0]
    assert first_ending([end, AtLength(9), AtNewline(tokenizer)], [], [1, line, 5, 0]) == (2, NEWLINE)
    assert first_ending([end, AtLength(1)], [], [1, 0]) == (1, LENGTH)
    assert first_ending([end, AtNewline(tokenizer)], [], [line, 0]) == (1, NEWLINE)
    assert first_ending([end, AtLength(9)], [], [1, 2]) is None
    assert first_ending([], [], [1]) is None


@given(
    tokens=st.lists(st.sampled_from("ab\n."), min_size=1, max_size=6), room=st.integers(1, 7), one_line=st.booleans()
)
def test_it_stops_as_token_by_token(tokens: list[str], room: int, *, one_line: bool) -> None:
    tokenizer = toy_tokenizer()
    ids = [0 if token == "." else tokenizer.encode(token)[0] for token in tokens]
    rules = [AtEnd(frozenset({0})), AtLength(room), *([AtNewline(tokenizer)] if one_line else [])]
    alone = None
    for at, token in enumerate(ids):
        if stop := first_ending(rules, ids[:at], [token]):
            alone = (at + stop[0], stop[1])
            break
    assert first_ending(rules, [], ids) == alone
