from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.completion_cache import CompletionCache, Kept
from server.snapshot import Snapshot
from server.suggestion import Suggestion


def document(text: str, uri: str = "file:///a.py", language: str = "python") -> Snapshot:
    return Snapshot(uri, language, 1, text)


def kept(text: str, offset: int, *suggestions: Suggestion, invoked: bool = False) -> CompletionCache:
    cache = CompletionCache()
    cache.store(document(text), offset, Kept(suggestions, invoked))
    return cache


def found(cache: CompletionCache, text: str, offset: int, *, invoked: bool = False) -> tuple[Suggestion, ...] | None:
    kept = cache.find(document(text), offset, invoked=invoked)
    return None if kept is None else kept.suggestions


def test_what_was_typed_is_taken_off() -> None:
    cache = kept("x = \ny", 4, Suggestion(4, 4, "foo(1)"))
    assert found(cache, "x = \ny", 4) == (Suggestion(4, 4, "foo(1)"),)
    assert found(cache, "x = foo\ny", 7) == (Suggestion(7, 7, "(1)"),)


def test_a_replaced_range_moves_along() -> None:
    cache = kept("f()\n", 2, Suggestion(2, 3, "a) + 1"))
    assert found(cache, "f(a)\n", 3) == (Suggestion(3, 4, ") + 1"),)


def test_what_does_not_fit_is_not_found() -> None:
    cache = kept("x = \ny", 4, Suggestion(4, 4, "foo(1)"))
    for text, offset in [
        ("x = bar\ny", 7),  # something else was typed
        ("x = foo(1)\ny", 10),  # nothing is left
        ("z = foo\ny", 7),  # another prefix
        ("x = foo\nz", 7),  # another suffix
        ("x = foo)\ny", 7),  # a bracket came along
        ("x =\ny", 3),  # something was deleted
    ]:
        assert found(cache, text, offset) is None
    assert cache.find(document("x = foo\ny", uri="file:///b.py"), 7, invoked=False) is None
    assert cache.find(document("x = foo\ny", language="lua"), 7, invoked=False) is None


def test_only_candidates_that_begin_as_typed_stay() -> None:
    cache = kept("x = ", 4, Suggestion(4, 4, "foo"), Suggestion(4, 4, "bar"), Suggestion(4, 4, "far"), invoked=True)
    assert found(cache, "x = f", 5, invoked=True) == (Suggestion(5, 5, "oo"), Suggestion(5, 5, "ar"))


def test_an_invoked_request_wants_more_than_an_automatic_answer() -> None:
    cache = kept("x = ", 4, Suggestion(4, 4, "foo"))
    assert found(cache, "x = ", 4, invoked=True) is None


def test_an_automatic_request_is_content_with_the_first_of_an_invoked_answer() -> None:
    cache = kept("x = ", 4, Suggestion(4, 4, "foo"), Suggestion(4, 4, "bar"), invoked=True)
    assert found(cache, "x = ", 4) == (Suggestion(4, 4, "foo"),)


@pytest.mark.parametrize("part", ["value", "value(", "value(one)\n", "value(one)\n    return"])
def test_what_a_partial_accept_left_is_found(part: str) -> None:
    cache = kept("x = \ny", 4, Suggestion(4, 4, "value(one)\n    return x"))
    [left] = found(cache, f"x = {part}\ny", 4 + len(part)) or ()
    assert part + left.text == "value(one)\n    return x"


def test_a_bracket_that_the_editor_closed_is_replaced() -> None:
    cache = kept("x = \ny", 4, Suggestion(4, 4, 'foo(["a"])'))
    assert found(cache, "x = foo()\ny", 8) == (Suggestion(8, 9, '["a"])'),)
    assert found(cache, 'x = foo([""])\ny', 10) == (Suggestion(10, 13, 'a"])'),)
    assert found(cache, "x = foo(]\ny", 8) is None
    only = kept("x = \ny", 4, Suggestion(4, 4, "foo(1 +"))
    assert found(only, "x = foo()\ny", 8) is None  # it would take the bracket away


def test_empty_answers_are_kept_only_where_nobody_asked_yet() -> None:
    assert found(kept("x = ", 4), "x = ", 4) is None
    cache = CompletionCache()
    cache.store(document("x = "), 4, Kept((), foreseen=True))
    assert cache.find(document("x = "), 4, invoked=False) == Kept((), foreseen=True)
    assert found(cache, "x = ", 4, invoked=True) is None
    assert found(cache, "x = 1", 5) is None


def test_the_least_recently_used_is_forgotten() -> None:
    cache = CompletionCache(budget=2 * Kept((Suggestion(1, 1, "x"),)).size)
    for text in ("a", "b"):
        cache.store(document(text), 1, Kept((Suggestion(1, 1, "x"),)))
    assert found(cache, "a", 1)
    cache.store(document("c"), 1, Kept((Suggestion(1, 1, "x"),)))
    assert found(cache, "a", 1)
    assert found(cache, "b", 1) is None


def test_the_budget_counts_bytes_and_never_drifts() -> None:
    cache = CompletionCache(budget=50_000)
    for number in range(1000):
        cache.store(document("a" * (number % 7) + "\n" * 100_000), 3, Kept((Suggestion(3, 3, "x" * (number % 999)),)))
    assert 0 < cache.size <= 50_000
    assert len(cache) == 7
    cache.store(document("b"), 1, Kept((Suggestion(1, 1, "😀" * 50_000),)))
    assert len(cache) == 7  # more than there is room for, and nothing else makes place


def test_clearing() -> None:
    cache = kept("x = ", 4, Suggestion(4, 4, "foo"))
    cache.clear()
    assert found(cache, "x = ", 4) is None


TEXT = st.text(st.sampled_from("ab()\n"), max_size=6)


@given(
    before=TEXT, behind=TEXT, text=st.text(st.sampled_from("ab()\n"), min_size=1, max_size=6), typed=st.integers(0, 5)
)
def test_accepting_late_gives_what_accepting_early_gave(before: str, behind: str, text: str, typed: int) -> None:
    at = len(before)
    cache = kept(before + behind, at, Suggestion(at, at, text))
    later = before + text[:typed] + behind
    left = found(cache, later, at + len(text[:typed]))
    assert (left is None) == (typed >= len(text))
    if left:
        assert later[: left[0].start] + left[0].text + later[left[0].end :] == before + text + behind
