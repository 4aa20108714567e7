from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.completion_cache import CompletionCache
from server.snapshot import Snapshot
from server.suggestion import Suggestion


def document(text: str, uri: str = "file:///a.py", language: str = "python") -> Snapshot:
    return Snapshot(uri, language, 1, text)


def kept(text: str, offset: int, *suggestions: Suggestion, invoked: bool = False) -> CompletionCache:
    cache = CompletionCache()
    cache.store(document(text), offset, suggestions, invoked=invoked)
    return cache


def test_what_was_typed_is_taken_off() -> None:
    cache = kept("x = \ny", 4, Suggestion(4, 4, "foo(1)"))
    assert cache.find(document("x = \ny"), 4, invoked=False) == (Suggestion(4, 4, "foo(1)"),)
    assert cache.find(document("x = foo\ny"), 7, invoked=False) == (Suggestion(7, 7, "(1)"),)


def test_a_replaced_range_moves_along() -> None:
    cache = kept("f()\n", 2, Suggestion(2, 3, "a) + 1"))
    assert cache.find(document("f(a)\n"), 3, invoked=False) == (Suggestion(3, 4, ") + 1"),)


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
        assert cache.find(document(text), offset, invoked=False) is None
    assert cache.find(document("x = foo\ny", uri="file:///b.py"), 7, invoked=False) is None
    assert cache.find(document("x = foo\ny", language="lua"), 7, invoked=False) is None


def test_only_candidates_that_begin_as_typed_stay() -> None:
    cache = kept("x = ", 4, Suggestion(4, 4, "foo"), Suggestion(4, 4, "bar"), Suggestion(4, 4, "far"), invoked=True)
    assert cache.find(document("x = f"), 5, invoked=True) == (Suggestion(5, 5, "oo"), Suggestion(5, 5, "ar"))


def test_an_invoked_request_wants_more_than_an_automatic_answer() -> None:
    cache = kept("x = ", 4, Suggestion(4, 4, "foo"))
    assert cache.find(document("x = "), 4, invoked=True) is None


def test_an_automatic_request_is_content_with_the_first_of_an_invoked_answer() -> None:
    cache = kept("x = ", 4, Suggestion(4, 4, "foo"), Suggestion(4, 4, "bar"), invoked=True)
    assert cache.find(document("x = "), 4, invoked=False) == (Suggestion(4, 4, "foo"),)


def test_empty_answers_are_not_kept() -> None:
    assert kept("x = ", 4).find(document("x = "), 4, invoked=False) is None


def test_the_least_recently_used_is_forgotten() -> None:
    cache = CompletionCache(capacity=2)
    for text in ("a", "b"):
        cache.store(document(text), 1, (Suggestion(1, 1, "x"),), invoked=False)
    assert cache.find(document("a"), 1, invoked=False)
    cache.store(document("c"), 1, (Suggestion(1, 1, "x"),), invoked=False)
    assert cache.find(document("a"), 1, invoked=False)
    assert cache.find(document("b"), 1, invoked=False) is None


def test_clearing() -> None:
    cache = kept("x = ", 4, Suggestion(4, 4, "foo"))
    cache.clear()
    assert cache.find(document("x = "), 4, invoked=False) is None


TEXT = st.text(st.sampled_from("ab()\n"), max_size=6)


@given(
    before=TEXT, behind=TEXT, text=st.text(st.sampled_from("ab()\n"), min_size=1, max_size=6), typed=st.integers(0, 5)
)
def test_accepting_late_gives_what_accepting_early_gave(before: str, behind: str, text: str, typed: int) -> None:
    at = len(before)
    cache = kept(before + behind, at, Suggestion(at, at, text))
    later = before + text[:typed] + behind
    found = cache.find(document(later), at + len(text[:typed]), invoked=False)
    assert (found is None) == (typed >= len(text))
    if found:
        assert later[: found[0].start] + found[0].text + later[found[0].end :] == before + text + behind
