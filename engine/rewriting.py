"""Rewriting a selection: the chat prompt, and the selected text as what is proposed for verification."""

from __future__ import annotations

from dataclasses import dataclass

from .choose import Choose, Drawn, Greedy
from .draft import Draft
from .drafting import Filling
from .ending import AtEnd, AtFence, AtLength, Ending, before_fence, fenced
from .infill import choose_proposals
from .models.base import Model, Voice
from .prompt import Prompt, rewrite_prompt
from .propose import Lookup, Nothing, Propose, Realign
from .request import Drafts, Progress, RewriteRequest, StopReason, SyntaxCheck
from .work import Work


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A new text for the selection."""

    text: str
    tokens: int
    stop_reason: StopReason


def rewrite(work: Work, request: RewriteRequest, budget: int, check: SyntaxCheck | None) -> Rewritten:
    """The text of `request.attempt`; if `check` finds added errors, one repair round with another draw.

    Raises `Cancelled`.
    """
    drawn, repaired = (Drawn(2 * request.attempt + repair, temperature=0.5) for repair in (0, 1))
    first = _attempt(work, request, budget, drawn if request.attempt else Greedy())
    errors = check((first.text,)) if check else 0
    if not errors or check is None or work.deadline.passed:
        return first
    second = _attempt(work, request, budget, repaired)
    return second if check((second.text,)) < errors else first


def _attempt(work: Work, request: RewriteRequest, budget: int, choose: Choose) -> Rewritten:
    model, tokenizer = work.model, work.model.tokenizer
    prompt = rewrite_prompt(tokenizer, model.prompts, request, budget)
    work.encode(prompt.ids, Voice.PLAIN)
    propose = _proposals(model, request, prompt)
    endings: list[Ending] = [AtEnd(model.prompts.end), AtFence(tokenizer, prompt.fence), AtLength(request.max_tokens)]
    filling = Filling(propose(Draft.after(prompt.ids), 0, 0, None), choose, propose, endings)

    def watch() -> None:
        if work.progress is not None:
            committed = filling.draft.committed
            work.progress(
                Progress("denoise", len(committed), 0, before_fence(tokenizer.decode(committed), prompt.fence))
            )

    work.denoise([filling], Voice.PLAIN, watch)
    committed = filling.draft.committed
    assert filling.stop_reason is not None
    text = before_fence(tokenizer.decode(committed), prompt.fence)
    return Rewritten(text, len(tokenizer.encode(text)), filling.stop_reason)


def _proposals(model: Model, request: RewriteRequest, prompt: Prompt) -> Propose:
    match request.drafts:
        case Drafts.SELECTION:
            selected = request.text[request.start : request.end]
            return Realign(tuple(model.tokenizer.encode(fenced(selected, prompt.fence))), tuple(prompt.ids))
        case Drafts.LOOKUP:
            return Lookup(tuple(prompt.ids))
        case Drafts.DENOISER:
            return choose_proposals(model, 1)
        case Drafts.NOTHING:
            return Nothing()
