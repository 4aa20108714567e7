"""Filling one hole: the lossless mode, and candidates of it for the joint mode to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .choose import Choose, Drawn, Greedy
from .draft import Draft
from .drafting import Filling
from .ending import AtEnd, AtLength, AtNewline, Ending
from .models.base import Model, Voice
from .prompt import Prompt, infill_prompt
from .propose import Confident, Nothing, Propose
from .request import InfillRequest, Piece, PieceState, Progress, StopReason
from .tokenizer import whole_characters
from .work import Work

_LONGER = 48  # tokens
_LESS_LIKELY = 8.0  # nats; of two holes' candidates, those that won were never 3 behind


@dataclass(frozen=True, slots=True)
class Filled:
    """A filling of one hole; `score` is its mean log probability."""

    text: str
    tokens: int
    stop_reason: StopReason
    score: float


@dataclass(frozen=True, slots=True)
class HoleText:
    """One hole with what stands left and right of it, and for whoever looks on the other holes on either side."""

    prefix: str
    suffix: str
    one_line: bool = False
    wanted: bool = False
    before: tuple[Filled, ...] = field(default=(), compare=False)
    after: tuple[Filled, ...] = field(default=(), compare=False)


def fill(
    work: Work,
    request: InfillRequest,
    hole: HoleText,
    budget: int,
    seeds: Sequence[int | None],
    *,
    may_be_empty: bool = True,
) -> list[Filled]:
    """One filling a seed, in one batch, but none that was given up; seed None is greedy. Raises `Cancelled`.

    Only the greedy one may be empty: where the model sees no gap, others like it would leave nothing to choose from.
    And none where something is wanted, as it is by whoever asks at the start of a line: what the model takes for whole
    without it is mostly a line that could be missing (docs/LOG.md, 2026-12-01).
    """
    model = work.model
    prompt = infill_prompt(model.tokenizer, model.prompts, hole.prefix, hole.suffix, request.snippets, budget)
    work.encode(prompt.ids, Voice.INFILL)
    propose = choose_proposals(model, len(seeds))
    endings: list[Ending] = [AtEnd(model.prompts.end), AtLength(request.max_tokens)]
    if hole.one_line:
        endings.append(AtNewline(model.tokenizer))
    fillings = [_filling(prompt, _choose(seed), propose, endings) for seed in seeds]
    unwanted = model.prompts.end
    if begins_line := not hole.prefix[hole.prefix.rfind("\n") + 1 :].strip():
        unwanted |= model.tokenizer.line_ends if hole.one_line else frozenset()
    for filling, seed in zip(fillings, seeds, strict=True):
        if seed is not None or begins_line or hole.wanted or not may_be_empty:
            filling.not_yet = unwanted
    given_up: list[Filling] = []
    lines = [0] * len(fillings)  # of each, how many were judged to be enough or not

    def watch() -> None:
        given_up.extend(_give_up(fillings))
        for number, one in enumerate(fillings):
            lines[number] = _stop_at_enough(model, one, prompt, request.enough, lines[number])
        if work.progress is not None:
            work.progress(_progress(model, fillings[0], prompt, hole))

    work.denoise(fillings, Voice.INFILL, watch)
    return [_filled(model, one, prompt, hole.one_line) for one in fillings if one not in given_up]


def _progress(model: Model, filling: Filling, prompt: Prompt, hole: HoleText) -> Progress:
    """How a filling and the holes beside it stand after a forward."""
    draft = filling.draft
    written = _written(model, draft.committed, prompt, hole.one_line)
    tokens = len(draft.committed) - filling.healed
    pieces = [Piece(PieceState.COMMITTED, written, tokens)]
    if filling.stop_reason is None:
        further = _written(model, (*draft.committed, *draft.proposed), prompt, hole.one_line)
        opened = draft.width if len(draft.proposed) in draft.blocks else 0
        pieces.append(Piece(PieceState.PROPOSED, further[len(written) :], len(draft.proposed)))
        pieces.append(Piece(PieceState.OPEN, "", opened))
    here = tuple(piece for piece in pieces if piece.positions)
    holes = (*map(_standing, hole.before), here, *map(_standing, hole.after))
    return Progress("denoise", tokens, 0, written, holes)


def _standing(other: Filled) -> tuple[Piece, ...]:
    """A hole that is not being filled; one that never was holds its draft."""
    state = PieceState.COMMITTED if other.tokens else PieceState.PROPOSED
    return (Piece(state, other.text, other.tokens),) if other.text else ()


def choose_proposals(model: Model, drafts: int) -> Propose:
    """The denoiser proposes for one draft; several fill a forward's rows as they are."""
    alone = model.canvas and drafts == 1
    return Confident(width=min(model.canvas, 2), threshold=0.1) if alone else Nothing()


def _give_up(fillings: Sequence[Filling]) -> Iterator[Filling]:
    """Stop what can hardly be better than one that has ended: far less likely already, or far longer."""
    ended = [one for one in fillings if one.stop_reason not in (None, StopReason.LENGTH)]
    if not ended:
        return
    least = max(one.log_probability for one in ended) - _LESS_LIKELY
    most = 2 * max(len(one.draft.committed) for one in ended) + _LONGER
    for one in fillings:
        if one.stop_reason is None and (one.log_probability < least or len(one.draft.committed) > most):
            one.stop_reason = StopReason.LENGTH
            yield one


def _stop_at_enough(
    model: Model, filling: Filling, prompt: Prompt, enough: Callable[[str], bool] | None, judged: int
) -> int:
    """Stop a filling that has enough; returns how many of its lines are judged now."""
    if enough is None or filling.stop_reason is not None:
        return judged
    text = _written(model, filling.draft.committed, prompt, one_line=False)
    if (lines := text.count("\n")) > judged and enough(text):
        filling.stop_reason = StopReason.ENOUGH
    return lines


def _choose(seed: int | None) -> Choose:
    return Greedy() if seed is None else Drawn(seed)


def _filling(prompt: Prompt, choose: Choose, propose: Propose, endings: Sequence[Ending]) -> Filling:
    draft = propose(Draft.after(prompt.ids), 0, 0, None)
    return Filling(draft, choose, propose, endings, prompt.pending)


def _filled(model: Model, filling: Filling, prompt: Prompt, one_line: bool) -> Filled:
    committed = filling.draft.committed
    text = _written(model, committed, prompt, one_line)
    assert filling.stop_reason is not None  # the loop ends with a reason for each
    score = filling.log_probability / max(1, len(committed) + (filling.stop_reason is StopReason.END))
    return Filled(text, len(committed) - filling.healed, filling.stop_reason, score)


def _written(model: Model, committed: Sequence[int], prompt: Prompt, one_line: bool) -> str:
    """The text of committed tokens without what they write again, up to its last whole character."""
    data = model.tokenizer.decode_bytes(committed)[len(prompt.pending) :]
    if one_line:
        data = next(iter(data.splitlines()), b"")  # of bytes: \n, \r\n and \r, nothing else
    return data[: whole_characters(data)].decode("utf-8", "replace")
