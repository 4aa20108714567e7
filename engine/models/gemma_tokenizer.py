"""Gemma's tokenizer, byte for byte: pieces with spaces written as ▁, and single bytes for what has no piece."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as Bpe

from ..errors import ModelError
from ..tokenizer import Tokenizer

_SPACE = "\u2581"  # ▁: a user's own one would be read back as a space, so it is encoded as its bytes
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


class GemmaTokenizer(Tokenizer):
    """`engine.tokenizer.Tokenizer` over a published `tokenizer.json` of the SentencePiece kind."""

    def __init__(self, bpe: Bpe, control: frozenset[int], vocabulary: int = 0) -> None:
        super().__init__(bpe, control)
        self._vocabulary = vocabulary

    @classmethod
    def read(cls, path: Path, vocabulary: int = 0) -> GemmaTokenizer:
        """`vocabulary` of the model: ids that the file has no token for have no text.

        Raises `ModelError` when the file is not such a tokenizer.
        """
        try:
            saved = json.loads(path.read_text("utf-8"))
            bpe = Bpe.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise ModelError(f"{path} is not a tokenizer: {error}") from error
        if not _of_this_kind(saved):
            raise ModelError(f"{path} is not a byte-fallback tokenizer that writes spaces as {_SPACE}, as Gemma's is")
        bpe.encode_special_tokens = True  # a control token's name in a user's text is text
        return cls(bpe, frozenset(token["id"] for token in saved["added_tokens"] if token["special"]), vocabulary)

    def encode(self, text: str) -> list[int]:
        """See `Tokenizer`."""
        first, *rest = text.split(_SPACE)
        ids = super().encode(first)
        for part in rest:
            ids += [*self._space, *super().encode(part)]
        return ids

    def encode_template(self, text: str) -> list[int]:
        """The same for text that is not a user's: names of control tokens are those tokens."""
        names = {name: number for number in self.control if (name := self._bpe.id_to_token(number))}
        parts = re.split("|".join(sorted(map(re.escape, names), key=len, reverse=True)).join("()"), text)
        ids: list[int] = []
        for part in filter(None, parts):
            ids += [names[part]] if part in names else self.encode(part)
        return ids

    def id_of(self, piece: str) -> int | None:
        """The id of a token by its name in the file, control tokens included."""
        number: int | None = self._bpe.token_to_id(piece)
        return number

    @cached_property
    def _space(self) -> list[int]:
        return [number for byte in _SPACE.encode() if (number := self.id_of(f"<0x{byte:02X}>")) is not None]

    @cached_property
    def token_bytes(self) -> list[bytes]:
        """See `Tokenizer`."""
        names = self._bpe.get_vocab(with_added_tokens=True)
        result = [b""] * max(self._vocabulary, max(names.values()) + 1)
        for name, number in names.items():
            if number not in self.control:
                byte = _BYTE.fullmatch(name)
                result[number] = bytes([int(byte[1], 16)]) if byte else name.replace(_SPACE, " ").encode()
        return result


def _of_this_kind(saved: Mapping[str, Any]) -> bool:
    model, normalizer = saved.get("model") or {}, saved.get("normalizer") or {}
    vocabulary = model.get("vocab") or {}
    replaces = normalizer.get("type") == "Replace" and normalizer.get("content") == _SPACE
    return bool(model.get("byte_fallback")) and replaces and all(f"<0x{byte:02X}>" in vocabulary for byte in range(256))
