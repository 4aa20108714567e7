"""Verification: proposals are accepted as far as the causal reading of the same weights chooses the same tokens.

Lossless (arXiv 2211.17192, for equal weights): the text is the one that reading would have written alone.
"""

from __future__ import annotations

from collections.abc import Sequence


def accepted(proposed: Sequence[int], chosen: Sequence[int]) -> int:
    """How many leading proposals the reading chose as well; `chosen` has one token more than `proposed`."""
    for count, (mine, theirs) in enumerate(zip(proposed, chosen, strict=False)):
        if mine != theirs:
            return count
    return len(proposed)
