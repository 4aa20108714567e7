"""A toy model for tests: no weights, and every mistake in masks, positions or commits changes its text.

Its next token depends on each token that a row is shown and on where each stands: they seed the noise that its logits
are made of. Above the noise stands what the texts it knows say next, as long as the row is shown one token at every
position. Its denoiser is right as often as it is told to be. No command or setting reaches it.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import torch
from tokenizers.pre_tokenizers import ByteLevel
from torch import Tensor

from ..cancel import NO_DEADLINE, CancelToken, Deadline
from ..tokenizer import Tokenizer, build_bpe
from .base import MASK, Prompts, Reading, Rows, Voice

_CONTROL = ("<end>", "<prefix>", "<suffix>", "<middle>", "<turn>", "<turn end>")
_WORDS = ("return", " return", "print", " result", "    ", "\n\n", "\r\n", "===", "é", "漢")
_CHUNK = 8  # prompt tokens between two looks at the cancel token
_SURE = 24.0  # how far what is known stands above the noise
_SUFFIX_BYTES = 16  # of the suffix, which end a hole where they begin

Seen = tuple[int, int]  # position, token


def toy_tokenizer(*more: str) -> Tokenizer:
    """All bytes, and a few words with each of their beginnings as a token; `more` control tokens at the end."""
    letters = sorted(ByteLevel.alphabet())
    tokens, merges = [*letters], []
    for word in _WORDS:
        (shown, _), *_ = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(word)
        for size in range(2, len(shown) + 1):
            if shown[:size] not in tokens:
                tokens.append(shown[:size])
                merges.append(f"{shown[: size - 1]} {shown[size - 1]}")
    names = [*tokens, *_CONTROL, *more]
    return Tokenizer(build_bpe(names, merges), frozenset(range(len(tokens), len(names))))


class Toy:
    """`base.Model`. `texts`: what it knows; `accuracy`: the share of its proposals that are the next tokens."""

    def __init__(self, texts: Sequence[str] = (), *, canvas: int = 4, accuracy: float = 1.0) -> None:
        self.tokenizer = toy_tokenizer()
        end, prefix, suffix, middle, turn_start, turn_end = sorted(self.tokenizer.control)
        self.prompts = Prompts(prefix, suffix, middle, turn_start, turn_end, end)
        self.canvas = canvas
        self._end = end
        self._texts = [text.encode() for text in texts]
        self._accuracy = accuracy
        names = self.tokenizer.token_bytes
        # The noise speaks printable ASCII and ends now and then; everything else only if nothing else is allowed.
        self._bias = torch.tensor([0.0 if name.isascii() and name.decode().isprintable() else -30.0 for name in names])
        self._bias[sorted(self.tokenizer.control)] = -60.0
        self._bias[end] = 2.0
        self._prompt: dict[Voice, list[int]] = {voice: [] for voice in Voice}
        self._slots: dict[Voice, list[Seen]] = {voice: [] for voice in Voice}
        self._rows: list[Seen] = []

    def encode(self, prompt: Sequence[int], voice: Voice, cancel: CancelToken, deadline: Deadline = NO_DEADLINE) -> int:
        """See `Model`."""
        held = self._prompt[voice]
        self._slots[voice].clear()
        reused = next((at for at, (old, new) in enumerate(zip(held, prompt, strict=False)) if old != new), None)
        reused = min(len(held), len(prompt)) if reused is None else reused
        del held[reused:]
        while len(held) < len(prompt) and not deadline.passed:
            cancel.raise_if_cancelled()
            held.extend(prompt[len(held) : len(held) + _CHUNK])
        return reused

    def read(self, rows: Rows, voice: Voice) -> Reading:
        """See `Model`. Raises `ValueError` for a mask of the wrong shape."""
        slots = self._slots[voice]
        self._rows = list(zip(rows.positions, rows.ids, strict=True))
        if rows.visible.shape != (len(rows), len(slots) + len(rows)):
            raise ValueError(f"visible is {tuple(rows.visible.shape)} with {len(slots)} slots and {len(rows)} rows")
        prompt = list(enumerate(self._prompt[voice]))
        others = [*slots, *self._rows]
        exact, canvas = [], []
        for number, shown in enumerate(rows.visible.tolist()[: rows.exact + rows.canvas]):
            seen = prompt + [one for one, visible in zip(others, shown, strict=True) if visible]
            if number < rows.exact:
                exact.append(self._logits(seen, voice))
            else:
                canvas.append(self._proposal(seen, rows.positions[number], voice))
        nothing = torch.empty(0, len(self._bias))
        return Reading(torch.stack(exact) if exact else nothing, torch.stack(canvas) if canvas else nothing)

    def commit(self, rows: Sequence[int], voice: Voice) -> None:
        """See `Model`. Raises `ValueError` for rows that are not in rising order."""
        if list(rows) != sorted(set(rows)):
            raise ValueError(f"rows {list(rows)} are not in rising order")
        self._slots[voice] += [self._rows[row] for row in rows]

    def reading(self, ids: Sequence[int], voice: Voice) -> Tensor:
        """(vocabulary,): what follows `ids`, read plainly from the first token to the last; the oracle of tests."""
        return self._logits(list(enumerate(ids)), voice)

    def _logits(self, seen: Sequence[Seen], voice: Voice) -> Tensor:
        seed = zlib.crc32(repr((voice.value, sorted(seen))).encode())
        logits = 3 * torch.randn(len(self._bias), generator=torch.Generator().manual_seed(seed)) + self._bias
        if self._texts and sorted(position for position, _ in seen) == list(range(len(seen))):
            logits[self._known([token for _, token in sorted(seen)])] = _SURE
        return logits

    def _proposal(self, seen: Sequence[Seen], position: int, voice: Voice) -> Tensor:
        """(vocabulary,): a mask that is shown its block and all before it says the token after its own place."""
        ids = [token for _, token in sorted(one for one in seen if one[1] != MASK)]
        block = sorted(place for place, token in seen if token == MASK)
        noise = zlib.crc32(repr((position, sorted(seen))).encode())
        token = noise % 256
        if block == list(range(len(ids), len(ids) + self.canvas)) and noise % 1000 < 1000 * self._accuracy:
            for _ in range(position - len(ids) + 2):
                token = int(self.reading(ids, voice).argmax())
                ids.append(token)
        return torch.zeros(len(self._bias)).index_fill_(0, torch.tensor(token), _SURE)

    def _known(self, ids: Sequence[int]) -> int:
        """The longest end of what was written that stands in a known text goes on as it does there."""
        middle = max((at for at, token in enumerate(ids) if token == self.prompts.fim_middle), default=-1)
        suffix = self.tokenizer.decode_bytes(ids[: middle + 1])[:_SUFFIX_BYTES]
        written = self.tokenizer.decode_bytes(ids[middle + 1 :])
        for size in range(len(written), -1, -1):
            for text in self._texts:
                at = text.find(written[len(written) - size :])
                if at >= 0:
                    return self._next(text[at + size :], suffix)
        raise AssertionError("every text holds the empty one")

    def _next(self, rest: bytes, suffix: bytes) -> int:
        """The longest token that says no more than the rest, which ends where the suffix begins."""
        rest = rest[: rest.find(suffix)] if suffix and suffix in rest else rest
        names = self.tokenizer.token_bytes
        fitting = [number for number, name in enumerate(names) if name and rest.startswith(name)]
        return max(fitting, key=lambda number: len(names[number]), default=self._end)
