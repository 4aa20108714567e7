"""The draft and its rows: what each row may see, told once more in the slowest way."""

from __future__ import annotations

from itertools import chain

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.draft import Draft, Layout, lay_out
from engine.models.base import MASK


def test_an_empty_canvas_is_anchored_to_the_last_token_of_the_prompt() -> None:
    assert Draft.after([7, 8, 9]) == Draft(anchor=9, position=2)


def test_committing_moves_the_anchor_and_drops_what_continued_the_old_one() -> None:
    draft = Draft.after([7]).propose([1, 2]).open_after((0, 2), 4).commit([5, 6])
    assert draft == Draft(anchor=6, position=2, committed=(5, 6))
    assert draft.open == 0


def test_committing_nothing_keeps_the_anchor() -> None:
    draft = Draft.after([7]).commit([5]).propose([1]).open_after((0,), 4).commit([])
    assert (draft.anchor, draft.position, draft.committed) == (5, 1, (5,))
    assert (draft.proposed, draft.blocks) == ((), ())


def test_open_positions_are_counted_over_all_blocks() -> None:
    assert Draft.after([7]).open_after((0, 2), 4).open == 8
    assert Draft.after([7]).open_after((0, 2), 0).blocks == ()


def test_rows_of_two_canvases() -> None:
    """Drawn out by hand: two slots of draft 0, one of draft 1; columns are slots, then rows."""
    first = Draft.after([7]).commit([5, 6]).propose([1]).open_after((1,), 2)
    second = Draft.after([7]).commit([8]).open_after((0,), 2)
    layout = lay_out([first, second], [0, 1, 0])
    assert list(layout.rows.ids) == [6, 1, 8, MASK, MASK, MASK, MASK]
    assert list(layout.rows.positions) == [2, 3, 1, 4, 5, 2, 3]
    assert (layout.rows.exact, layout.rows.canvas) == (3, 4)
    assert (layout.exact, layout.open) == ((range(2), range(2, 3)), ((range(2),), (range(2, 4),)))
    picture = """
        #.#  #......
        #.#  ##.....
        .#.  ..#....
        #.#  ##.##..
        #.#  ##.##..
        .#.  ..#..##
        .#.  ..#..##
    """
    assert drawn(layout) == [line.replace(" ", "") for line in picture.split("\n") if line.strip()]


def drawn(layout: Layout) -> list[str]:
    return ["".join(".#"[seen] for seen in row) for row in layout.rows.visible.tolist()]


drafts = st.builds(
    lambda prompt, committed, proposed, blocks, width: (
        Draft.after(prompt)
        .commit(committed)
        .propose(proposed)
        .open_after(sorted({b for b in blocks if b <= len(proposed)}), width)
    ),
    st.lists(st.integers(0, 99), min_size=1, max_size=4),
    st.lists(st.integers(0, 99), max_size=3),
    st.lists(st.integers(0, 99), max_size=4),
    st.sets(st.integers(0, 4), max_size=3),
    st.integers(0, 3),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(drafts, min_size=1, max_size=3), st.lists(st.integers(-1, 2), max_size=6))
def test_rows_see_what_a_plain_twin_says(several: list[Draft], owners: list[int]) -> None:
    layout = lay_out(several, owners)
    expected = [row for group in (exact_rows(several), open_rows(several)) for row in group]
    assert list(zip(layout.rows.ids, layout.rows.positions, strict=True)) == [(row[2], row[3]) for row in expected]
    assert layout.rows.visible.dtype is torch.bool
    assert layout.rows.visible.tolist() == [
        [owner == me[0] for owner in owners] + [sees(me, other) for other in expected] for me in expected
    ]
    assert list(chain(*layout.exact)) == list(range(layout.rows.exact))
    assert list(chain(*chain(*layout.open))) == list(range(layout.rows.canvas))


# A row as (draft, block or None, id, position, place): the place is how many proposals stand before it, or it is.
Row = tuple[int, int | None, int, int, int]


def exact_rows(several: list[Draft]) -> list[Row]:
    return [
        (number, None, token, draft.position + place, place)
        for number, draft in enumerate(several)
        for place, token in enumerate((draft.anchor, *draft.proposed))
    ]


def open_rows(several: list[Draft]) -> list[Row]:
    return [
        (number, block, MASK, draft.position + 1 + block + step, block)
        for number, draft in enumerate(several)
        for block in draft.blocks
        for step in range(draft.width)
    ]


def sees(me: Row, other: Row) -> bool:
    if me[0] != other[0]:
        return False
    if other[1] is None:  # anchor and proposals: those that stand before what I continue
        return other[4] <= me[4]
    return me[1] == other[1]  # masks: my own block, in both directions
