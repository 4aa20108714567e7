"""Prompts of the Gemma family: a chat whose answer has been begun, so that its canvas is a piece of the user's file.

The control tokens come from the checkpoint's own chat template, rendered in transformers' sandbox; a control token's
name in a user's text is text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError
from transformers.utils.chat_template_utils import render_jinja_template

from ..errors import ModelError
from ..frame import Frame
from ..prompt import head, tail
from ..request import InfillRequest, RewriteRequest, Snippet
from .checkpoint import Checkpoint
from .gemma_tokenizer import GemmaTokenizer

_ASKED, _ANSWERED = "\ue000asked\ue000", "\ue000answered\ue000"  # private use: no template has them


@dataclass(frozen=True, slots=True)
class GemmaFrames:
    """`engine.frame.Frames`. `before`, `between`: the ids around a user's turn; `end` ends an answer."""

    tokenizer: GemmaTokenizer
    before: tuple[int, ...]
    between: tuple[int, ...]
    end: int

    @classmethod
    def read(cls, checkpoint: Checkpoint, tokenizer: GemmaTokenizer) -> GemmaFrames:
        """Raises `ModelError` for a template that cannot be used."""
        before, _, between = _rendered(checkpoint, answered=False).partition(_ASKED)
        closing = tokenizer.encode_template(_rendered(checkpoint, answered=True).partition(_ANSWERED)[2])
        ends = [token for token in closing if token in tokenizer.control]
        if not ends:
            raise ModelError(f"the chat template of {checkpoint.folder} ends an answer with no control token")
        encode = tokenizer.encode_template
        return cls(tokenizer, tuple(encode(before)), tuple(encode(between)), ends[0])

    def infill(self, request: InfillRequest, prefix: str, suffix: str, budget: int, room: int) -> Frame:
        """See `Frames`. What follows stands in the question, the prefix begins the answer: typing only appends."""
        encode = self.tokenizer.encode
        after = head(self.tokenizer, suffix, budget // 3)
        following = self.tokenizer.decode(after)
        snippets = self._shown(request.snippets, budget // 2)
        fence = _fence(snippets + prefix + following)
        opened = f"{fence}{request.language}\n"
        name = request.path.replace("\\", "/").rpartition("/")[2] or "a file"
        question = (
            f"{snippets}There is a gap in the text of {name}. After the gap it goes on with:\n{opened}{following}\n"
            f"{fence}\nWrite the text with the gap filled. Keep all that stands before and after the gap as it is."
            " Answer with one code block and nothing else."
        )
        before = tail(self.tokenizer, prefix, budget - len(after))
        pending = b""
        if before and b"\n" not in self.tokenizer.token_bytes[before[-1]]:
            pending = self.tokenizer.token_bytes[before.pop()]
        pinned = after[:room]
        if self.tokenizer.decode_bytes(pinned) == suffix.encode("utf-8", "replace"):  # the answer ends with it
            pinned += [*encode(f"\n{fence}"), self.end]
        prompt = [*self.before, *encode(question), *self.between, *encode(opened), *before]
        return Frame(prompt, pending, tuple(pinned), fence)

    def _shown(self, snippets: Sequence[Snippet], budget: int) -> str:
        """The last ones that fit."""
        shown = ""
        for one in reversed(snippets):
            more = f"From {one.path}:\n{one.text.rstrip()}\n\n"
            if len(self.tokenizer.encode(more + shown)) > budget:
                break
            shown = more + shown
        return shown

    def rewrite(self, request: RewriteRequest, budget: int) -> Frame:
        """See `Frames`. The answer's fence is open."""
        encode = self.tokenizer.encode
        selected = request.text[request.start : request.end]
        before = self.tokenizer.decode(tail(self.tokenizer, request.text[: request.start], budget // 2))
        after = self.tokenizer.decode(head(self.tokenizer, request.text[request.end :], budget // 4))
        fence = _fence(before + selected + after)
        opened = f"{fence}{request.language}\n"
        around = [("stands before", before), ("follows", after)]
        context = "".join(f"This {what} it:\n{opened}{text}\n{fence}\n\n" for what, text in around if text.strip())
        question = (
            f"Rewrite this code:\n{opened}{selected}\n{fence}\n\n{context}{request.instruction.strip()}\n"
            "Change nothing else. Answer with the rewritten code in one code block and nothing else."
        )
        return Frame([*self.before, *encode(question), *self.between, *encode(opened)], fence=fence)


def _fence(text: str) -> str:
    """Longer than any run of backticks in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return fence


def _rendered(checkpoint: Checkpoint, *, answered: bool) -> str:
    """The template around a question, with or without an answer."""
    chat = [{"role": "user", "content": _ASKED}, {"role": "assistant", "content": _ANSWERED}]
    names = checkpoint.tokenizer_config
    special: dict[str, Any] = {name: _content(names.get(name)) for name in ("bos_token", "eos_token", "pad_token")}
    try:
        rendered = render_jinja_template(
            conversations=[chat if answered else chat[:1]],
            chat_template=checkpoint.chat_template,
            add_generation_prompt=not answered,
            enable_thinking=False,
            **special,
        )
    except (TemplateError, ValueError, TypeError) as error:
        raise ModelError(f"the chat template of {checkpoint.folder} cannot be used: {error}") from error
    text = str(rendered[0][0])
    if any(text.count(part) != 1 for part in ((_ASKED, _ANSWERED) if answered else (_ASKED,))):
        raise ModelError(f"the chat template of {checkpoint.folder} does not show a message once, as it is")
    return text


def _content(token: object) -> str:
    """A special token of tokenizer_config.json, which may be an object."""
    return str(token.get("content", "")) if isinstance(token, dict) else str(token or "")
