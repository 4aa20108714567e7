"""Filling holes on canvases, over a toy that knows the text: the right length is found, and nothing pinned moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
import torch
from torch import Tensor

from engine.canvas_engine import CanvasEngine
from engine.config import EngineConfig
from engine.denoise import Strategies
from engine.frame import Frame
from engine.models.base import Shown
from engine.models.toy_canvas import ToyCanvas
from engine.remask import Keep
from engine.request import Hole, InfillRequest, PieceState, Progress, RewriteRequest
from engine.sampler import Greedy
from engine.schedule import Constant
from engine.stopping import Never
from engine.tokenizer import Tokenizer
from engine.unmask import Confident, TopK, Unmask
from engine.work import CanvasSetup

SURE = Confident(0.9)
TEXT = "def area(width, height):\n    return width * height\n\nprint(area(2, 3))\n"


@dataclass
class Watched(ToyCanvas):
    """The toy, remembering what it was shown."""

    texts: Sequence[str]
    shown: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.texts)

    def denoise(self, canvases: Sequence[Shown]) -> Sequence[Tensor]:
        self.shown += [canvas.ids.tolist() for canvas in canvases]
        return super().denoise(canvases)


@dataclass
class PlainFrames:
    """Prefix, hole, suffix and nothing else; the last token of the prefix is written again."""

    tokenizer: Tokenizer

    def infill(self, request: InfillRequest, prefix: str, suffix: str, budget: int, room: int) -> Frame:
        before = self.tokenizer.encode(prefix)
        pending = self.tokenizer.token_bytes[before.pop()] if before else b""
        return Frame(before, pending, tuple(self.tokenizer.encode(suffix)[:room]))

    def rewrite(self, request: RewriteRequest, budget: int) -> Frame:
        return Frame(self.tokenizer.encode(request.text[: request.start]), fence="```")


def opened(*texts: str, longest: int = 160, unmask: Unmask = SURE, steps: int = 200) -> tuple[CanvasEngine, Watched]:
    toy = Watched(texts or (TEXT,))
    textless = torch.zeros(toy.vocabulary, dtype=torch.bool)
    textless[[toy.mask, toy.expand, toy.delete]] = True
    use = Strategies(Constant(steps), Greedy(), unmask, Keep(), Never())
    setup = CanvasSetup(toy, PlainFrames(toy.tokenizer), use, longest, textless)
    return CanvasEngine(setup, EngineConfig(model="toy"), {"model": "toy"}), toy


@pytest.mark.parametrize("missing", ["width * height", "(width, ", "\n", "area(2, 3)", " "])
def test_the_hole_of_a_known_text_is_filled_with_what_is_missing(missing: str) -> None:
    start = TEXT.index(missing)
    text = TEXT[:start] + TEXT[start + len(missing) :]
    engine, toy = opened()
    [candidate] = engine.infill(InfillRequest(text, (Hole(start, start),), candidates=1)).candidates
    assert text[:start] + candidate.texts[0] + text[start:] == TEXT
    tail = toy.tokenizer.encode(text[start:])[1 : 160 // 4]  # the first may be healed
    around = [shown for shown in toy.shown if len(shown) > len(tail)]
    assert sum(shown[-len(tail) :] == tail for shown in around) > 2


@pytest.mark.parametrize("longest", [160, 40])
def test_several_holes_on_one_canvas_or_in_turn(longest: int) -> None:
    """Too far apart for a canvas of 40, they are filled one after the other."""
    parts = ("def area(", "width", ", height):\n    return width * height\n\nprint(", "area", "(2, 3))\n")
    text = parts[0] + parts[2] + parts[4]
    first, second = len(parts[0]), len(parts[0] + parts[2])
    engine, _ = opened(longest=longest)
    request = InfillRequest(text, (Hole(first, first), Hole(second, second)), max_tokens=8)
    [candidate] = engine.infill(request).candidates
    filled = text[:first] + candidate.texts[0] + text[first:second] + candidate.texts[1] + text[second:]
    assert filled == TEXT


def test_a_hole_with_a_draft_is_replaced() -> None:
    engine, _ = opened()
    start = TEXT.index("width * height")
    text = TEXT[:start] + "nonsense" + TEXT[start + len("width * height") :]
    [candidate] = engine.infill(InfillRequest(text, (Hole(start, start + 8),))).candidates
    assert candidate.texts == ("width * height",)  # and no trace of it was shown


def test_no_token_without_text_fills_a_hole() -> None:
    """Nothing is known of this text, so noise is all there is: control tokens among it, were they not ruled out."""
    engine, toy = opened("other")
    for seed in range(3):
        engine.infill(InfillRequest("ab", (Hole(1, 1),), max_tokens=12, seed=seed))
    assert toy.shown
    assert not any({toy.expand, toy.delete} & set(shown) for shown in toy.shown)


def test_every_step_is_told_as_what_is_committed_and_what_is_proposed() -> None:
    heard: list[Progress] = []
    engine, _ = opened(unmask=TopK(2))
    first, second = TEXT.index("width * height"), TEXT.index("area(2, 3)")
    text = TEXT[:first] + TEXT[first + 14 : second] + TEXT[second + 10 :]
    holes = (Hole(first, first), Hole(second - 14, second - 14))
    engine.infill(InfillRequest(text, holes), progress=heard.append)
    assert heard
    for progress in heard:
        assert len(progress.holes) == 2
        assert progress.text == "".join(piece.text for piece in progress.holes[0])
    done = [progress.done for progress in heard]
    assert done == sorted(done)  # this model keeps what it has committed
    assert len({*done}) > 3
    assert {piece.state for hole in heard[-1].holes for piece in hole} == {PieceState.COMMITTED}
    last = ["".join(piece.text for piece in hole) for hole in heard[-1].holes]
    assert last == ["width * height", "area(2, 3)"]


def test_when_the_steps_are_over_nothing_is_a_proposal_any_more() -> None:
    heard: list[Progress] = []
    engine, _ = opened(unmask=TopK(1), steps=2)
    start = TEXT.index("width * height")
    engine.infill(InfillRequest(TEXT[:start] + TEXT[start + 14 :], (Hole(start, start),)), progress=heard.append)
    states = [{piece.state for piece in progress.holes[0]} for progress in heard]
    assert PieceState.PROPOSED in states[0]
    assert states[-1] == {PieceState.COMMITTED}
