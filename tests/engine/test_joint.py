"""The joint mode: several holes that see each other, and candidates ranked by the causal reading of the whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cancel import NO_DEADLINE, CancelToken, Deadline
from engine.errors import Cancelled
from engine.infill import Filled, HoleText, fill
from engine.joint import REACH_TOKENS, SWEEPS, _likeliest, assemble, best_of, distinct, fill_all, rank, seeds
from engine.models.base import Reading, Rows, Voice
from engine.models.toy import Toy
from engine.prompt import tail
from engine.request import Hole, InfillRequest, Mode, Piece, PieceState, Progress, StopReason
from engine.work import Work

TEXT = "first = 12\nsecond = first * 34\nthird = second - first\nprint(first, second, third)\n"


def work_of(toy: Toy, deadline_s: float | None = None) -> Work:
    return Work(toy, CancelToken(), Deadline(deadline_s))


def filled(text: str, score: float = 0.0) -> Filled:
    return Filled(text, len(text), StopReason.END, score)


def with_holes(text: str, *pieces: str, draft: str = "") -> InfillRequest:
    """A request for these pieces of a text, each replaced by a draft."""
    holes = []
    for piece in pieces:
        at = text.index(piece)
        text = text.replace(piece, draft, 1)
        holes.append(Hole(at, at + len(draft)))
    return InfillRequest(text, tuple(holes), mode=Mode.JOINT, max_tokens=40)


def test_assemble_fills_the_holes_and_says_where_the_last_one_ends() -> None:
    assert assemble("a__b_c", [Hole(1, 3), Hole(4, 5)], ["XYZ", ""]) == ("aXYZbc", 5)
    assert assemble("abc", [], []) == ("abc", 0)


def test_greedy_first_then_seeds_that_no_other_request_draws_with() -> None:
    assert seeds(0, 1) == [None]
    assert seeds(4, 3) == [None, 13, 14]
    assert not {*seeds(4, 3)[1:]} & {*seeds(5, 3)[1:]}


def test_of_equal_texts_the_first_stays_in_its_place() -> None:
    a, b, again = filled("a", 1), filled("b", 2), filled("a", 3)
    assert distinct([a, b, again]) == [a, b]
    assert distinct([b, a, again])[1] is a


def test_rank_is_the_sum_of_what_a_plain_reading_says() -> None:
    toy = Toy()
    prefix, suffix = "x = 1\nretu", "rn x\nprint(x) # a long tail that is cut after some tokens" + "!" * 80
    work = work_of(toy)
    fillings = ["", "abc", "q" * 150, "q" * 9, "漢🖌"]
    scores = rank(work, HoleText(prefix, suffix), fillings, 24)
    ids_of = []
    for text, score in zip(fillings, scores, strict=True):
        ids = tail(toy.tokenizer, prefix, 384)
        rest = toy.tokenizer.encode(text + toy.tokenizer.decode(toy.tokenizer.encode(suffix)[:24]))
        ids_of.append(rest)
        expected = 0.0
        for token in rest:
            expected += float(toy.reading(ids, Voice.PLAIN).log_softmax(dim=0)[token])
            ids = [*ids, token]
        assert score == pytest.approx(expected, rel=1e-4)
    alike = {tuple(written[:length]) for written in ids_of for length in range(len(written))}
    assert work.forwards == -(-len(alike) // 64)  # what several begin with is read once


def test_rank_without_a_prefix_reads_from_a_line_end() -> None:
    toy = Toy()
    [score] = rank(work_of(toy), HoleText("", "c" * 60), ["ab"], 24)
    read, expected = toy.tokenizer.encode("\n"), 0.0
    for token in toy.tokenizer.encode("ab" + "c" * 24):
        expected += float(toy.reading(read, Voice.PLAIN).log_softmax(0)[token])
        read.append(token)
    assert score == pytest.approx(expected, rel=1e-4)


def test_writing_nothing_at_the_end_of_a_text_is_not_free() -> None:
    """The text's end is what follows, and has its likelihood as any other token has."""
    toy = Toy(["def f(a):\n    return a\n"])
    nothing, whole = rank(work_of(toy), HoleText("def f(a):\n    ret", ""), ["", "urn a\n"], 24)
    read = toy.tokenizer.encode("def f(a):\n    ret")
    expected = float(toy.reading(read, Voice.PLAIN).log_softmax(0)[toy.prompts.text_end])
    assert nothing == pytest.approx(expected, rel=1e-4)
    assert nothing < whole


@pytest.mark.parametrize("count", [1, 2, 5])
def test_candidates_are_distinct_and_the_likeliest_whole_comes_first(count: int) -> None:
    toy = Toy(accuracy=0.6)
    request = InfillRequest("x = \nprint(x)", (Hole(4, 4),), mode=Mode.JOINT, candidates=count, max_tokens=8, seed=3)
    work = work_of(toy)
    best = best_of(work, request, 400)
    texts = [one.text for one in best]
    assert len(texts) == len({*texts}) == count
    scores = rank(work_of(toy), HoleText("x = ", "\nprint(x)"), texts, 24)
    assert scores == sorted(scores, reverse=True)
    assert [one.text for one in best_of(work_of(toy), request, 400)] == texts  # the same every time
    other = best_of(work_of(toy), replace(request, seed=4), 400)
    assert count == 1 or [one.text for one in other] != texts


def test_ranking_prefers_what_the_suffix_follows() -> None:
    """Greedy writes the likelier middle; only a reading of the whole sees that the suffix does not follow it."""
    toy = Toy(["go(a); end\n"])
    right, wrong = rank(work_of(toy), HoleText("go(", "); end\n"), ["a", "b"], 24)
    assert right > wrong


def test_what_adds_errors_comes_last_however_likely() -> None:
    request = InfillRequest("x = \nprint(x)", (Hole(4, 4),), mode=Mode.JOINT, candidates=3, max_tokens=8, seed=3)
    likeliest, *others = [one.text for one in best_of(work_of(Toy(accuracy=0.6)), request, 400)]
    checked = best_of(work_of(Toy(accuracy=0.6)), request, 400, lambda texts: int(texts[0] == likeliest))
    assert [one.text for one in checked] == [*others, likeliest]


def test_a_filling_that_adds_errors_is_given_up() -> None:
    request = with_holes(TEXT, "12", "first * 34", "second - first", draft="")
    plain = [one.text for one in fill_all(work_of(Toy(accuracy=0.6)), request, 600)]
    checked = fill_all(work_of(Toy(accuracy=0.6)), request, 600, lambda texts: int(texts[0] == plain[0]))
    assert checked[0].text != plain[0]


def test_a_passed_deadline_prefers_none() -> None:
    assert rank(work_of(Toy(["go(a); end\n"]), 0), HoleText("go(", "); end\n"), ["a", "b"], 24) == [0.0, 0.0]


def test_a_passed_deadline_still_gives_a_candidate() -> None:
    request = InfillRequest("x = ", (Hole(4, 4),), mode=Mode.JOINT, candidates=2)
    assert [one.stop_reason for one in best_of(work_of(Toy(), 0), request, 400)] == [StopReason.DEADLINE]


@pytest.mark.parametrize("draft", ["", "<<hole>>"])
def test_all_holes_are_filled_and_nothing_else_changes(draft: str) -> None:
    request = with_holes(TEXT, "12", "first * 34", "second - first", draft=draft)
    whole = fill_all(work_of(Toy([TEXT], accuracy=0.7)), request, 600)
    assert assemble(request.text, request.holes, [one.text for one in whole])[0] == TEXT


def test_holes_that_touch_and_holes_at_both_ends() -> None:
    request = InfillRequest("=\n", (Hole(0, 0), Hole(1, 1), Hole(1, 1), Hole(2, 2)), max_tokens=6)
    whole = fill_all(work_of(Toy(accuracy=0.7)), request, 400)
    text, end = assemble(request.text, request.holes, [one.text for one in whole])
    assert len(whole) == 4
    assert (end, text.count("=\n") >= 0) == (len(text), True)


def test_a_hole_ends_with_its_line_beside_one_that_does_not() -> None:
    toy, holes = Toy(["a = 1\n2\nb = 3\n4\nc"]), (Hole(4, 4, one_line=True), Hole(9, 9))
    for seed in range(4):
        one, other = fill_all(work_of(toy), InfillRequest("a = \nb = \nc", holes, max_tokens=6, seed=seed), 400)
        assert "\n" not in one.text
        assert other.text


def test_a_hole_is_filled_again_only_with_what_makes_the_whole_likelier() -> None:
    toy, better = Toy(accuracy=0.5), 0
    request = InfillRequest("a = \nb = \nc", (Hole(4, 4), Hole(9, 9)), max_tokens=6)
    [left] = fill(work_of(toy), request, HoleText("a = ", "\nb = \nc"), 400, [None])
    [right] = fill(work_of(toy), request, HoleText(f"a = {left.text}\nb = ", "\nc"), 400, [None])
    for seed in range(6):
        final = fill_all(work_of(toy), replace(request, seed=seed), 400)
        pairs = [f"{one.text}\nb = {other.text}" for one, other in ((left, right), final)]
        scores = rank(work_of(toy), HoleText("a = ", "\nc"), pairs, 24)
        assert scores[1] >= scores[0]
        better += scores[1] > scores[0]
        assert final == fill_all(work_of(toy), replace(request, seed=seed), 400)  # the same every time
    assert better


def test_cancel_is_read_while_ranking() -> None:
    toy, cancel = Toy(), CancelToken()
    work = Work(toy, cancel, Deadline(None))
    rank(work, HoleText("x", ""), ["a"], 24)
    cancel.cancel()
    with pytest.raises(Cancelled):
        rank(work, HoleText("x", ""), ["a", "b"], 24)


def test_a_deadline_between_holes_leaves_the_rest_as_it_is() -> None:
    request = with_holes(TEXT, "12", "first * 34")
    whole = fill_all(work_of(Toy([TEXT]), 0), request, 400)
    assert [one.stop_reason for one in whole] == [StopReason.DEADLINE] * 2


def test_no_hole_stays_empty_while_a_later_one_is() -> None:
    """Greedy sees no gap at either hole; with nothing ruled out both would stay as they are."""
    toy = Toy(["a = b = c"])
    request = InfillRequest("a = b = c", (Hole(4, 4), Hole(8, 8)), max_tokens=6)
    seen: list[tuple[str, ...]] = []

    def check(texts: tuple[str, ...]) -> int:
        seen.append(texts)
        return 0

    fill_all(work_of(toy), request, 400, check)
    assert seen[0][0] != ""
    assert any(texts[0] == "" for texts in seen)  # later it may be


def test_a_hole_is_opened_again_only_when_what_stands_around_it_has_changed() -> None:
    request = with_holes(TEXT, "12", "first * 34", "second - first")
    prompts: list[tuple[int, ...]] = []

    class Counting(Toy):
        def encode(self, prompt, voice, cancel, deadline=NO_DEADLINE):  # type: ignore[no-untyped-def]
            if voice is Voice.INFILL:
                prompts.append(tuple(prompt))
            return super().encode(prompt, voice, cancel, deadline)

    whole = fill_all(work_of(Counting([TEXT])), request, 600)
    assert assemble(request.text, request.holes, [one.text for one in whole])[0] == TEXT
    assert len(prompts) == len({*prompts}) < 3 * (1 + SWEEPS)  # and the last hole's first offers are kept


def test_every_hole_is_told_of_at_every_step() -> None:
    text = "a = 1\nbb = 22\nccc = 333\n"
    heard: list[Progress] = []
    request = with_holes(text, "1", "333", draft="?")
    work = Work(Toy([text]), CancelToken(), Deadline(None), progress=heard.append)
    whole = fill_all(work, request, 400)
    assert heard[0].holes[1] == (Piece(PieceState.PROPOSED, "?", 0),)  # its draft, until it is filled
    last = ["".join(piece.text for piece in pieces) for pieces in heard[-1].holes]
    assert last == [one.text for one in whole]
    assert {len(progress.holes) for progress in heard} == {2}
    for progress in heard:
        committed = {piece.text for hole in progress.holes for piece in hole if piece.state is PieceState.COMMITTED}
        assert progress.text in committed | {""}


def test_the_first_candidate_is_told_of() -> None:
    heard: list[Progress] = []
    request = InfillRequest("x = \ny", (Hole(4, 4),), mode=Mode.JOINT)
    best_of(Work(Toy(["x = 123\ny"]), CancelToken(), Deadline(None), progress=heard.append), request, 400)
    assert [*dict.fromkeys(progress.text for progress in heard)][-1] == "123"


@pytest.mark.parametrize(("between", "rows"), [(10, 24 + 10), (60, 24 + 60), (3000, REACH_TOKENS)])
def test_what_follows_is_read_to_the_last_hole_and_no_farther_than_it_reaches(between: int, rows: int) -> None:
    """In a long file, a candidate of the first hole must not cost a reading of all that lies before the last one."""
    read: list[int] = []

    class Counting(Toy):
        def read(self, rows: Rows, voice: Voice) -> Reading:
            if voice is Voice.PLAIN:
                read.append(rows.exact)
            return super().read(rows, voice)

    request = InfillRequest("a" + "-" * between + "b" * 90, (Hole(1, 1), Hole(1 + between, 1 + between)))
    choices = [filled("x"), filled("y")]
    _likeliest(work_of(Counting()), request, [choices[0], filled("")], 0, choices, None)
    assert sum(read) == 1 + 2 * rows  # what the two begin with, and each with what follows but its last token
