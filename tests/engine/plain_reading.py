"""What an answer must be: a model read one token at a time, first to last, with nothing kept or guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.choose import Choose, Greedy, allow_only
from engine.models.base import Voice
from engine.models.toy import Toy


@dataclass(frozen=True)
class Told:
    """`data`: the bytes after what was pending; `tokens`: those that wrote some of them; `ended`: by an end token."""

    data: bytes
    tokens: int
    ended: bool
    log_probability: float


def told(
    toy: Toy,
    prompt: Sequence[int],
    voice: Voice = Voice.INFILL,
    choose: Choose | None = None,
    pending: bytes = b"",
    most: int = 40,
    *,
    may_be_empty: bool = True,
) -> Told:
    """The answer to a prompt, of at most `most` tokens that write something new; blanks alone are empty too."""
    names = toy.tokenizer.token_bytes
    ids, data, tokens, total = list(prompt), b"", 0, 0.0
    while tokens < most:
        logits = toy.reading(ids, voice)
        left = pending[len(data) :]
        if left:
            fitting = [n for n, name in enumerate(names) if name and (name.startswith(left) or left.startswith(name))]
            logits = allow_only(logits, fitting)
        allowed = logits.clone()
        if not may_be_empty and not data[len(pending) :].strip():
            allowed[list(toy.prompts.end)] = float("-inf")
        token = (choose or Greedy())(allowed[None], len(ids) - len(prompt))[0]
        total += float(logits.log_softmax(dim=0)[token])
        if token in toy.prompts.end:
            return Told(data[len(pending) :], tokens, True, total)
        ids.append(token)
        data += names[token]
        tokens += len(data) > len(pending)
    return Told(data[len(pending) :], tokens, False, total)
