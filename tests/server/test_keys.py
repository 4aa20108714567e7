"""A key that its object has already is an error that an edit adds; JSON's grammar has no word for it."""

from __future__ import annotations

import pytest

from server.languages import language_of
from server.syntax import Edit, added_errors


def added(language: str, marked: str, text: str) -> int:
    """Errors that `text` adds at `‸`."""
    at = marked.index("‸")
    return added_errors(language_of(language), marked.replace("‸", ""), [Edit(at, at, text)], holes=True)


@pytest.mark.parametrize(
    ("language", "marked", "text", "count"),
    [
        ("json", '{"a": 1, ‸"b": 2}', '"b": 3, ', 1),
        ("json", '{"a": 1, ‸"b": 2}', '"c": 3, ', 0),
        ("json", '{"a": 1, "b": {‸}}', '"a": 3', 0),  # another object's
        ("json", '{"a": 1, "b": ‸}', '{"c": 1, "c": 2}', 1),
        ("json", '{"a": 1, "a": 2, "b": ‸}', "3", 0),  # the user's own
        ("json", '{"a": 1, "a": 2, ‸"b": 3}', '"b": 4, ', 1),
        ("json", '{"é": "🙂", ‸"b": 2}', '"é": 3, ', 1),
        ("jsonc", '{"a": 1, // one\n  ‸}', '"a": 3', 1),
        ("json", '[{"a": 1}, {‸}]', '"a": 3', 0),
        ("json", '{"a": {"b": 1}, "c": {"d": 1, ‸', '"b": 2}}', 0),
        ("yaml", "on:\n  push:\n  ‸\n", "push:", 1),
        ("yaml", "on:\n  push:\n‸\n", "jobs:", 0),
        ("yaml", "a: &a {x: 1}\nb:\n  <<: *a\n  ‸\n", "<<: *a", 0),
        ("toml", "[a]\nb = 1\n‸\n", "b = 2", 1),
        ("toml", "[a]\nb = 1\n[c]\n‸\n", "b = 2", 0),
        ("javascript", "f({a: 1, ‸})", "a: 2", 0),  # allowed, and sometimes meant
    ],
)
def test_keys_that_are_there_already(language: str, marked: str, text: str, count: int) -> None:
    assert added(language, marked, text) == count


def test_an_old_double_may_be_mended_and_moved() -> None:
    text = '{"a": 1, "a": 2}'
    language = language_of("json")
    assert added_errors(language, text, [Edit(9, 12, '"b"')]) == 0
    assert added_errors(language, text, [Edit(0, len(text), '{"a": 2, "a": 3}')]) == 0
    assert added_errors(language, '{"b": 1, "a": 2}', [Edit(0, 16, '{"a": 2, "a": 3}')]) == 1
