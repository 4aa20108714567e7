"""A draft as it denoises, drawn on the terminal step by step. Knows pieces and shades, not who makes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from engine import Piece, PieceState, Progress

from ..snapshot import Snapshot
from .render import SHADES, draft_in_place

_MARGIN = 3  # lines of a terminal that are not the document's: the legend, and what the cursor needs


class DraftView:
    """A `ProgressSink`; each report is drawn before the engine goes on. Gone from the screen when it is left."""

    def __init__(self, snapshot: Snapshot, holes: Sequence[tuple[int, int]], console: Console) -> None:
        self._snapshot = snapshot
        self._holes = holes
        self._console = console
        self._forwards = 0
        first = self._picture([()] * len(holes))
        self._live = Live(first, console=console, auto_refresh=False, transient=True, vertical_overflow="crop")

    def __enter__(self) -> Self:
        self._live.start(refresh=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, progress: Progress) -> None:
        self._forwards += 1
        self._live.update(self._picture(progress.holes), refresh=True)

    def _picture(self, drafts: Sequence[Sequence[Piece]]) -> Text:
        shown = draft_in_place(self._snapshot, self._holes, drafts)
        fitting = self._fitting(list(shown.split("\n")))
        return Text("\n", no_wrap=True, overflow="ellipsis").join([*fitting, self._legend(drafts)])

    def _fitting(self, lines: Sequence[Text]) -> Sequence[Text]:
        """As many lines as the terminal holds, with the last one that is still being written among them."""
        room = max(self._console.height - _MARGIN, 1)
        moving = {SHADES[PieceState.PROPOSED], SHADES[PieceState.OPEN]}
        written = [number for number, line in enumerate(lines) if any(span.style in moving for span in line.spans)]
        end = max(room, (written[-1] if written else len(lines)) + room // 4)
        return lines[max(0, min(end, len(lines)) - room) : end]

    def _legend(self, drafts: Sequence[Sequence[Piece]]) -> Text:
        positions: Counter[PieceState] = Counter()
        for draft in drafts:
            for piece in draft:
                positions[piece.state] += piece.positions
        legend = Text.assemble((f"  forward {self._forwards}", "dim"))
        for state in PieceState:
            legend.append(" · ", "dim").append(f"{positions[state]} {state.value}", SHADES[state])
        return legend
