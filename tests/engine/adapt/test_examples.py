"""Examples are cut as serving builds its prompts."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.adapt.corpus import Document
from engine.adapt.examples import Example, Sampler, cut, excerpt
from engine.adapt.holes import Span
from engine.adapt.recipe import Cutting
from engine.models.toy import Toy
from engine.prompt import infill_prompt

TOY = Toy()
TOKENIZER, CONTROL = TOY.tokenizer, TOY.prompts
TEXT = "".join(f"def f{number}(a, b):\n    return a * {number} + b\n\n\n" for number in range(40))
WIDE = Cutting(graded=20, suffix=(400, 400), prefix=(800, 800))


def example(hole: Span, cutting: Cutting = WIDE, seed: int = 0, text: str = TEXT) -> Example:
    return cut(text, hole, "python", Random(seed), TOKENIZER, CONTROL, cutting)


def test_a_full_hole_is_the_prompt_that_serving_builds_there() -> None:
    end = TEXT.index("    return a * 7")  # after a line end nothing is healed
    served = infill_prompt(TOKENIZER, CONTROL, TEXT[:end], TEXT[end:], (), 1200)
    assert served.pending == b""
    assert example(Span(end - 5, end)).ids == served.ids


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
