"""Proposing: which masks become proposals and where masks stand next; what of an old text is proposed again."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.generation.candidate_generator import PromptLookupCandidateGenerator

from engine.draft import Draft
from engine.propose import Confident, Lookup, Nothing, Realign

DRAFT = Draft.after([1, 2]).commit([3])


def block(*probabilities: float) -> torch.Tensor:
    """(width, vocabulary): mask number n holds token 10 + n with this probability, and the rest in equal parts."""
    rows = torch.zeros(len(probabilities), 50)
    for number, probability in enumerate(probabilities):
        rows[number] = (1 - probability) / 49
        rows[number, 10 + number] = probability
    return rows.log()


def test_without_a_denoiser_nothing_is_proposed() -> None:
    assert Nothing()(DRAFT, 0, 0, None) == DRAFT


def test_without_a_reading_there_are_only_masks() -> None:
    draft = Confident(4)(DRAFT, 0, 0, None)
    assert (draft.proposed, draft.blocks, draft.width) == ((), (0,), 4)


@pytest.mark.parametrize(
    ("probabilities", "count"),
    [
        ((0.9, 0.9, 0.9, 0.9), 4),
        ((0.9, 0.9, 0.3, 0.9), 2),  # what follows an unsure one is lost with it
        ((0.6, 0.6, 0.6, 0.6), 2),  # the product counts: 0.6, 0.36, 0.22
        ((0.2, 0.9, 0.9, 0.9), 0),
    ],
)
def test_the_leading_proposals_that_hold_together_are_taken(probabilities: tuple[float, ...], count: int) -> None:
    draft = Confident(4, threshold=0.3)(DRAFT, 0, 0, block(*probabilities))
    assert draft.proposed == tuple(range(10, 10 + count))
    assert draft.blocks == tuple(sorted({0, count}))
    assert draft.open == 4 * len(draft.blocks)


def test_not_more_than_the_most() -> None:
    assert Confident(4, most=2)(DRAFT, 0, 0, block(0.9, 0.9, 0.9, 0.9)).proposed == (10, 11)


def test_one_block_follows_the_proposals_where_there_is_no_second() -> None:
    assert Confident(4, fallback=False)(DRAFT, 0, 0, block(0.9, 0.9, 0.1, 0.1)).blocks == (2,)


def test_what_is_committed_stays() -> None:
    draft = Confident(4)(DRAFT, 0, 0, block(0.9, 0.9))
    assert (draft.anchor, draft.position, draft.committed) == (3, 2, (3,))


OLD = tuple(range(10, 60))
REALIGN = Realign(OLD)


def after(*committed: int) -> Draft:
    draft = Draft.after([1, 2])
    return draft.commit(committed) if committed else draft


def test_it_begins_at_the_beginning() -> None:
    assert REALIGN(after(), 0, 0, None).proposed == OLD[:24]


def test_it_goes_on_where_the_answer_agrees() -> None:
    assert REALIGN(after(10, 11, 12), 0, 0, None).proposed == OLD[3:7]


@pytest.mark.parametrize(
    ("accepted", "offered", "count"), [(4, 4, 8), (1, 1, 4), (16, 16, 32), (24, 24, 40), (7, 8, 4), (0, 16, 4)]
)
def test_full_acceptance_doubles_what_is_proposed(accepted: int, offered: int, count: int) -> None:
    proposed = Realign(OLD, most=40)(after(10, 11, 12), accepted, offered, None).proposed
    assert proposed == OLD[3 : 3 + count]


def test_after_other_words_it_takes_up_the_draft_again() -> None:
    assert REALIGN(after(10, 11, 99, 98), 0, 4, None).proposed == ()
    assert REALIGN(after(10, 11, 99, 98, 12), 0, 0, None).proposed == OLD[3:7]
    assert REALIGN(after(10, 11, 30), 0, 0, None).proposed == OLD[21:25]


def test_the_longest_match_counts() -> None:
    realign = Realign((1, 2, 3, 7, 5, 2, 3, 8, 9))
    assert realign(after(5, 2, 3), 0, 0, None).proposed == (8, 9)


def test_of_equal_matches_the_nearest_counts() -> None:
    realign = Realign((1, 2, 3, 4, 1, 2, 5, 6, 1, 2, 7, 8))
    assert realign(after(1, 2), 0, 0, None).proposed == (3, 4, 1, 2)
    assert realign(after(1, 2, 9, 9, 9, 1, 2), 0, 0, None).proposed == (5, 6, 1, 2)


def test_what_the_old_text_lacks_is_looked_up_in_the_prompt_and_the_answer_the_last_one_first() -> None:
    realign = Realign((1, 2, 3), prompt=(70, 80, 90, 71, 80, 91, 60))
    assert realign(after(80), 0, 0, None).proposed == (91, 60, 80)
    assert realign(after(70, 80), 0, 0, None).proposed == (90, 71, 80, 91)
    assert realign(after(55, 56, 57, 55), 0, 0, None).proposed == (56, 57, 55)
    assert realign(after(80, 2), 0, 0, None).proposed == (3,)
    assert Realign((1, 2, 3), prompt=(80, 2, 7))(after(80, 2), 0, 0, None).proposed == (
        7,
        80,
        2,
    )
    assert Realign((80, 2, 3), prompt=(80, 2, 7))(after(80, 2), 0, 0, None).proposed == (3,)


def test_at_its_end_it_proposes_nothing() -> None:
    assert REALIGN(after(58, 59), 0, 0, None).proposed == ()
    assert Realign(())(after(), 0, 0, None).proposed == ()


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=30),
    st.lists(st.integers(0, 4), max_size=30),
    st.integers(1, 12),
    st.integers(1, 4),
)
def test_plain_lookup_is_that_of_transformers(prompt: list[int], written: list[int], count: int, longest: int) -> None:
    theirs = PromptLookupCandidateGenerator(
        None, num_output_tokens=count, max_matching_ngram_size=longest, max_length=99
    )
    text = torch.tensor([[*prompt, *written]])
    candidates, _ = theirs.get_candidates(text)
    ours = Lookup(tuple(prompt), count, longest)(after(*written), 0, 0, None)
    assert ours.proposed == tuple(candidates[0, text.shape[1] :].tolist())
