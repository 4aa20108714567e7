"""Prompts of the Qwen2.5-Coder family, as token ids. The only place that knows their formats."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from .models.base import Prompts
from .request import RewriteRequest, Snippet
from .tokenizer import Tokenizer, needs_healing

_LONGEST = 16  # characters a token has on average at most: what is farther back is over any budget


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids; the bytes at the end of the prefix that the answer writes again (seam healing); the answer's fence."""

    ids: list[int]
    pending: bytes = b""
    fence: str = ""


def infill_prompt(
    tokenizer: Tokenizer, control: Prompts, prefix: str, suffix: str, snippets: tuple[Snippet, ...], budget: int
) -> Prompt:
    """`snippets [fim_prefix][fim_suffix] suffix [fim_middle] prefix`: typing only appends, the prefix KV survives it.

    Suffix and prefix share `budget` tokens, a third at most for the suffix: what a short prefix leaves is not given to
    it, or it would change while the prefix grows. Snippets come on top, at most as much again, and first: a jump
    within a file leaves them read.
    """
    after = head(tokenizer, suffix, budget // 3)
    before = tail(tokenizer, prefix, budget - len(after))
    pending = b""
    if before and needs_healing(tokenizer.token_bytes[before[-1]]):
        pending = tokenizer.token_bytes[before.pop()]
    shown = tail(tokenizer, "".join(f"{snippet.text.rstrip()}\n\n" for snippet in snippets), budget)
    return Prompt([*shown, *suffix_first(control, after, before)], pending)


def suffix_first(control: Prompts, after: Sequence[int], before: Sequence[int]) -> list[int]:
    """The order that serving and training share."""
    return [control.fim_prefix, control.fim_suffix, *after, control.fim_middle, *before]


def head(tokenizer: Tokenizer, text: str, budget: int) -> list[int]:
    """The first tokens of a text, at most `budget`."""
    return tokenizer.encode(text[: budget * 8])[:budget]


def tail(tokenizer: Tokenizer, text: str, budget: int) -> list[int]:
    """The last tokens of a text, at most `budget`, cut at a place that stays while the text grows a little."""
    if len(text) <= budget * _LONGEST:
        ids = tokenizer.encode(text)
        if len(ids) <= budget:
            return ids
    step = max(budget // 2, 1)  # characters
    steps = range(max(len(text) - budget * _LONGEST, 0) // step, -(-len(text) // step))
    fits = bisect_left(steps, True, key=lambda number: len(_from(tokenizer, text, number * step, step)) <= budget)
    return _from(tokenizer, text, steps[min(fits, len(steps) - 1)] * step, step)[-budget:]


def _from(tokenizer: Tokenizer, text: str, start: int, step: int) -> list[int]:
    """The text from the first line that begins within a step, or from the step itself in one endless line."""
    line_end = text.find("\n", start, start + step) if start else -1
    return tokenizer.encode(text[line_end + 1 if line_end >= 0 else start :])


def rewrite_prompt(tokenizer: Tokenizer, control: Prompts, request: RewriteRequest, budget: int) -> Prompt:
    """The chat template: what stands before the selection, the selection, the instruction; the answer's fence is open.

    What follows the selection is left out: shown it, a small model writes it again.
    """
    start, end = control.turn_start, control.turn_end
    selected = request.text[request.start : request.end]
    before = tokenizer.decode(tail(tokenizer, request.text[: request.start], budget // 4))
    fence = "```"
    while fence in selected:
        fence += "`"
    opened = f"{fence}{request.language}\n"
    context = f"The file begins with:\n{opened}{before}\n{fence}\n\n" if before.strip() else ""
    user = (
        f"{context}Rewrite only this code:\n{opened}{selected}\n{fence}\n\n{request.instruction.strip()}\n"
        "Change nothing else. Answer with the rewritten code only."
    )
    encode = tokenizer.encode
    turns = (encode("system\nYou are a careful programmer who edits code exactly as asked."), encode(f"user\n{user}"))
    ids = [token for turn in turns for token in (start, *turn, end, *encode("\n"))]
    return Prompt([*ids, start, *encode(f"assistant\n{opened}")], fence=fence)
