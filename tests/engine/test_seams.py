"""Seams: no byte of the user's text is altered by tokenisation, none is lost or doubled where a hole begins or ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.cancel import NO_DEADLINE, CancelToken
from engine.canvas import Canvas, Gap
from engine.denoise import Denoising, Strategies, denoise
from engine.joint import assemble
from engine.models.toy_canvas import ToyCanvas
from engine.remask import InsertDelete, Keep, Renoise
from engine.request import Hole
from engine.sampler import TopP
from engine.schedule import Constant
from engine.seams import Seam, heal, parts_of
from engine.stopping import Never
from engine.unmask import TopK

from .said import generator


@dataclass
class Whole:
    """`texts` and `tokens` of the holes, and the bytes of the canvas."""

    texts: list[str]
    tokens: list[list[int]]
    data: bytes


def filled(toy: ToyCanvas, text: str, holes: list[Hole], lengths: list[int], *, moves: bool = False) -> Whole:
    parts, seams = parts_of(toy.tokenizer, text, holes, lengths)
    remask = InsertDelete(toy.expand, toy.delete, 0.9, 24) if moves else Keep() if toy.noise.marked else Renoise()
    noise = generator(7)
    use = Strategies(Constant(12), TopP(), TopK(2), remask, Never())
    one = Denoising(Canvas.of(parts, toy.noise, noise), use, noise)
    denoise(toy, [one], CancelToken(), NO_DEADLINE, lambda: None)
    tokens = [one.filling(number) for number in range(len(seams))]
    texts = [seam.text(toy.tokenizer, ids, toy.ends) for seam, ids in zip(seams, tokens, strict=True)]
    held = one.canvas.ids if one.answer is None else one.answer
    return Whole(texts, tokens, toy.tokenizer.decode_bytes(held.tolist()))


WORDS = ["retu", "return", " res", "    ", "\t", "\r\n", "\n\n", "é", "漢字", "x = 1", "==", "\u2028", "\x00", "\ud800"]
EMOJI = ["\U0001f58c\ufe0f", "\U0001f469\u200d\U0001f469\u200d\U0001f467"]
texts = st.lists(st.sampled_from(WORDS + EMOJI), max_size=8).map("".join)


@settings(max_examples=150, deadline=None)
@given(texts, st.lists(st.integers(0, 40), min_size=2, max_size=6), st.integers(0, 4), st.booleans(), st.booleans())
@example("漢字" + EMOJI[0], [1, 1, 2, 2], 1, False, False)
@example("retu\r\n\tx", [4, 4], 0, True, True)
def test_the_whole_is_the_text_around_the_holes_and_what_fills_them(
    text: str, cuts: list[int], length: int, uniform: bool, moves: bool
) -> None:
    """And the canvas holds the same bytes: what the model has before it is what the user gets."""
    places = sorted(min(cut, len(text)) for cut in cuts[: len(cuts) // 2 * 2])
    holes = [Hole(start, end) for start, end in zip(places[::2], places[1::2], strict=True)]
    toy = ToyCanvas(uniform=uniform)
    whole = filled(toy, text, holes, [length] * len(holes), moves=moves and not uniform)
    starts, stops = [0, *(hole.end for hole in holes)], [*(hole.start for hole in holes), len(text)]
    outside = [text[start:stop] for start, stop in zip(starts, stops, strict=True)]
    pieces = [*chain(*zip(outside, [*whole.texts, ""], strict=True))]
    assert assemble(text, holes, whole.texts)[0] == "".join(pieces)
    assert holds_in_order(whole.data, [piece.encode("utf-8", "replace") for piece in outside])
    halves = [toy.tokenizer.decode_bytes(ids) for ids in whole.tokens]
    plain = not any(toy.ends & {*ids} for ids in whole.tokens) and all(map(sound, halves))
    assert not plain or whole.data == "".join(pieces).encode("utf-8", "replace")


def sound(data: bytes) -> bool:
    """Whether the toy happened to write no half character."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def holds_in_order(data: bytes, pieces: list[bytes]) -> bool:
    """The canvas begins with the first piece, ends with the last, and has the others between, in order."""
    at = 0
    for piece in pieces:
        at = data.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return data.startswith(pieces[0]) and data.endswith(pieces[-1])


@pytest.mark.parametrize(
    ("text", "middle", "tokens"),
    [("    return x\n", "rn", [b"return"]), ("y = print(x)\n", "pr", [b" ", b"pri"])],
)
def test_a_word_cut_in_two_is_filled_as_one_token(text: str, middle: str, tokens: list[bytes]) -> None:
    toy = ToyCanvas([text])
    whole = filled(toy, text, [Hole(text.index(middle), text.index(middle) + len(middle))], [0])
    assert whole.texts == [middle]
    assert [toy.tokenizer.token_bytes[token] for token in whole.tokens[0]] == tokens


def test_an_end_token_ends_the_hole_before_what_the_last_position_heals() -> None:
    toy = ToyCanvas()
    [end] = toy.ends
    a, b, c = toy.tokenizer.encode("abc")
    assert Seam(b"", b"c").text(toy.tokenizer, [a, b, c], toy.ends) == "ab"
    assert Seam(b"", b"c").text(toy.tokenizer, [a, c, end, b, c], toy.ends) == "ac"
    assert Seam(b"a", b"c").text(toy.tokenizer, [a, b, end], toy.ends) == "b"
    assert Seam().text(toy.tokenizer, [], toy.ends) == ""


def test_a_character_that_is_cut_off_is_left_out() -> None:
    toy = ToyCanvas()
    ids = toy.tokenizer.encode("a🖌")
    assert Seam().text(toy.tokenizer, ids[:-1], toy.ends) == "a"


@pytest.mark.parametrize("right", [True, False])
def test_the_text_inside_a_hole_is_its_draft(right: bool) -> None:
    toy = ToyCanvas()
    parts, seams = parts_of(toy.tokenizer, "ab[cde]f", [Hole(3, 5)], [4], right=right, noise_level=0.5)
    gap = parts[1]
    assert isinstance(gap, Gap)
    assert (gap.length, gap.noise_level) == (4 + 1 + right, 0.5)
    assert toy.tokenizer.decode(gap.draft[1:]) == "cd"
    assert seams == [Seam(b"[", b"e" if right else b"")]


@pytest.mark.parametrize(
    ("before", "after", "seam"),
    [
        ("re", "turn", Seam(b"re", b"t")),
        ("x", "_y", Seam(b"x", b"_")),
        ("x", " y", Seam(b"x", b"")),
        ("x", ")", Seam(b"x", b"")),
        ("x\n", "\n", Seam(b"", b"")),
        ("", "", Seam(b"", b"")),
        ("é", "é", Seam("é".encode(), "é".encode())),
    ],
)
def test_a_hole_heals_to_the_left_but_at_a_line_end_and_to_the_right_inside_a_word(
    before: str, after: str, seam: Seam
) -> None:
    tokenizer = ToyCanvas().tokenizer
    between = [tokenizer.encode(before), tokenizer.encode(after)]
    assert heal(tokenizer, between) == [seam]
    assert tokenizer.decode_bytes(between[0]) + seam.left == before.encode()
    assert seam.right + tokenizer.decode_bytes(between[1]) == after.encode()
