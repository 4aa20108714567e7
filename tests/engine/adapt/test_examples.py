"""Examples are cut as serving builds its prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from engine.adapt.corpus import Document
from engine.adapt.edits import Draft
from engine.adapt.examples import Example, Sampler, cut, cut_edit, excerpt, first_pass
from engine.adapt.holes import Span
from engine.adapt.recipe import Cutting
from engine.cancel import NO_DEADLINE, CancelToken, Deadline
from engine.ending import AtFence
from engine.joint import fill_all
from engine.models.base import Voice
from engine.models.toy import Toy
from engine.prompt import infill_prompt
from engine.request import Drafts, Hole, InfillRequest, RewriteRequest, StopReason
from engine.rewriting import rewrite
from engine.work import Work

TOY = Toy()
TOKENIZER, CONTROL = TOY.tokenizer, TOY.prompts
TEXT = "".join(f"def f{number}(a, b):\n    return a * {number} + b\n\n\n" for number in range(40))
SHORT = TEXT[: TEXT.index("def f6")]
WIDE = Cutting(graded=20, suffix=(400, 400), prefix=(800, 800))


def example(hole: Span, cutting: Cutting = WIDE, seed: int = 0, text: str = TEXT) -> Example:
    return cut(text, hole, "python", Random(seed), TOKENIZER, CONTROL, cutting)


def test_a_full_hole_is_the_prompt_that_serving_builds_there() -> None:
    end = TEXT.index("    return a * 7")  # after a line end nothing is healed
    served = infill_prompt(TOKENIZER, CONTROL, TEXT[:end], TEXT[end:], (), 1200)
    assert served.pending == b""
    assert example(Span(end - 5, end)).ids == served.ids


class Prompted(Toy):
    """Knows a text, and notes what it is asked to continue under one voice."""

    def __init__(self, text: str, voice: Voice) -> None:
        super().__init__([text])
        self.voice = voice
        self.seen: list[list[int]] = []

    def encode(self, prompt: Sequence[int], voice: Voice, cancel: CancelToken, deadline: Deadline = NO_DEADLINE) -> int:
        if voice is self.voice:
            self.seen.append([*prompt])
        return super().encode(prompt, voice, cancel, deadline)


def test_of_several_holes_each_is_the_prompt_that_serving_fills_it_from_first() -> None:
    middles = ["    return a * 1 + b\n", "    return a * 2", "    return a * 4 + b\n"]
    spans = [Span(SHORT.index(middle), SHORT.index(middle) + len(middle)) for middle in middles]
    holed, holes = SHORT, []
    for span, middle in zip(reversed(spans), reversed(middles), strict=True):
        holed = holed[: span.start] + holed[span.end :]
        holes = [Hole(span.start, span.start), *(Hole(h.start - len(middle), h.end - len(middle)) for h in holes)]
    toy = Prompted(SHORT, Voice.INFILL)
    fill_all(Work(toy, CancelToken(), Deadline(None)), InfillRequest(holed, tuple(holes), max_tokens=25), 1200)
    for number in range(2):
        text, span = first_pass(SHORT, spans[number:], First())
        assert span == spans[number]
        ids, read = example(span, text=text).ids, toy.seen[number]  # the anchor is read with the draft
        assert ids[: len(read)] == read
        assert TOKENIZER.decode(ids[len(read) :]) == "\n" + middles[number]


class First(Random):
    """Draws the first."""

    def randrange(self, *_: int) -> int:
        return 0


def test_any_hole_but_the_last_is_filled_first_and_a_lone_one_is_as_ever() -> None:
    spans = [Span(3, 5), Span(10, 12), Span(20, 25), Span(30, 31)]
    drawn = {first_pass(TEXT, spans, Random(seed)) for seed in range(40)}
    assert {span for _, span in drawn} == set(spans[:-1])
    for text, span in drawn:
        assert text[: span.end] == TEXT[: span.end]
        assert len(text) == len(TEXT) - sum(other.end - other.start for other in spans if other.start > span.start)
    assert first_pass(TEXT, spans[:1], Random(0)) == (TEXT, spans[0])


def test_the_recipe_says_how_many_examples_have_several_holes() -> None:
    documents = [Document("pypi:a", "a.py", "python", TEXT)]

    def whole(several: float) -> list[bool]:
        """Of each example, whether what follows the hole stands so in the document."""
        cutting = replace(WIDE, several=several, blocks=1.0, least=1)
        sampler = Sampler(documents, {"python": 1.0}, TOKENIZER, CONTROL, cutting, 0)
        made = [sampler(number).ids for number in range(60)]
        return [TOKENIZER.decode(ids[: ids.index(CONTROL.fim_middle)]).rstrip() in TEXT for ids in made]

    assert all(whole(0.0))
    assert sum(whole(1.0)) < 45


@pytest.mark.parametrize(("language", "named"), [("python", "python"), ("bash", "shellscript")])
def test_an_edit_is_what_serving_has_when_a_rewrite_is_written(language: str, named: str) -> None:
    """Prompt and answer token by token, under the voice that has no infiller, to the fence that ends it."""
    span = Span(SHORT.index("    return a * 2"), SHORT.index("\n\n\ndef f3"))
    draft = Draft("    return b * 2 + b", "Fix the bug.")
    made = cut_edit(SHORT, span, draft, language, Random(0), TOKENIZER, CONTROL, replace(WIDE, suffix=(20, 20)))
    text = SHORT[: span.start] + draft.text + SHORT[span.end :]
    stop = span.start + len(draft.text)
    request = RewriteRequest(text, span.start, stop, draft.instruction, named, drafts=Drafts.DENOISER)
    toy = Prompted(f"python\n{SHORT[span.start : span.end]}\n```", Voice.PLAIN)
    written = rewrite(Work(toy, CancelToken(), Deadline(None)), request, 80, None)
    assert written.stop_reason is StopReason.END
    assert written.text == SHORT[span.start : span.end] + "\n"
    [read] = toy.seen
    assert made.ids[: len(read)] == read
    answer = made.ids[len(made.ids) - made.middle :]
    assert TOKENIZER.decode(answer) == SHORT[span.start : span.end] + "\n```"
    assert AtFence(TOKENIZER, "```")(answer[:-1], answer[-1:]) == (1, StopReason.END)
    assert (made.plain, made.graded) == (True, min(WIDE.graded, made.middle))


def test_the_recipe_says_how_many_examples_are_edits() -> None:
    documents = [Document("pypi:a", "a.py", "python", TEXT)]

    def plain(edits: float) -> list[bool]:
        sampler = Sampler(documents, {"python": 1.0}, TOKENIZER, CONTROL, replace(WIDE, edits=edits), 0)
        made = [sampler(number) for number in range(60)]
        assert all(each.graded >= WIDE.least for each in made)
        return [each.plain for each in made]

    assert not any(plain(0.0))
    assert all(plain(1.0))
    assert 15 < sum(plain(0.5)) < 45


def test_the_middle_covers_the_hole_and_no_token_more() -> None:
    end = TEXT.index(" + b\n\n\ndef f9")
    for start in range(end - 12, end + 1):
        made = example(Span(start, end))
        assert TOKENIZER.decode(made.ids[len(made.ids) - made.middle :]).endswith(TEXT[start:end])
        assert len(TOKENIZER.decode_bytes(made.ids[len(made.ids) - made.middle + 1 :])) < max(1, end - start)


def test_suffix_and_prefix_stay_in_their_bounds() -> None:
    cutting = Cutting(graded=20, suffix=(5, 30), prefix=(25, 60))
    sizes = set()
    for seed in range(200):
        ids = example(Span(600, 620), cutting, seed).ids
        middle = ids.index(CONTROL.fim_middle)
        sizes.add((middle - 2, len(ids) - middle - 1))
    after, before = ({size[part] for size in sizes} for part in (0, 1))
    assert min(after) in (5, 6)
    assert max(after) in range(28, 31)
    assert max(before) in range(40, 61)
    assert min(before) < 30  # a prompt begins with a whole line, so some of the budget is left


def test_context_is_all_before_the_row_that_predicts_the_first_graded_token() -> None:
    made = example(Span(600, 620), Cutting(graded=20, through=0.0))
    assert made.context == len(made.ids) - 20 - 1
    assert example(Span(600, 620), Cutting(graded=20, through=1.0)).context == 0


def test_at_the_start_of_a_file_there_is_less_to_grade() -> None:
    made = example(Span(0, 8))
    assert made.graded == len(TOKENIZER.encode(TEXT[:8])) == len(made.ids) - made.ids.index(CONTROL.fim_middle) - 1


def test_an_excerpt_is_some_whole_top_level_blocks() -> None:
    excerpts = {excerpt(TEXT, Random(seed), 1.0) for seed in range(100)}
    assert all(text in TEXT and text.startswith("def f") and text.endswith("b\n") for text in excerpts)
    assert {text.count("def") for text in excerpts} == {1, 2, 3}
    assert excerpt(TEXT, Random(0), 0.0) == TEXT


def sampler(seed: int = 0) -> Sampler:
    documents = [
        Document("pypi:large", "a.py", "python", TEXT * 9),
        Document("pypi:small", "b.py", "python", TEXT.replace("def", "class")),
        Document("npm:other", "c.js", "javascript", TEXT.replace("def", "function")),
        Document("npm:other", "d.lua", "lua", TEXT),
    ]
    return Sampler(documents, {"python": 3.0, "javascript": 1.0, "go": 1.0}, TOKENIZER, CONTROL, WIDE, seed)


def test_an_example_is_known_by_its_number() -> None:
    one, other = sampler(), sampler()
    assert [one(number) for number in range(20)] == [other(number) for number in reversed(range(20))][::-1]
    assert one(3) != one(4)
    assert one(3) != sampler(1)(3)


def test_languages_by_weight_and_packages_by_the_root_of_their_size() -> None:
    draw = sampler()
    made = [draw(number) for number in range(400)]
    languages = Counter(each.language for each in made)
    assert set(languages) == {"python", "javascript"}
    assert languages["javascript"] / 400 == pytest.approx(0.25, abs=0.07)
    words = Counter(b"class" in TOKENIZER.decode_bytes(each.ids) for each in made if each.language == "python")
    assert words[True] / languages["python"] == pytest.approx(0.25, abs=0.08)  # 1 : sqrt(9)
    assert min(each.graded for each in made) >= WIDE.least
