"""The prefix KV against lists: what is reused, kept and rolled back, across growth."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kv_cache import KVCache, PrefixCaches, common_prefix

LAYERS, HEADS, WIDTH = 2, 2, 4


def test_common_prefix() -> None:
    assert common_prefix([], [1]) == 0
    assert common_prefix([1, 2], [1, 2, 3]) == 2
    assert common_prefix([1, 2, 3], [1, 9, 3]) == 1


class Twin:
    """Writes numbers into a cache and keeps in a list what it should hold."""

    def __init__(self) -> None:
        self.cache = KVCache(LAYERS, HEADS, WIDTH)
        self.prompt: list[int] = []
        self.slots: list[int] = []
        self.rows: list[int] = []
        self._count = 0

    def forward(self, rows: int) -> None:
        self.rows = list(range(self._count, self._count + rows))
        self._count += rows
        self.cache.room(rows)
        for layer in range(LAYERS):
            keys = cells(self.rows, layer)
            seen_keys, seen_values = self.cache.write(layer, keys, -keys)
            expected = cells([*self.prompt, *self.slots, *self.rows], layer).transpose(0, 1)
            assert torch.equal(seen_keys, expected)
            assert torch.equal(seen_values, -expected)

    def encode(self, rows: int) -> None:
        self.forward(rows)
        self.cache.commit_prompt(self.rows)
        self.prompt += self.rows

    def commit(self, kept: list[int]) -> None:
        self.cache.commit(kept)
        self.slots += [self.rows[row] for row in kept]

    def reuse(self, prompt: list[int]) -> None:
        expected = common_prefix(self.prompt, prompt)
        assert self.cache.reuse(prompt) == expected
        self.prompt, self.slots = self.prompt[:expected], []
        assert self.cache.prompt == self.prompt


def cells(numbers: list[int], layer: int) -> torch.Tensor:
    """(rows, heads, width): each cell tells row, layer, head and column."""
    rows = torch.tensor(numbers, dtype=torch.float32)[:, None, None] * 100
    return rows + layer * 50 + torch.arange(HEADS)[None, :, None] * 10 + torch.arange(WIDTH)[None, None]


steps = st.one_of(
    st.tuples(st.just("encode"), st.integers(1, 300)),
    st.tuples(st.just("read"), st.lists(st.booleans(), min_size=1, max_size=30)),
    st.tuples(st.just("reuse"), st.integers(0, 400)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, max_size=12))
def test_it_holds_what_a_list_would(script: list[tuple[str, object]]) -> None:
    twin = Twin()
    for step, value in script:
        if step == "encode" and isinstance(value, int):
            twin.reuse(twin.prompt)  # an answer is over when the next prompt is encoded
            twin.encode(value)
        elif step == "read" and isinstance(value, list):
            twin.forward(len(value))
            twin.commit([row for row, kept in enumerate(value) if kept])
        elif isinstance(value, int):
            twin.reuse([*twin.prompt[:value], -1])
    twin.forward(1)


def test_rejected_rows_leave_no_trace() -> None:
    twin = Twin()
    twin.encode(3)
    twin.forward(6)
    twin.commit([0, 2, 5])
    twin.forward(2)
    twin.commit([1])
    twin.forward(1)
    assert twin.cache.length == 7


def test_growing_keeps_what_is_committed() -> None:
    twin = Twin()
    for _ in range(6):
        twin.forward(400)
        twin.commit(list(range(0, 400, 2)))
    assert twin.cache.length == 1200
    twin.forward(1)


def test_what_grew_during_a_forward_can_be_moved_after_it() -> None:
    twin = Twin()
    with torch.inference_mode():
        twin.forward(700)
    twin.commit([0, 2, 699])
    other = KVCache(LAYERS, HEADS, WIDTH)
    other.take_over(twin.cache, 0)
    twin.forward(1)


def test_an_answer_is_not_part_of_the_prompt_that_is_reused() -> None:
    twin = Twin()
    twin.encode(5)
    twin.forward(2)
    twin.commit([0, 1])
    twin.reuse([*twin.prompt, 5, 6])
    assert twin.cache.length == 5
    twin.forward(2)


class Reader:
    """Reads prompts as a model does: what is held already is not read again. `read` counts tokens."""

    def __init__(self) -> None:
        self.caches = PrefixCaches(lambda: KVCache(LAYERS, HEADS, WIDTH))
        self.read = 0

    def __call__(self, prompt: list[int]) -> int:
        """Read a prompt, check what is held, answer with three tokens; how many tokens were read."""
        held = self.caches.begin(prompt)
        cache, rest = self.caches.current, prompt[held:]
        for ids, is_prompt in ((rest, True), ([7, 8, 9], False)):
            cache.room(len(ids))
            for layer in range(LAYERS):
                keys = cells(ids, layer)
                seen, _ = cache.write(layer, keys, -keys)
                expected = cells(prompt if is_prompt else [*prompt, *ids], layer).transpose(0, 1)
                assert torch.equal(seen, expected)
            if is_prompt:
                cache.commit_prompt(ids)
            else:
                cache.commit(range(len(ids)))
        assert cache.prompt == prompt
        return len(rest)


def prompt_of(place: int, length: int = 300, head: int = 100) -> list[int]:
    return [*range(head), *range(1000 * place, 1000 * place + length - head)]


def test_who_jumps_back_reads_nothing_again() -> None:
    reader = Reader()
    assert [reader(prompt_of(place)) for place in (1, 2, 3, 1, 2, 3)] == [300, 200, 200, 0, 0, 0]


def test_the_least_recently_used_is_given_up() -> None:
    reader = Reader()
    assert [reader(prompt_of(place)) for place in (1, 2, 3, 1, 4, 1, 2)] == [300, 200, 200, 0, 200, 0, 200]


def test_typing_and_deleting_stay_in_one_cache() -> None:
    reader = Reader()
    reader(prompt_of(1))
    reader(prompt_of(2))
    for length in (301, 310, 340, 290):
        reader(prompt_of(2, length))
    assert reader(prompt_of(1)) == 0
    assert len(reader.caches._caches) == 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 700), st.integers(0, 150)), max_size=12))
def test_what_is_held_is_always_the_prompt(prompts: list[tuple[int, int, int]]) -> None:
    reader = Reader()
    for place, length, head in prompts:
        reader(prompt_of(place, max(length, head), head))
