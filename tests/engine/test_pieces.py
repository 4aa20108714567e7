"""Tokens as pieces of text: nothing lost between them, nothing half."""

from __future__ import annotations

import pytest

from engine.models.toy import toy_tokenizer
from engine.pieces import pieces
from engine.request import Piece, PieceState

TOKENIZER = toy_tokenizer()
SURE, OFFERED = PieceState.COMMITTED, PieceState.PROPOSED


def test_neighbours_of_one_state_are_one_piece() -> None:
    tokens = TOKENIZER.encode("abcde")
    assert pieces(TOKENIZER, tokens, [True, True, False, True, True]) == (
        Piece(SURE, "ab", 2),
        Piece(OFFERED, "c", 1),
        Piece(SURE, "de", 2),
    )
    assert pieces(TOKENIZER, [], []) == ()


@pytest.mark.parametrize("borders", range(1 << 6))
def test_whatever_the_states_the_text_is_the_same(borders: int) -> None:
    text = "a🖌b"  # the brush is four bytes, each a token of its own
    tokens = TOKENIZER.encode(text)
    assert len(tokens) == 6
    made = pieces(TOKENIZER, tokens, [bool(borders >> place & 1) for place in range(6)])
    assert "".join(piece.text for piece in made) == text
    assert sum(piece.positions for piece in made) == 6


def test_what_writes_the_prefix_again_and_half_a_character_are_left_out() -> None:
    tokens = TOKENIZER.encode("abc🖌")[:-1]
    assert pieces(TOKENIZER, tokens, [True, False, *[True] * (len(tokens) - 2)], 2) == (
        Piece(SURE, "", 1),
        Piece(OFFERED, "", 1),
        Piece(SURE, "c", 4),
    )


def test_what_writes_the_text_after_it_again_is_left_out() -> None:
    tokens = TOKENIZER.encode("abc")
    assert pieces(TOKENIZER, tokens, [True, False, True], 0, 2) == (
        Piece(SURE, "a", 1),
        Piece(OFFERED, "", 1),
        Piece(SURE, "", 1),
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_one_line_ends_before_its_line_end(line_end: str) -> None:
    tokens = TOKENIZER.encode(f"ab{line_end}cd")
    committed = [place < 3 for place in range(len(tokens))]
    made = pieces(TOKENIZER, tokens, committed, one_line=True)
    assert [piece.text for piece in made] == ["ab", ""]
    assert sum(piece.positions for piece in made) == len(tokens)
