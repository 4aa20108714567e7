"""Drafts of what code should be: each kind of edit undone gives the text, and says what was done."""

from __future__ import annotations

import re
from random import Random

import pytest

from engine.adapt import edits
from engine.adapt.holes import Span

TEXT = "def total(values, start):\n    for value in values:\n        if value == 0:\n            start += 0 + value\n"


def drafts(kind: edits.Corrupter, text: str = TEXT) -> list[edits.Draft]:
    made = [kind(text, Random(seed)) for seed in range(60)]
    return [draft for draft in made if draft]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_what_is_masked_is_left_out_and_the_rest_stays_in_its_order() -> None:
    counts = set()
    for draft in drafts(edits.masked):
        rest = iter(words(TEXT))
        assert all(word in rest for word in words(draft.text))
        assert re.sub(r"\w", "", draft.text) == re.sub(r"\w", "", TEXT)
        counts.add(len(words(draft.text)))
    assert len(counts) > 5
    assert min(counts) < 0.6 * len(words(TEXT))


def test_noise_puts_other_words_of_the_text_in_the_place_of_some() -> None:
    for draft in drafts(edits.noised):
        assert len(words(draft.text)) == len(words(TEXT))
        assert set(words(draft.text)) <= set(words(TEXT))
    assert any(draft.text != TEXT for draft in drafts(edits.noised))


def test_a_mutation_changes_an_operator_or_a_constant() -> None:
    seen = {draft.text for draft in drafts(edits.mutated)}
    assert TEXT.replace("==", "!=") in seen
    assert TEXT.replace(" + ", " - ") in seen
    assert TEXT.replace("==", "!=").replace("0", "1") in seen
    assert [draft.text for draft in drafts(edits.mutated, "print(x)")] == ["print(x)"] * 60


def test_a_renaming_undone_gives_the_text_and_names_both() -> None:
    olds = set()
    for draft in drafts(edits.renamed):
        named = re.fullmatch(r"Rename (\w+) to (\w+)\.", draft.instruction)
        assert named
        old, new = named.groups()
        olds.add(new)
        assert re.search(rf"\b{new}\b", draft.text) is None
        assert re.sub(rf"\b{old}\b", new, draft.text) == TEXT
    assert olds == {"values", "value", "start"}


def test_a_text_without_a_name_to_rename() -> None:
    assert drafts(edits.renamed, "print(x)") == []
    assert drafts(edits.renamed, "user_name = user + user_name; f(u)") == []  # the old name would be the other one's


def test_a_draft_differs_from_its_text() -> None:
    made = [edits.make_draft("x == x", Random(seed)) for seed in range(60)]
    assert None in made
    assert all(draft is None or draft.text != "x == x" for draft in made)


def test_whole_lines_are_selected_and_none_too_long() -> None:
    lines = TEXT.splitlines()
    spans = [span for seed in range(200) if (span := edits.select(TEXT, Random(seed), 70))]
    assert {TEXT[span.start : span.end] for span in spans} > {lines[-1], "\n".join(lines[2:4])}
    for span in spans:
        assert span.end - span.start <= 70
        assert span.start == 0 or TEXT[span.start - 1] == "\n"
        assert TEXT[span.end] == "\n"
    assert edits.select("\n\n\n", Random(0), 70) is None
    gaps = [edits.select("a\n\n\nb\n\nc\n", Random(seed), 70) for seed in range(60)]
    assert {span.start for span in gaps if span} == {0, 4, 7}


@pytest.mark.parametrize("seed", range(5))
def test_a_selection_may_be_all_there_is(seed: int) -> None:
    assert edits.select("a = b", Random(seed), 70) in (None, Span(0, 5))
