"""Filling holes on canvases: what follows is pinned at the tail, and a hole's length is chosen by its first step.

encoded prompt, prefix | hole 0 | pinned | hole 1 | pinned ... tail
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from torch import Generator

from .canvas import Canvas, Gap, Pin
from .denoise import Denoising
from .frame import Frame
from .infill import Filled
from .joint import assemble
from .request import Hole, InfillRequest, Piece, PieceState, Progress, StopReason
from .sampler import Ruled
from .tokenizer import Tokenizer, whole_characters
from .work import CanvasWork

LENGTHS = (4, 8, 16, 32, 64, 128, 256)  # tokens that a hole is tried with
ONE_LINE = 32  # tokens of a rest of a line, at most
USUAL = 16  # of a hole, while the length of another is tried
DRAFT_NOISE = 0.5  # noise level of a hole that holds a text


@dataclass(frozen=True, slots=True)
class _Layout:
    """Holes that share a canvas: the texts between them as tokens, and the drafts in them."""

    frame: Frame
    between: Sequence[Sequence[int]]
    drafts: Sequence[Sequence[int]]
    first: Sequence[int]  # the only tokens that write again what is pending, if something is
    room: int  # positions for all holes

    def parts(self, lengths: Sequence[int]) -> list[Pin | Gap]:
        """The canvas with holes of these lengths."""
        pins = [*self.between, self.frame.tail]
        holes = zip(lengths, self.drafts, pins, strict=True)
        parts: list[Pin | Gap] = []
        for number, (length, draft, pin) in enumerate(holes):
            parts += [Gap(length, draft, DRAFT_NOISE, first=() if number else self.first), Pin(pin)]
        return parts


def fill(work: CanvasWork, request: InfillRequest, budget: int) -> list[list[Filled]]:
    """`request.candidates` fillings or fewer, each a text for every hole, the surest first. Raises `Cancelled`."""
    layout = _laid_out(work, request, budget)
    if layout is not None:
        return _on_one_canvas(work, request, layout)
    filled = [Filled(request.text[hole.start : hole.end], 0, StopReason.END, 0.0) for hole in request.holes]
    for number, hole in enumerate(request.holes):  # too far apart for one canvas: in turn, each given the others
        before, _ = assemble(request.text[: hole.start], request.holes[:number], [one.text for one in filled[:number]])
        text = before + request.text[hole.start :]
        start = len(before)
        alone = replace(request, text=text, holes=(Hole(start, start + hole.end - hole.start),), candidates=1)
        one = _laid_out(work, alone, budget)
        assert one is not None  # a hole alone has a canvas
        [filled[number]] = _on_one_canvas(work, alone, one)[0]
    return [filled]


def _laid_out(work: CanvasWork, request: InfillRequest, budget: int) -> _Layout | None:
    """None if the holes are too far apart for one canvas."""
    setup, text, holes = work.setup, request.text, request.holes
    encode = setup.model.tokenizer.encode
    between = [encode(text[one.end : other.start]) for one, other in pairwise(holes)]
    frame = setup.frames.infill(request, text[: holes[0].start], text[holes[-1].end :], budget, setup.longest // 4)
    room = setup.longest - len(frame.tail) - sum(map(len, between))
    if len(holes) > 1 and room < len(holes) * min(USUAL, setup.longest // 4):
        return None
    pending = frame.pending.decode("utf-8", "replace")
    drafts = [encode(text[hole.start : hole.end]) for hole in holes]
    if drafts[0] and frame.pending:
        drafts[0] = encode(pending + text[holes[0].start : holes[0].end])
    return _Layout(frame, between, drafts, _first(setup.model.tokenizer, frame.pending), room)


def _on_one_canvas(work: CanvasWork, request: InfillRequest, layout: _Layout) -> list[list[Filled]]:
    if not work.encode(layout.frame.prompt):
        return [[Filled("", 0, StopReason.DEADLINE, 0.0) for _ in layout.drafts]]
    chosen = _lengths(work, request, layout)
    canvases = [
        _denoising(work, layout.parts(lengths), request.seed * 1000 + number) for number, lengths in enumerate(chosen)
    ]
    work.denoise(canvases, lambda: _tell(work, request, layout, canvases[0]))
    filled = [_filled(work, request, layout, one) for one in canvases]
    return sorted(filled, key=lambda holes: -sum(one.score for one in holes))


def _lengths(work: CanvasWork, request: InfillRequest, layout: _Layout) -> list[tuple[int, ...]]:
    """Lengths for all holes, `request.candidates` times: for each hole those whose first step is surest of it."""
    holes = len(layout.drafts)
    most = min(request.max_tokens, layout.room // holes, ONE_LINE if request.one_line else layout.room)
    least = min(2, most) if layout.first else 1  # a token that must write again what is pending shows nothing
    offered = [sorted({*(n for n in LENGTHS if n < most), _held(draft, most, least)}) for draft in layout.drafts]
    usual = tuple(_held(draft or range(USUAL), most, least) for draft in layout.drafts)
    trials = [(hole, (*usual[:hole], n, *usual[hole + 1 :])) for hole, ns in enumerate(offered) for n in ns]
    if len(trials) == holes:  # one length each
        return [usual] * request.candidates
    canvases = [_denoising(work, layout.parts(lengths), request.seed) for _, lengths in trials]
    work.step(canvases)
    sure: list[list[tuple[float, int]]] = [[] for _ in range(holes)]
    for (hole, lengths), one in zip(trials, canvases, strict=True):
        sure[hole].append((_score(layout, one, hole), lengths[hole]))
    ranked = [[length for _, length in sorted(each, key=lambda pair: -pair[0])] for each in sure]
    return [tuple(each[number % len(each)] for each in ranked) for number in range(request.candidates)]


def _held(draft: Sequence[int], most: int, least: int) -> int:
    """The length of a hole that holds a draft; the most for one that holds none."""
    return max(least, min(len(draft) or most, most))


def _denoising(work: CanvasWork, parts: Sequence[Pin | Gap], seed: int) -> Denoising:
    generator = Generator(work.setup.model.device).manual_seed(seed)
    canvas = Canvas.of(parts, work.setup.model.noise, generator)
    sampler = Ruled(work.setup.strategies.sampler, work.setup.textless)  # no end inside a hole: what follows is pinned
    return Denoising(canvas, replace(work.setup.strategies, sampler=sampler), generator)


def _first(tokenizer: Tokenizer, pending: bytes) -> list[int]:
    """The tokens that begin with what is pending."""
    offered = tokenizer.continuing(pending) if pending else []
    return [token for token in offered if tokenizer.token_bytes[token].startswith(pending)]


def _tell(work: CanvasWork, request: InfillRequest, layout: _Layout, one: Denoising) -> None:
    """How the holes of a canvas stand: every token may yet become another one."""
    if work.progress is not None:
        texts = [_text(work, request, layout, one, hole)[0] for hole in range(len(layout.drafts))]
        holes = tuple((Piece(PieceState.PROPOSED, text, len(one.filling(hole))),) for hole, text in enumerate(texts))
        work.progress(Progress("denoise", sum(hole[0].positions for hole in holes), 0, texts[0], holes))


def _filled(work: CanvasWork, request: InfillRequest, layout: _Layout, one: Denoising) -> list[Filled]:
    """Exactly the holes' texts."""
    assert one.stop_reason is not None  # the loop ends with a reason for each
    filled = []
    for hole in range(len(layout.drafts)):
        text, cut = _text(work, request, layout, one, hole)
        reason = StopReason.NEWLINE if cut else one.stop_reason
        filled.append(Filled(text, len(one.filling(hole)), reason, _score(layout, one, hole)))
    return filled


def _text(work: CanvasWork, request: InfillRequest, layout: _Layout, one: Denoising, hole: int) -> tuple[str, bool]:
    """A hole's text so far, and whether it was cut at a line end."""
    data = work.setup.model.tokenizer.decode_bytes(one.filling(hole))
    data = data if hole else data[len(layout.frame.pending) :]
    line = next(iter(data.splitlines()), b"")  # of bytes: \n, \r\n and \r, nothing else
    cut = request.one_line and line != data
    data = line if cut else data
    return data[: whole_characters(data)].decode("utf-8", "replace"), cut


def _score(layout: _Layout, one: Denoising, hole: int) -> float:
    """Mean log probability of a hole's tokens, as the last step saw them; 0 before the first.

    Without the one that writes again what is pending: nothing else was allowed there.
    """
    if one.last is None:
        return 0.0
    logs = one.last.statistics.best_confidence[one.canvas.hole == hole].log()
    judged = logs[1:] if layout.first and hole == 0 and len(logs) > 1 else logs
    return float(judged.mean())
