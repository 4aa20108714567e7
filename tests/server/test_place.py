from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.place import Place, Typed, closers_of
from server.snapshot import Snapshot


def document(text: str, uri: str = "file:///a.py", language: str = "python") -> Snapshot:
    return Snapshot(uri, language, 1, text)


@pytest.mark.parametrize(
    ("now", "offset", "typed"),
    [
        ("x = \ny", 4, Typed("", "")),
        ("x = foo\ny", 7, Typed("foo", "")),
        ("x = f()\ny", 6, Typed("f(", ")")),
        ('x = f(["a"])\ny', 8, None),  # a word stands behind the cursor as well
        ('x = f([""])\ny', 8, Typed('f(["', '"])')),
    ],
)
def test_what_was_typed(now: str, offset: int, typed: Typed | None) -> None:
    assert Place.of(document("x = \ny"), 4).typed(document(now), offset) == typed


def test_anything_else_is_another_place() -> None:
    place = Place.of(document("x = \ny"), 4)
    for text, offset in [
        ("z = foo\ny", 7),  # another prefix
        ("x = foo\nz", 7),  # another suffix
        ("x = foo)\ny", 7),  # a closer of nothing
        ("x =\ny", 3),  # something was deleted
        ("x = foo\ny", 3),  # the cursor left of it
        ("x = \ny", 5),  # right of it
    ]:
        assert place.typed(document(text), offset) is None
    assert place.typed(document("x = \ny", uri="file:///b.py"), 4) is None
    assert place.typed(document("x = \ny", language="lua"), 4) is None


@pytest.mark.parametrize(
    ("typed", "closers"),
    [("", ""), ("f(", ")"), ("f(a)", ""), ("f([", "])"), ('f("', '")'), ('f("a"', ")"), ("x = {", "}")],
)
def test_closers(typed: str, closers: str) -> None:
    assert closers_of(typed) == closers


TEXT = st.text(st.sampled_from("ab()\n😀"), max_size=6)


@given(before=TEXT, after=TEXT, typed=TEXT)
def test_typing_is_always_seen(before: str, after: str, typed: str) -> None:
    place = Place.of(document(before + after), len(before))
    assert place.typed(document(before + typed + after), len(before + typed)) == Typed(typed, "")
