"""Filling one hole: exactly what lies between prefix and suffix, however seams, lines and lengths fall."""

from __future__ import annotations

import pytest

from engine.cancel import CancelToken, Deadline
from engine.choose import Drawn, Greedy
from engine.config import EngineConfig
from engine.engine import LocalEngine
from engine.infill import Filled, HoleText, _filling, _give_up, choose_proposals, fill
from engine.models.base import Voice
from engine.models.toy import Toy
from engine.prompt import Prompt, infill_prompt
from engine.propose import Nothing
from engine.request import Hole, InfillRequest, Piece, PieceState, Progress, StopReason
from engine.work import Work

from .plain_reading import told

TEXT = 'def area(r):\n    """Kreisfläche 漢 🖌️."""\n    return 3.14 * r ** 2\r\n\n\nprint(area(2))\n'


def filled(
    toy: Toy,
    prefix: str,
    suffix: str,
    seeds: tuple[int | None, ...] = (None,),
    *,
    one_line: bool = False,
    **more: object,
) -> list[Filled]:
    request = InfillRequest(prefix + suffix, (Hole(len(prefix), len(prefix)),), **more)  # type: ignore[arg-type]
    return fill(Work(toy, CancelToken(), Deadline(None)), request, HoleText(prefix, suffix, one_line), 400, seeds)


@pytest.mark.parametrize("canvas", [0, 4])
@pytest.mark.parametrize("start", range(0, len(TEXT) - 18, 3))
def test_the_hole_is_filled_and_no_character_lost_or_doubled(start: int, canvas: int) -> None:
    for end in (start, start + 7, len(TEXT)):
        [one] = filled(Toy([TEXT], canvas=canvas, accuracy=0.7), TEXT[:start], TEXT[end:])
        if not TEXT[start:end].strip() and not TEXT[:start].rpartition("\n")[2].strip():
            assert one.text.strip()  # at the start of a line something is wanted
            continue
        assert one.text == TEXT[start:end]
        assert one.stop_reason is StopReason.END


@pytest.mark.parametrize("prefix", ["", "x = retu", "a\n    ", "漢", "🖌"])
def test_the_text_is_the_plain_readings(prefix: str) -> None:
    toy, texts = Toy(accuracy=0.6), []
    prompt = infill_prompt(toy.tokenizer, toy.prompts, prefix, "\nend", (), 400)
    for seed in (1, None, 2):
        [one] = filled(toy, prefix, "\nend", (seed,), max_tokens=25)
        choose = Greedy() if seed is None else Drawn(seed)
        may_be_empty = seed is None and prefix.strip(" ")[-1:] not in ("", "\n")
        expected = told(toy, prompt.ids, Voice.INFILL, choose, prompt.pending, 25, may_be_empty=may_be_empty)
        assert one.text.encode() == expected.data
        assert one.tokens == expected.tokens
        assert one.stop_reason is (StopReason.END if expected.ended else StopReason.LENGTH)
        texts.append(one.text)
    together = [one.text for one in filled(toy, prefix, "\nend", (1, None, 2), max_tokens=25)]
    assert together == [text for text in texts if text in together] != []  # some may have been given up


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\n\n"])
@pytest.mark.parametrize("canvas", [0, 4])
def test_one_line_ends_before_its_line_end(line_end: str, canvas: int) -> None:
    [one] = filled(Toy([f"x = 1 + 2{line_end}y = 3"], canvas=canvas), "x = ", "", one_line=True)
    assert (one.text, one.stop_reason) == ("1 + 2", StopReason.NEWLINE)


def test_one_line_may_be_empty_or_end_by_itself() -> None:
    assert filled(Toy(["x = \ny"]), "x = ", "", one_line=True)[0].text == ""
    assert filled(Toy(["x = 1"]), "x = ", "", one_line=True)[0].stop_reason is StopReason.END


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_at_the_length_a_character_is_whole_or_not_there(most: int) -> None:
    """The brush has four bytes and no token of its own."""
    [one] = filled(Toy(["x🖌y"]), "", "", max_tokens=most + 1)
    assert one.text == ("x🖌" if most == 4 else "x")
    assert (one.tokens, one.stop_reason) == (most + 1, StopReason.LENGTH)


def test_a_passed_deadline_gives_nothing_and_leaves_the_prefix_alone() -> None:
    request = InfillRequest("x = re", (Hole(6, 6),))
    [one] = fill(Work(Toy(), CancelToken(), Deadline(0)), request, HoleText("x = re", ""), 400, [None])
    assert (one.text, one.tokens, one.stop_reason) == ("", 0, StopReason.DEADLINE)


def test_the_score_is_the_mean_log_probability_whatever_the_denoiser_proposed() -> None:
    scores = {round(filled(Toy(canvas=c, accuracy=a), "x", "")[0].score, 3) for c, a in ((0, 1), (4, 1), (4, 0.5))}
    assert len(scores) == 1


def test_a_model_without_a_denoiser_gets_no_masks() -> None:
    assert choose_proposals(Toy(canvas=0), 1) == Nothing()
    assert choose_proposals(Toy(canvas=4), 1) != Nothing()
    assert choose_proposals(Toy(canvas=4), 3) == Nothing()


def heard_of(toy: Toy, hole: HoleText, seeds: tuple[int | None, ...] = (None,), **more: object) -> list[Progress]:
    heard: list[Progress] = []
    request = InfillRequest(hole.prefix, (Hole(len(hole.prefix), len(hole.prefix)),), **more)  # type: ignore[arg-type]
    fill(Work(toy, CancelToken(), Deadline(None), progress=heard.append), request, hole, 400, seeds)
    return heard


@pytest.mark.parametrize("seeds", [(None,), (None, 1, 2)])
def test_drafts_grow_into_the_text_in_whole_characters(seeds: tuple[int | None, ...]) -> None:
    text = "漢 = retu🖌️rn 2\n"
    heard = heard_of(Toy([f"x = re{text}"], accuracy=0.7), HoleText("x = re", ""), seeds)
    assert [text.startswith(progress.text) for progress in heard] == [True] * len(heard)
    assert (heard[-1].stage, heard[-1].text) == ("denoise", text)
    assert len({progress.text for progress in heard}) > 3


@pytest.mark.parametrize("canvas", [0, 4])
def test_only_a_greedy_filling_may_be_empty(canvas: int) -> None:
    toy = Toy(["x = ;"], canvas=canvas)
    greedy, drawn = (filled(toy, "x = ", ";", (seed,), max_tokens=9)[0] for seed in (None, 1))
    assert (greedy.text == "", drawn.text == "") == (True, False)
    request = InfillRequest("x = ;", (Hole(4, 4),), max_tokens=9)
    work = Work(toy, CancelToken(), Deadline(None))
    [one] = fill(work, request, HoleText("x = ", ";"), 400, [None], may_be_empty=False)
    assert one.text != ""


@pytest.mark.parametrize("canvas", [0, 4])
@pytest.mark.parametrize("prefix", ["", "a\n", "a\n    ", "a\r\n\t"])
def test_at_the_start_of_a_line_something_is_written(prefix: str, canvas: int) -> None:
    toy = Toy([f"{prefix}\nb"], canvas=canvas)  # it sees no gap, or blanks and a line end
    for suffix, one_line in (("\nb", False), ("b", False), ("b", True)):
        [one] = filled(toy, prefix, suffix, max_tokens=9, one_line=one_line)
        assert one.text.strip()
        assert not one_line or "\n" not in one.text


def test_where_something_is_wanted_something_is_written() -> None:
    for wanted in (False, True):
        request = InfillRequest("f() {\n}\n", (Hole(5, 5, wanted=wanted),), max_tokens=9)
        [one] = LocalEngine(Toy(["f() {\n}\n"]), EngineConfig(), {}).infill(request).candidates
        assert (one.texts[0].strip() != "") is wanted


@pytest.mark.parametrize("canvas", [0, 4])
def test_it_stops_where_the_request_has_enough(canvas: int) -> None:
    toy, seen = Toy(["x = re1\n22\n333\n4444\n"], canvas=canvas), []

    def enough(text: str) -> bool:
        seen.append(text)
        return text.count("\n") == 2

    [one] = filled(toy, "x = re", "", enough=enough)
    assert one.stop_reason is StopReason.ENOUGH
    assert one.text.startswith("1\n22\n")
    assert len(one.text) < len("1\n22\n") + 3
    assert all("\n" in text for text in seen)
    [whole] = filled(toy, "x = re", "", enough=lambda _: False)
    assert (whole.text, whole.stop_reason) == ("1\n22\n333\n4444\n", StopReason.END)


@pytest.mark.parametrize("prefix", ["ret", "漢", " prin"])
def test_writing_the_prefix_again_is_not_filling_the_hole(prefix: str) -> None:
    """Where the seam is healed, an end right after it would be an empty filling as well."""
    toy = Toy([f"{prefix};"])
    assert filled(toy, prefix, ";")[0].text == ""
    assert filled(toy, prefix, ";", (1,), max_tokens=9)[0].text != ""


def test_what_must_not_be_first_does_not_change_the_score_of_the_rest() -> None:
    """The mean is the model's own log probability of the tokens, whatever was ruled out in choosing them."""
    toy = Toy(accuracy=0.6)
    prompt = infill_prompt(toy.tokenizer, toy.prompts, "x =\n", "\nend", (), 400)
    for seed in range(1, 12):
        [one] = filled(toy, "x =\n", "\nend", (seed,), max_tokens=20)
        expected = told(toy, prompt.ids, Voice.INFILL, Drawn(seed), prompt.pending, 20, may_be_empty=False)
        assert one.score == pytest.approx(expected.log_probability / (expected.tokens + expected.ended), rel=1e-4)


def test_what_can_hardly_be_better_than_one_that_has_ended_is_given_up() -> None:
    toy, dropped = Toy(accuracy=0.6), 0
    for start in range(1, 60, 3):
        seeds = (start, start + 1, start + 2)
        alone = [filled(toy, "x", "y", (seed,), max_tokens=150)[0] for seed in seeds]
        totals = [one.score * (one.tokens + 2) for one in alone]  # one more wrote the prefix again, one ended it
        best = min(range(3), key=lambda index: alone[index].tokens)  # the first to end
        together = {one.text for one in filled(toy, "x", "y", seeds, max_tokens=150)}
        assert alone[best].text in together
        for one, total in zip(alone, totals, strict=True):
            if one.tokens <= 2 * alone[best].tokens + 48 and total >= totals[best] - 8:
                assert one.text in together
            dropped += one.text not in together and one.tokens <= 2 * alone[best].tokens + 48
    assert dropped


def test_one_of_three_that_runs_away_surely_is_given_up_by_its_length() -> None:
    toy = Toy()
    prompt = Prompt([1])
    short, at_most, longer = (_filling(prompt, Greedy(), Nothing(), []) for _ in range(3))
    for one, tokens in ((short, 5), (at_most, 58), (longer, 59)):
        one.draft = one.draft.commit([toy.tokenizer.encode("a")[0]] * tokens)
    assert list(_give_up([short, at_most, longer])) == []  # nothing has ended that they could be measured by
    short.stop_reason = StopReason.END
    assert list(_give_up([short, at_most, longer])) == [longer]
    assert (at_most.stop_reason, longer.stop_reason) == (None, StopReason.LENGTH)
    at_most.draft = longer.draft
    assert list(_give_up([short, at_most, longer])) == [at_most]  # what was given up is no measure


def test_every_step_of_the_canvas_is_told() -> None:
    text = "123 + 4567 + 89012"
    proposing = 0
    heard = heard_of(Toy([f"x = {text}"], canvas=2), HoleText("x = ", ""))
    for progress in heard:
        [pieces] = progress.holes
        told = {piece.state: piece for piece in pieces}
        assert [piece.state for piece in pieces] == [state for state in PieceState if state in told]
        committed = told.get(PieceState.COMMITTED, Piece(PieceState.COMMITTED, "", 0))
        assert (committed.text, committed.positions) == (progress.text, progress.done)
        if progress is not heard[-1]:
            assert told[PieceState.OPEN] == Piece(PieceState.OPEN, "", 2)
        right = text.startswith("".join(piece.text for piece in pieces))  # no character twice
        proposing += right and PieceState.PROPOSED in told
    assert proposing > 3
    assert [piece.state for piece in pieces] == [PieceState.COMMITTED]  # nothing is open in the end


def test_a_wrong_proposal_is_shown_as_one_and_taken_back() -> None:
    heard = heard_of(Toy(["x = 12345678"], canvas=2, accuracy=0.4), HoleText("x = ", ""))
    proposed = {"".join(piece.text for piece in one.holes[0]) for one in heard}
    assert not all("12345678".startswith(text) for text in proposed)
    assert heard[-1].text == "12345678"


def test_drafts_of_one_line_end_before_its_line_end() -> None:
    for progress in heard_of(Toy(["x = 1 + 2\ny = 3"], canvas=2), HoleText("x = ", "", one_line=True)):
        assert "\n" not in "".join(piece.text for piece in progress.holes[0])


def test_holes_that_are_not_being_filled_stand_beside() -> None:
    before = (Filled("done", 2, StopReason.END, 0.0), Filled("", 0, StopReason.END, 0.0))
    hole = HoleText("x = ", "", False, False, before, (Filled("a draft", 0, StopReason.END, 0.0),))
    *_, last = heard_of(Toy(["x = 1"]), hole)
    done, draft = Piece(PieceState.COMMITTED, "done", 2), Piece(PieceState.PROPOSED, "a draft", 0)
    assert last.holes == ((done,), (), (Piece(PieceState.COMMITTED, "1", 1),), (draft,))
