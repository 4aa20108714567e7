from __future__ import annotations

import pytest

from server.trim.commas import with_comma

from .places import site


@pytest.mark.parametrize(
    ("marked", "text", "expected"),
    [
        ('{\n  ‸\n  "b": 2\n}', '"a": 1', '"a": 1,'),
        ('{\n  ‸\n  "b": 2\n}', '"a": 1,', '"a": 1,'),
        ('{\n  ‸\n  "b": 2\n}', '"a": {"c": [true]}', '"a": {"c": [true]},'),
        ('{\n  "a": ‸\n  "b": 2\n}', "null", "null,"),
        ('{\n  "a‸\n  "b": 2\n}', '": "x"', '": "x",'),
        ("[\n  ‸\n  2\n]", "1", "1,"),
        ('[\n  ‸\n  "b"\n]', '"a"', '"a",'),
        ("[\n  ‸\n  // two\n  2\n]", "1", "1,"),
        ("{\n  ‸\n}", '"a": 1,', '"a": 1'),
        ("[‸\n]", "1,", "1"),
        ('{\n  ‸\n  , "b": 2\n}', '"a": 1,', '"a": 1'),
    ],
)
def test_commas(marked: str, text: str, expected: str) -> None:
    assert with_comma(text, site(marked, "json")) == expected


@pytest.mark.parametrize(
    ("marked", "text", "language"),
    [
        ('{\n  ‸\n  "b": 2\n}', '"a": {', "json"),  # not whole
        ('{\n  ‸\n  "b": 2\n}', '"a":', "json"),
        ("{\n  ‸\n  : 2\n}", '"a"', "json"),  # a name
        ('{"a": ‸, "b": 2}', "1", "json"),  # the line goes on
        ("[\n  1,\n  ‸", "2", "json"),  # nothing follows
        ("x = {\n  ‸\n  'b': 2\n}", "'a': 1", "python"),
    ],
)
def test_where_none_is_due(marked: str, text: str, language: str) -> None:
    assert with_comma(text, site(marked, language)) == text
