"""What a model writes that is no part of the document: control tokens, code fences, broken characters."""

from __future__ import annotations

import re

from ..brackets import Inside, balance
from .site import Site

# Control tokens of the Qwen family, spelled out, and of others: any model may be asked for
_CONTROL = re.compile(
    r"<\|(?:fim_(?:prefix|suffix|middle|pad)|endoftext|im_start|im_end|repo_name|file_sep|(?:start|end)_header_id|eot_id"
    r"|(?:begin|end)_of_text|user|assistant|system|mask|mdm_mask)\|>"
    r"|<fim_(?:prefix|suffix|middle|pad)>|<(?:start|end)_of_turn>|<｜[^｜\n]{1,30}｜>"
)
_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE)
_PROSE_INFO = ("", "markdown", "md", "text", "txt")
_ENCLOSING = re.compile(
    r"\A\s*(`{3,}|~{3,})[ \t]*(?P<info>[^`\s]*)[^`\n]*\n(?P<inner>.*?)\n?[ \t]*\1[ \t]*\s*\Z", re.DOTALL
)
_BLOCK = re.compile(r"^[ \t]*(`{3,}|~{3,})[^`\n]*\n(?P<inner>.*?)\n[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)


def readable(raw: str, around: str) -> str:
    """`raw` in LF, up to its first control token; one that stands in the text `around` the hole is no leak."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    text = text.rstrip("\ufffd")  # bytes of a character that was not finished
    start = 0
    for token in _CONTROL.finditer(text):
        if token.group() in around:
            continue
        if text[start : token.start()].strip():
            return text[start : token.start()]
        start = token.end()
    return text[start:]


def without_fences(text: str, site: Site) -> str:
    """Take off a fence around the whole of `text`, and end it where the fence it stands in would end."""
    if site.language.prose and not site.fenced:
        return text
    if site.fenced:
        closing = _FENCE_LINE.search(text)
        return text[: closing.start()].rstrip("\n") if closing else text
    opening = _FENCE_LINE.match(text.lstrip("\n")) if site.on_blank else None
    if opening:
        text = text.lstrip("\n")[opening.end() :].removeprefix("\n")
    closing = _FENCE_LINE.search(text)
    if closing and not site.plain and balance(text[: closing.start()], site.language).inside is Inside.CODE:
        return text[: closing.start()].rstrip("\n")
    return text


def without_enclosing_fence(text: str, *, prose: bool, draft: str) -> str:
    """The answer to a rewrite without the fence around it; fences within it, or in the draft, are the document's."""
    if _FENCE_LINE.match(draft.lstrip()):
        return text
    if (enclosing := _ENCLOSING.match(text)) and _encloses(enclosing):
        return text if prose and enclosing["info"] not in _PROSE_INFO else enclosing["inner"]
    if not prose and not _FENCE_LINE.search(draft):
        blocks = list(_BLOCK.finditer(text))
        if len(blocks) == 1:  # the code, with a word about it before or after
            return blocks[0]["inner"]
    return text


def _encloses(fence: re.Match[str]) -> bool:
    """Not the first and last lines of two different blocks: then a closing fence would come first within."""
    inner = _FENCE_LINE.search(fence["inner"])
    return inner is None or inner.group().strip().strip("`~") != ""
