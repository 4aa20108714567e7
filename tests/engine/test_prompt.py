"""Prompts: their formats, their budget, the cut that stays while typing, and the seam that heals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kv_cache import common_prefix
from engine.models.toy import Toy
from engine.prompt import Prompt, head, infill_prompt, rewrite_prompt, tail
from engine.request import RewriteRequest, Snippet

TOY = Toy()
TOKENIZER, CONTROL = TOY.tokenizer, TOY.prompts
CODE = "".join(f"def f{number}(a, b):\n    return a * {number} + b\n\n\n" for number in range(400))
texts = st.text(st.sampled_from("ab \n\r\t=é漢🖌\u200d"), max_size=60)


def infill(prefix: str, suffix: str, *snippets: Snippet, budget: int = 400) -> Prompt:
    return infill_prompt(TOKENIZER, CONTROL, prefix, suffix, snippets, budget)


def parts(prompt: Prompt) -> tuple[bytes, bytes]:
    """The bytes of suffix and prefix, read back from the ids."""
    ids = prompt.ids
    assert ids[:2] == [CONTROL.fim_prefix, CONTROL.fim_suffix]
    middle = ids.index(CONTROL.fim_middle)
    return TOKENIZER.decode_bytes(ids[2:middle]), TOKENIZER.decode_bytes(ids[middle + 1 :])


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_suffix_then_prefix_and_no_byte_of_either_lost_or_doubled(prefix: str, suffix: str) -> None:
    prompt = infill(prefix, suffix)
    assert parts(prompt) == (suffix.encode(), prefix.encode().removesuffix(prompt.pending))
    assert prefix.encode().endswith(prompt.pending)


@pytest.mark.parametrize(
    ("prefix", "pending"),
    [
        ("", ""),
        ("x = re", "re"),
        ("x\n    ", "  "),
        ("x\n", ""),  # lines are whole: nothing joins a line end
        ("x\r\n", ""),
        ("漢", "漢"),
        ("=", "="),
    ],
)
def test_the_last_token_is_written_again_unless_it_ends_a_line(prefix: str, pending: str) -> None:
    assert infill(prefix, "").pending == pending.encode()


def test_half_a_character_is_written_again_by_its_bytes() -> None:
    prompt = infill("x 🖌", "")
    assert prompt.pending == "🖌".encode()[-1:]
    assert parts(prompt)[1] == b"x " + "🖌".encode()[:-1]


def test_snippets_stand_first_and_cost_the_rest_nothing() -> None:
    alone = infill("x = ", "y")
    prompt = infill("x = ", "y", Snippet("a.py", "# a = 1\n\n\n"), Snippet("b.py", "# b = 2"))
    shown = TOKENIZER.encode("# a = 1\n\n# b = 2\n\n")
    assert (prompt.ids, prompt.pending) == ([*shown, *alone.ids], alone.pending)


def test_snippets_get_as_much_as_the_rest_and_are_cut_at_their_beginning() -> None:
    long, short = Snippet("a.py", "# aaa\n" * 300), Snippet("b.py", "# b = 2")
    alone, together = infill(CODE, CODE, budget=100).ids, infill(CODE, CODE, long, short, budget=100).ids
    shown = TOKENIZER.decode(together[: -len(alone)])
    assert together[-len(alone) :] == alone
    assert shown.startswith("# aaa\n")
    assert shown.endswith("# aaa\n\n# b = 2\n\n")
    assert 50 < len(together) - len(alone) <= 100


def test_a_control_token_in_the_text_stays_text() -> None:
    prompt = infill("a<middle>b", "c<suffix>d")
    assert [token for token in prompt.ids if token in TOKENIZER.control] == [
        CONTROL.fim_prefix,
        CONTROL.fim_suffix,
        CONTROL.fim_middle,
    ]
    assert parts(prompt)[0] == b"c<suffix>d"


@pytest.mark.parametrize("budget", [64, 100, 400, 1000])
@pytest.mark.parametrize(("prefix", "suffix"), [(CODE, CODE), (CODE, ""), ("", CODE), ("x" * 9000, "漢🖌" * 3000)])
def test_the_budget_holds(budget: int, prefix: str, suffix: str) -> None:
    prompt = infill(prefix, suffix, budget=budget)
    assert len(prompt.ids) - 3 <= budget
    after, before = parts(prompt)
    assert suffix.encode().startswith(after)
    assert (prefix.encode()).endswith(before + prompt.pending)
    if prefix:
        assert len(prompt.ids) > budget // 3  # what is shown is worth the budget


def test_the_suffix_gets_a_third() -> None:
    after, before = parts(infill(CODE, CODE, budget=300))
    assert len(TOKENIZER.encode(after.decode())) == 100
    assert len(TOKENIZER.encode(before.decode())) > 100


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(CODE)), st.integers(1, 900))
def test_the_tail_is_the_end_of_the_text(end: int, budget: int) -> None:
    ids = tail(TOKENIZER, CODE[:end], budget)
    assert len(ids) <= budget
    assert CODE[:end].endswith(TOKENIZER.decode(ids))
    assert head(TOKENIZER, CODE[end:], budget) == TOKENIZER.encode(CODE[end:])[:budget]


def test_a_long_prefix_is_cut_at_a_line() -> None:
    shown = TOKENIZER.decode(tail(TOKENIZER, CODE, 500))
    assert CODE[len(CODE) - len(shown) - 1] == "\n"


@pytest.mark.parametrize(
    "written", [CODE, "var x=[" + "1,22,333," * 2000, "漢字" * 4000], ids=["lines", "one line", "漢字"]
)
def test_typing_seldom_moves_the_cut(written: str) -> None:
    """Else each keystroke would encode the whole prompt anew."""
    budget, moved, encoded = 300, 0, 0
    before = infill(written[:5000], "", budget=budget).ids
    for end in range(5001, 5301):
        now = infill(written[:end], "", budget=budget).ids
        fresh = len(now) - common_prefix(before, now)
        moved += fresh > 20
        encoded += fresh
        before = now
    assert moved <= 900 // (budget // 2)
    assert encoded < 300 * 10


def request(text: str, selected: str, **more: str) -> RewriteRequest:
    start = text.index(selected)
    return RewriteRequest(text, start, start + len(selected), "Rename x to y.", **more)


def test_a_rewrite_shows_what_stands_before_then_the_selection_and_opens_the_fence() -> None:
    prompt = rewrite_prompt(TOKENIZER, CONTROL, request("a = 1\nx = 2\nb = 3\n", "x = 2", language="python"), 900)
    text = TOKENIZER.decode(prompt.ids)
    assert text.index("```python\na = 1\n\n```\n") < text.index("```python\nx = 2\n```\n\nRename x to y.\n")
    assert "b = 3" not in text  # shown it, a small model writes it again
    assert text.endswith("assistant\n```python\n")
    assert prompt.fence == "```"
    turns = [token for token in prompt.ids if token in TOKENIZER.control]
    assert turns == [CONTROL.turn_start, CONTROL.turn_end] * 2 + [CONTROL.turn_start]


def test_a_selection_with_nothing_before_it_is_shown_alone() -> None:
    text = TOKENIZER.decode(rewrite_prompt(TOKENIZER, CONTROL, request(" \nx = 2\ny", "x = 2"), 900).ids)
    assert text.count("```") == 3


def test_the_fence_is_longer_than_any_in_the_selection() -> None:
    prompt = rewrite_prompt(TOKENIZER, CONTROL, request("a\n```sh\nls x\n````\n", "```sh\nls x\n````"), 900)
    assert prompt.fence == "`````"
    assert TOKENIZER.decode(prompt.ids).endswith("assistant\n`````\n")


def test_the_file_around_a_rewrite_has_a_budget() -> None:
    prompt = rewrite_prompt(TOKENIZER, CONTROL, request(CODE + "x = 2\n" + CODE, "x = 2"), 400)
    assert 100 < len(prompt.ids) < 100 + 400
