"""A canvas as people are shown it: neighbouring tokens of one state as one text."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Sequence
from itertools import groupby

from .request import Piece, PieceState
from .tokenizer import Tokenizer


def pieces(
    tokenizer: Tokenizer,
    tokens: Sequence[int],
    committed: Sequence[bool],
    skip: int = 0,
    drop: int = 0,
    *,
    one_line: bool = False,
) -> tuple[Piece, ...]:
    """The tokens' text without its first `skip` and last `drop` bytes, in pieces of what is committed or but proposed.

    A character that spans two pieces is the later one's; one that is not whole yet is left out. `one_line` ends the
    text before its first line end.
    """
    decoder = getincrementaldecoder("utf-8")("replace")
    made = []
    ended = False
    room = len(tokenizer.decode_bytes(tokens)) - drop
    for sure, run in groupby(zip(committed, tokens, strict=True), key=lambda pair: pair[0]):
        ids = [token for _, token in run]
        data = tokenizer.decode_bytes(ids)
        text = "" if ended else decoder.decode(data[skip : max(room, 0)])
        skip, room = max(0, skip - len(data)), room - len(data)
        if one_line and (line := re.search("[\r\n]", text)):
            text, ended = text[: line.start()], True
        made.append(Piece(PieceState.COMMITTED if sure else PieceState.PROPOSED, text, len(ids)))
    return tuple(made)
