"""The draft: what grows after a prompt and is verified as it grows, and its rows in a forward.

    pinned prompt | committed ... anchor | proposed ... | open ...

The anchor is the last pinned or committed token: its row reads the next token exactly. Proposals are read causally
after it, which is what verifies them. Blocks of open positions hold masks; each continues a number of the proposals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from .models.base import MASK, Rows


@dataclass(frozen=True, slots=True)
class Draft:
    """One hole being filled. `blocks`: after how many proposals an open block of `width` positions stands."""

    anchor: int
    position: int  # of the anchor
    committed: tuple[int, ...] = ()
    proposed: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()
    width: int = 0

    @classmethod
    def after(cls, prompt: Sequence[int]) -> Draft:
        """An empty draft after a prompt of at least one token; the last one is its anchor."""
        return cls(anchor=prompt[-1], position=len(prompt) - 1)

    @property
    def open(self) -> int:
        """Number of open positions."""
        return len(self.blocks) * self.width

    def commit(self, tokens: Sequence[int]) -> Draft:
        """Append tokens; proposals and open positions are gone, since what they continued has changed."""
        if not tokens:
            return replace(self, proposed=(), blocks=())
        return Draft(tokens[-1], self.position + len(tokens), (*self.committed, *tokens))

    def propose(self, tokens: Sequence[int]) -> Draft:
        """Put proposals after the anchor."""
        return replace(self, proposed=tuple(tokens))

    def open_after(self, blocks: Sequence[int], width: int) -> Draft:
        """Put a block of `width` open positions after each of these numbers of proposals."""
        return replace(self, blocks=tuple(blocks) if width else (), width=width)


@dataclass(frozen=True, slots=True)
class Layout:
    """Several drafts as the rows of one forward: all exact rows, draft by draft, then all open blocks."""

    rows: Rows
    exact: tuple[range, ...]  # each draft's exact rows: anchor, then proposals
    open: tuple[tuple[range, ...], ...]  # each draft's blocks, counted from the first open row


def lay_out(drafts: Sequence[Draft], owners: Sequence[int]) -> Layout:
    """`owners`: for each slot committed since the prompt, the number of the draft that committed it."""
    ids: list[int] = []
    positions: list[int] = []
    exact: list[range] = []
    for draft in drafts:
        exact.append(range(len(ids), len(ids) + 1 + len(draft.proposed)))
        ids += (draft.anchor, *draft.proposed)
        positions += range(draft.position, draft.position + len(exact[-1]))
    leading = len(ids)
    blocks: list[tuple[range, ...]] = []
    for draft in drafts:
        blocks.append(tuple(_block(draft, count, ids, positions) for count in draft.blocks))
    visible = torch.zeros(len(ids), len(owners) + len(ids), dtype=torch.bool)
    slots = torch.tensor(owners, dtype=torch.long)
    rows = visible[:, len(owners) :]
    for number, (draft, read, opened) in enumerate(zip(drafts, exact, blocks, strict=True)):
        visible[read.start : read.stop, : len(owners)] = slots == number
        rows[read.start : read.stop, read.start : read.stop] = torch.ones(
            len(read), len(read), dtype=torch.bool
        ).tril_()
        for count, block in zip(draft.blocks, opened, strict=True):
            visible[block.start : block.stop, : len(owners)] = slots == number
            rows[block.start : block.stop, read.start : read.start + 1 + count] = True
            rows[block.start : block.stop, block.start : block.stop] = True
    opened_rows = tuple(tuple(range(b.start - leading, b.stop - leading) for b in each) for each in blocks)
    return Layout(Rows(ids, positions, leading, len(ids) - leading, visible), tuple(exact), opened_rows)


def _block(draft: Draft, count: int, ids: list[int], positions: list[int]) -> range:
    first = draft.position + 1 + count
    block = range(len(ids), len(ids) + draft.width)
    ids += [MASK] * draft.width
    positions += range(first, first + draft.width)
    return block
