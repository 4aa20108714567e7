"""Filling holes on canvases: what follows is pinned at the tail, and a hole's length is chosen by its first step.

encoded prompt, prefix | hole 0 | pinned | hole 1 | pinned ... tail
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from torch import Generator, Tensor

from .canvas import Canvas, Gap, Pin
from .denoise import Denoising
from .frame import Frame
from .infill import Filled
from .joint import assemble
from .request import Hole, InfillRequest, Piece, PieceState, Progress, StopReason
from .sampler import Ruled
from .tokenizer import Tokenizer, whole_characters
from .work import CanvasWork

LENGTHS = (*range(1, 25), 28, 32, 38, 45, 54, 64, 76, 91, 108, 128, 152, 181)  # tokens that a hole is tried with
FINER = 12  # of the lengths between two of these
ROWS = 4096  # of first steps at once: as many rows of logits are held
ONE_LINE = 32  # tokens of a rest of a line, at most
USUAL = 16  # of a hole, while the length of another is tried


@dataclass(frozen=True, slots=True)
class _Layout:
    """Holes that share a canvas, and the texts between them as tokens. What they hold is to be replaced."""

    frame: Frame
    between: Sequence[Sequence[int]]
    holes: int
    first: Sequence[int]  # the only tokens that write again what is pending, if something is
    room: int  # positions for all holes

    def gap(self, hole: int, length: int) -> Gap:
        """A hole of that length."""
        return Gap(length, first=() if hole else self.first)

    def parts(self, lengths: Sequence[int]) -> list[Pin | Gap]:
        """The canvas with holes of these lengths."""
        pins = [*self.between, self.frame.tail]
        holes = [self.gap(hole, length) for hole, length in enumerate(lengths)]
        return [part for gap, pin in zip(holes, pins, strict=True) for part in (gap, Pin(pin))]


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
    return _Layout(frame, between, len(holes), _first(setup.model.tokenizer, frame.pending), room)


def _on_one_canvas(work: CanvasWork, request: InfillRequest, layout: _Layout) -> list[list[Filled]]:
    if not work.encode(layout.frame.prompt):
        return [[Filled("", 0, StopReason.DEADLINE, 0.0) for _ in range(layout.holes)]]
    chosen = _lengths(work, request, layout)
    canvases = [
        _denoising(work, layout.parts(lengths), request.seed * 1000 + number) for number, lengths in enumerate(chosen)
    ]
    work.denoise(canvases, lambda: _tell(work, request, layout, canvases[0]))
    filled = [_filled(work, request, layout, one) for one in canvases]
    return sorted(filled, key=lambda holes: -sum(one.score for one in holes))


def _lengths(work: CanvasWork, request: InfillRequest, layout: _Layout) -> list[tuple[int, ...]]:
    """Lengths for all holes, `request.candidates` times: for each hole those whose first step is surest of it.

    First coarsely, then between the neighbours of the best.
    """
    most = min(request.max_tokens, layout.room // layout.holes, ONE_LINE if request.one_line else layout.room)
    # a token that must write again what is pending shows nothing
    least = [min(1 if hole or not layout.first else 2, most) for hole in range(layout.holes)]
    sure: list[dict[int, float]] = [{} for _ in least]
    usual = [max(low, min(USUAL, most)) for low in least]
    offered = [[n for n in sorted({*LENGTHS, most}) if low <= n <= most] for low in least]
    for _ in range(2):
        _first_steps(work, layout, request.seed, usual, offered, sure)
        best = [max(each, key=each.__getitem__) for each in sure]
        offered = [_between(one, sorted(each)) for one, each in zip(best, sure, strict=True)]
        usual = best
    ranked = [sorted(each, key=lambda n, each=each: -each[n]) for each in sure]  # type: ignore[misc]
    return [tuple(each[number % len(each)] for each in ranked) for number in range(request.candidates)]


def _between(best: int, tried: Sequence[int]) -> list[int]:
    """Lengths between the neighbours of the best one, evenly."""
    at = tried.index(best)
    low, high = tried[max(at - 1, 0)], tried[min(at + 1, len(tried) - 1)]
    return sorted(set(range(low, high, -(-(high - low) // FINER) or 1)) - set(tried))


def _first_steps(
    work: CanvasWork,
    layout: _Layout,
    seed: int,
    usual: Sequence[int],
    offered: Sequence[Sequence[int]],
    sure: Sequence[dict[int, float]],
) -> None:
    """How much surer a first step is of a hole than of as many open positions without what is pinned, by length.

    Taken off because a model is surer of some lengths whatever stands around them; of log odds, because probabilities
    near one differ by nothing.
    """
    trials = [(hole, n) for hole, lengths in enumerate(offered) for n in lengths]
    for chunk in _batches(trials, max(1, ROWS // (2 * work.setup.longest))):
        lengths = [[*usual[:hole], n, *usual[hole + 1 :]] for hole, n in chunk]
        whole = [_denoising(work, layout.parts(each), seed) for each in lengths]
        bare = [_denoising(work, [layout.gap(hole, n)], seed) for hole, n in chunk]
        work.step([*whole, *bare])
        for (hole, n), one, alone in zip(chunk, whole, bare, strict=True):
            sure[hole][n] = _odds(layout, one, hole) - _odds(layout, alone, 0, healed=hole == 0)


def _batches(trials: Sequence[tuple[int, int]], size: int) -> list[Sequence[tuple[int, int]]]:
    return [trials[start : start + size] for start in range(0, len(trials), size)]


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
        texts = [_text(work, request, layout, one, hole)[0] for hole in range(layout.holes)]
        holes = tuple((Piece(PieceState.PROPOSED, text, len(one.filling(hole))),) for hole, text in enumerate(texts))
        work.progress(Progress("denoise", sum(hole[0].positions for hole in holes), 0, texts[0], holes))


def _filled(work: CanvasWork, request: InfillRequest, layout: _Layout, one: Denoising) -> list[Filled]:
    """Exactly the holes' texts."""
    assert one.stop_reason is not None  # the loop ends with a reason for each
    filled = []
    for hole in range(layout.holes):
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
    """Mean log probability of a hole's tokens, as the last step saw them; 0 before the first."""
    if one.last is None:
        return 0.0
    return float(_judged(layout, one, hole, one.last.statistics.best_confidence.log()).mean())


def _odds(layout: _Layout, one: Denoising, hole: int, *, healed: bool = True) -> float:
    """Mean log odds of a hole's likeliest tokens against the next, as the last step saw them."""
    assert one.last is not None  # there has been a step
    return float(_judged(layout, one, hole, one.last.statistics.gap, healed=healed).mean())


def _judged(layout: _Layout, one: Denoising, hole: int, values: Tensor, *, healed: bool = True) -> Tensor:
    """Those of a hole, but for the one that writes again what is pending: little else was allowed there."""
    here = values[one.canvas.hole == hole]
    return here[1:] if layout.first and hole == 0 and healed and len(here) > 1 else here
