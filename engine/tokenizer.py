"""Text to tokens and back, byte for byte. Control tokens are known by number and never made from a user's text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from tokenizers import Regex, decoders, models, pre_tokenizers
from tokenizers import Tokenizer as Bpe

from .errors import ModelError

# Qwen2's own split, as its published tokenizer states it.
_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CONTROL = 3  # GGUF's token type of control tokens


def build_bpe(tokens: Sequence[str], merges: Sequence[str]) -> Bpe:
    """Qwen2's byte-level BPE from a GGUF's token and merge lists; no token is special to it."""
    vocabulary = {token: number for number, token in enumerate(tokens)}
    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    bpe = Bpe(models.BPE(vocab=vocabulary, merges=pairs))
    split = pre_tokenizers.Split(Regex(_SPLIT), behavior="isolated")
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    bpe.decoder = decoders.ByteLevel()
    return bpe


def control_tokens(types: Iterable[int]) -> frozenset[int]:
    """The ids a GGUF marks as control tokens."""
    return frozenset(number for number, kind in enumerate(types) if kind == _CONTROL)


def _bytes_of_characters() -> dict[str, int]:
    """GPT-2's printable stand-ins for bytes, reversed."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(byte): byte for byte in printable}
    hidden = (byte for byte in range(256) if byte not in set(printable))
    table.update({chr(0x100 + index): byte for index, byte in enumerate(hidden)})
    return table


class Tokenizer:
    """Encodes and decodes with a saved `tokenizer.json`; ids in `control` never become text."""

    def __init__(self, bpe: Bpe, control: frozenset[int]) -> None:
        self._bpe = bpe
        self.control = control

    @classmethod
    def load(cls, path: Path, control: frozenset[int]) -> Tokenizer:
        """Raises `ModelError` when the file is not a tokenizer."""
        try:
            return cls(Bpe.from_file(str(path)), control)
        except Exception as error:  # the library raises bare Exception
            raise ModelError(f"{path} is not a tokenizer: {error}") from error

    def encode(self, text: str) -> list[int]:
        """Token ids whose bytes are exactly the text's UTF-8 (lone surrogates become `?`)."""
        sound = text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text
        return list(self._bpe.encode(sound, add_special_tokens=False).ids)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of the tokens; control tokens have none."""
        return b"".join(self.token_bytes[number] for number in ids)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the tokens; a character cut off at the end is left out."""
        data = self.decode_bytes(ids)
        return data[: whole_characters(data)].decode("utf-8", "replace")

    @cached_property
    def token_bytes(self) -> list[bytes]:
        """The bytes of every token, by id."""
        table = _bytes_of_characters()
        known = self._bpe.get_vocab(with_added_tokens=False)
        result = [b""] * (max(known.values()) + 1)
        for token, number in known.items():
            if number not in self.control:
                result[number] = bytes(table[character] for character in token if character in table)
        return result

    @cached_property
    def line_ends(self) -> frozenset[int]:
        """Ids of all tokens of blanks that end a line."""
        blanks = [(number, name) for number, name in enumerate(self.token_bytes) if not name.strip(b" \t\r\n")]
        return frozenset(number for number, name in blanks if b"\n" in name or b"\r" in name)

    @cached_property
    def _sorted(self) -> tuple[list[bytes], list[int]]:
        pairs = sorted((data, number) for number, data in enumerate(self.token_bytes) if data)
        return [data for data, _ in pairs], [number for _, number in pairs]

    def continuing(self, pending: bytes) -> list[int]:
        """Ids of all tokens that begin with `pending`, or that `pending` begins with."""
        names, numbers = self._sorted
        shorter = []
        for size in range(1, len(pending)):
            at = bisect_left(names, pending[:size])
            while at < len(names) and names[at] == pending[:size]:
                shorter.append(numbers[at])
                at += 1
        return self.beginning_with(pending) + shorter

    def beginning_with(self, data: bytes) -> list[int]:
        """Ids of all tokens that begin with `data`."""
        names, numbers = self._sorted
        first = last = bisect_left(names, data)
        while last < len(names) and names[last].startswith(data):
            last += 1
        return numbers[first:last]

    def ending_with(self, data: bytes) -> list[int]:
        """Ids of all tokens that end with `data`."""
        return [number for number, name in enumerate(self.token_bytes) if name.endswith(data)]


def needs_healing(last: bytes) -> bool:
    """Whether text that goes on could have been one token with this one. Lines are whole: nothing joins a line end."""
    return b"\n" not in last


def whole_characters(data: bytes) -> int:
    """Length of `data` without an incomplete UTF-8 sequence at its end."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            return len(data)
        if byte >= 0xC0:  # a leading byte: whole only if all that it announces is there
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) if back >= needed else len(data) - back
    return len(data)
