"""Prompts of the Qwen2.5-Coder family, as token ids. The only place that knows their formats."""

from __future__ import annotations

from dataclasses import dataclass

from .models.base import Prompts
from .request import RewriteRequest, Snippet
from .tokenizer import Tokenizer

_GRID = 16  # lines: where a long prefix is cut moves in steps, so that a keystroke seldom moves it
_WIDE = 512  # characters: the same for one endless line


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids; the bytes at the end of the prefix that the answer writes again (seam healing); the answer's fence."""

    ids: list[int]
    pending: bytes = b""
    fence: str = ""


def infill_prompt(
    tokenizer: Tokenizer, control: Prompts, prefix: str, suffix: str, snippets: tuple[Snippet, ...], budget: int
) -> Prompt:
    """`[fim_prefix][fim_suffix] suffix [fim_middle] prefix`: typing only appends, so the prefix KV survives it.

    Suffix and prefix share `budget` tokens: a third at most for the suffix, unless the prefix leaves more.
    """
    shown = "".join(f"{snippet.text.rstrip()}\n\n" for snippet in snippets)
    after = head(tokenizer, suffix, budget // 3)
    before = tail(tokenizer, shown + prefix, budget - len(after))
    pending = b""
    if before and _needs_healing(tokenizer.token_bytes[before[-1]]):
        pending = tokenizer.token_bytes[before.pop()]
    return Prompt([control.fim_prefix, control.fim_suffix, *after, control.fim_middle, *before], pending)


def _needs_healing(last: bytes) -> bool:
    """Whether text that goes on could have been one token with this one. Lines are whole: nothing joins a line end."""
    return b"\n" not in last


def head(tokenizer: Tokenizer, text: str, budget: int) -> list[int]:
    """The first tokens of a text, at most `budget`."""
    return tokenizer.encode(text[: budget * 8])[:budget]


def tail(tokenizer: Tokenizer, text: str, budget: int) -> list[int]:
    """The last tokens of a text, at most `budget`, cut at a place that stays while the text grows a little."""
    ids = tokenizer.encode(text[-budget * 16 :] if len(text) > budget * 16 else text)
    if len(ids) <= budget and len(text) <= budget * 16:
        return ids
    starts = [0]
    for _ in range(text.count("\n")):
        starts.append(text.index("\n", starts[-1]) + 1)
    grid = starts[::_GRID] if len(starts) > _GRID else range(0, len(text), _WIDE)
    for start in grid:
        if len(text) - start <= budget * 16:
            ids = tokenizer.encode(text[start:])
            if len(ids) <= budget:
                return ids
    return ids[-budget:]


def rewrite_prompt(tokenizer: Tokenizer, control: Prompts, request: RewriteRequest, budget: int) -> Prompt:
    """The chat template with the file around the selection; the answer's code fence is opened for the model."""
    start, end = control.turn_start, control.turn_end
    selected = request.text[request.start : request.end]
    before = tokenizer.decode(tail(tokenizer, request.text[: request.start], budget // 4))
    after = tokenizer.decode(head(tokenizer, request.text[request.end :], budget // 4))
    fence = "```"
    while fence in request.text[request.start : request.end]:
        fence += "`"
    opened = f"{fence}{request.language}\n"
    context = ""
    if before.strip() or after.strip():
        context = f"This is a part of the file {request.path}:\n{opened}{before}{selected}{after}\n{fence}\n\n"
    user = (
        f"{context}Rewrite this code:\n{opened}{selected}\n{fence}\n\n"
        f"{request.instruction.strip()}\nAnswer with the whole rewritten code and nothing else."
    )
    encode = tokenizer.encode
    system = encode("system\nYou are a careful programmer who edits code exactly as asked.")
    turns = (system, encode(f"user\n{user}"))
    ids = [token for turn in turns for token in (start, *turn, end, *encode("\n"))]
    return Prompt([*ids, start, *encode(f"assistant\n{opened}")], fence=fence)
