"""What of a draft stands again after the reading went another way: the draft of a rewrite, realigned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from .canvas import Canvas


@dataclass(frozen=True, slots=True)
class Realign:
    """Proposes the tokens of a draft that follow the longest match with what was committed last.

    The selected text seeds the canvas of a rewrite: unchanged runs are verified many tokens at a time. After a
    divergence the match is sought again, of equal ones the nearest to where the answer has got to. `least` to `most`
    tokens are proposed: twice as many after each full acceptance.
    """

    draft: tuple[int, ...]
    least: int = 4
    most: int = 24
    longest: int = 8

    def __call__(self, canvas: Canvas, accepted: int, offered: int, block: Tensor | None) -> Canvas:
        """See `unmask.Unmask`."""
        count = min(self.most, 2 * offered) if offered and accepted == offered else self.least
        start = self._resume(canvas.committed)
        return canvas.propose(self.draft[start : start + max(count, self.least)] if start is not None else ())

    def _resume(self, committed: Sequence[int]) -> int | None:
        if not committed:
            return 0
        for size in range(min(self.longest, len(committed)), 1, -1):
            wanted = tuple(committed[-size:])
            found = [at + size for at in range(len(self.draft) - size + 1) if self.draft[at : at + size] == wanted]
            if found:
                return min(found, key=lambda at: abs(at - len(committed)))
        return None
