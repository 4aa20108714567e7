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
from .lengths import FirstStep
from .pieces import pieces
from .request import InfillRequest, PieceState, Progress, StopReason
from .sampler import Ruled
from .seams import Seam, heal
from .tokenizer import Tokenizer, whole_characters
from .work import CanvasWork

LENGTHS = (*range(1, 25), 28, 32, 38, 45, 54, 64, 76, 91, 108, 128, 152, 181)  # tokens that a hole is tried with
ROWS = 2048  # of first steps at once: as many rows of logits are held
ONE_LINE = 32  # tokens of a rest of a line, at most
USUAL = 16  # of a hole, while the length of another is tried


@dataclass(frozen=True, slots=True)
class _Layout:
    """Holes that share a canvas, and the texts between them as tokens. What they hold is to be replaced."""

    tokenizer: Tokenizer
    frame: Frame
    pins: Sequence[Sequence[int]]  # after each hole
    seams: Sequence[Seam]  # of each hole
    room: int  # positions for all holes

    def gap(self, hole: int, length: int) -> Gap:
        """A hole of that length."""
        return self.seams[hole].gap(self.tokenizer, length)

    def parts(self, lengths: Sequence[int]) -> list[Pin | Gap]:
        """The canvas with holes of these lengths."""
        holes = [self.gap(hole, length) for hole, length in enumerate(lengths)]
        return [part for gap, pin in zip(holes, self.pins, strict=True) for part in (gap, Pin(pin))]


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
        moved = replace(hole, start=start, end=start + hole.end - hole.start)
        alone = replace(request, text=text, holes=(moved,), candidates=1)
        one = _laid_out(work, alone, budget)
        assert one is not None  # a hole alone has a canvas
        [filled[number]] = _on_one_canvas(work, alone, one)[0]
    return [filled]


def _laid_out(work: CanvasWork, request: InfillRequest, budget: int) -> _Layout | None:
    """None if the holes are too far apart for one canvas."""
    setup, text, holes = work.setup, request.text, request.holes
    tokenizer = setup.model.tokenizer
    frame = setup.frames.infill(request, text[: holes[0].start], text[holes[-1].end :], budget, setup.longest // 4)
    pins = [*(tokenizer.encode(text[one.end : other.start]) for one, other in pairwise(holes)), list(frame.tail)]
    room = setup.longest - sum(map(len, pins))
    if len(holes) > 1 and room < len(holes) * min(USUAL, setup.longest // 4):
        return None
    seams = heal(tokenizer, [[], *pins])  # the frame has taken off what the first hole begins with
    return _Layout(tokenizer, frame, pins, [replace(seams[0], left=frame.pending), *seams[1:]], room)


def _on_one_canvas(work: CanvasWork, request: InfillRequest, layout: _Layout) -> list[list[Filled]]:
    if not work.encode(layout.frame.prompt):
        return [[Filled("", 0, StopReason.DEADLINE, 0.0) for _ in range(len(layout.seams))]]
    chosen = _lengths(work, request, layout)
    canvases = [
        _denoising(work, layout.parts(lengths), request.seed * 1000 + number) for number, lengths in enumerate(chosen)
    ]
    work.denoise(canvases, lambda: _tell(work, request, layout, canvases[0]))
    filled = [_filled(request, layout, one) for one in canvases]
    return sorted(filled, key=lambda holes: -sum(one.score for one in holes))


def _lengths(work: CanvasWork, request: InfillRequest, layout: _Layout) -> list[tuple[int, ...]]:
    """Lengths for all holes, `request.candidates` times: for each hole those whose first step is surest of it."""
    room = min(request.max_tokens, layout.room // len(layout.seams))
    bounds = []
    for hole, seam in zip(request.holes, layout.seams, strict=True):
        most = min(room, ONE_LINE) if hole.one_line else room
        bounds.append((min(1 + seam.healed, most), most))  # a token that heals shows nothing
    usual = tuple(max(least, min(USUAL, most)) for least, most in bounds)
    offered = tuple(tuple(n for n in sorted({*LENGTHS, most}) if least <= n <= most) for least, most in bounds)
    search = FirstStep(offered, usual, at_once=max(1, ROWS // (2 * work.setup.longest)))
    ranked = search.ranked(_Trials(work, layout, request.seed), work)
    return [tuple(each[number % len(each)] for each in ranked) for number in range(request.candidates)]


@dataclass(frozen=True, slots=True)
class _Trials:
    """`lengths.Layouts` of one request."""

    work: CanvasWork
    layout: _Layout
    seed: int

    def whole(self, lengths: Sequence[int]) -> Denoising:
        """See `lengths.Layouts`."""
        return _denoising(self.work, self.layout.parts(lengths), self.seed)

    def bare(self, hole: int, length: int) -> Denoising:
        """See `lengths.Layouts`."""
        return _denoising(self.work, [self.layout.gap(hole, length)], self.seed)


def _denoising(work: CanvasWork, parts: Sequence[Pin | Gap], seed: int) -> Denoising:
    generator = Generator(work.setup.model.device).manual_seed(seed)
    canvas = Canvas.of(parts, work.setup.model.noise, generator)
    sampler = Ruled(work.setup.strategies.sampler, work.setup.textless)  # no end inside a hole: what follows is pinned
    return Denoising(canvas, replace(work.setup.strategies, sampler=sampler), generator)


def _tell(work: CanvasWork, request: InfillRequest, layout: _Layout, one: Denoising) -> None:
    """How the holes of a canvas stand: every token that is not committed may yet become another one."""
    if work.progress is None:
        return
    holes = []
    for hole, seam in enumerate(layout.seams):
        tokens = one.filling(hole)
        ended = one.stop_reason is not None
        committed = [ended or sure for sure in one.accepted[one.canvas.hole == hole].tolist()]
        cut = len(seam.left), len(seam.right)
        holes.append(pieces(layout.tokenizer, tokens, committed, *cut, one_line=request.holes[hole].one_line))
    done = sum(piece.positions for hole in holes for piece in hole if piece.state is PieceState.COMMITTED)
    work.progress(Progress("denoise", done, 0, "".join(piece.text for piece in holes[0]), tuple(holes)))


def _filled(request: InfillRequest, layout: _Layout, one: Denoising) -> list[Filled]:
    """Exactly the holes' texts."""
    assert one.stop_reason is not None  # the loop ends with a reason for each
    filled = []
    for hole in range(len(layout.seams)):
        text, cut = _text(request, layout, one, hole)
        reason = StopReason.NEWLINE if cut else one.stop_reason
        filled.append(Filled(text, len(one.filling(hole)), reason, _score(one, hole)))
    return filled


def _text(request: InfillRequest, layout: _Layout, one: Denoising, hole: int) -> tuple[str, bool]:
    """A hole's text so far, and whether it was cut at a line end."""
    data = layout.seams[hole].data(layout.tokenizer, one.filling(hole), ())
    line = next(iter(data.splitlines()), b"")  # of bytes: \n, \r\n and \r, nothing else
    cut = request.holes[hole].one_line and line != data
    data = line if cut else data
    return data[: whole_characters(data)].decode("utf-8", "replace"), cut


def _score(one: Denoising, hole: int) -> float:
    """Mean log probability of a hole's tokens, as the last step saw them; 0 before the first.

    Without the one that writes again what is pending: little else was allowed there.
    """
    if one.last is None:
        return 0.0
    return float(one.last.statistics.best_confidence[one.canvas.free(hole)].log().mean())
