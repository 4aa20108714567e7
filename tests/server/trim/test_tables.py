from __future__ import annotations

import pytest

from server.suggestion import Refused
from server.trim.site import Refusal
from server.trim.tables import as_row, cells, columns_at

from .places import site

TABLE = "| a | b | c |\n|---|:-:|--:|\n"


@pytest.mark.parametrize(
    ("row", "count"),
    [
        ("| a | b |", 2),
        ("a | b", 2),
        ("| a \\| b |", 1),
        ("| `a | b` |", 2),
        ("|  |", 1),
        ("| a", 1),
        ("a \\|", 1),
        ("", 1),
    ],
)
def test_cells(row: str, count: int) -> None:
    assert cells(row) == count


@pytest.mark.parametrize(
    ("marked", "language", "columns"),
    [
        (TABLE + "‸\n", "markdown", 3),
        (TABLE + "| 1 | 2 | 3 |\n| ‸\n", "markdown", 3),
        ("a | b\n--|--\n‸\n", "markdown", 2),
        (TABLE + "\n‸\n", "markdown", 0),
        ("a | b\n‸\n", "markdown", 0),
        ("# a\n‸\n", "markdown", 0),
        ("‸\n", "markdown", 0),
        (TABLE + "‸\n", "python", 0),
    ],
)
def test_the_columns_of_the_table_around(marked: str, language: str, columns: int) -> None:
    assert columns_at(site(marked, language)) == columns


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        ("‸", "| 1 | 2 | 3 |", "| 1 | 2 | 3 |"),
        ("‸", "| 1 | 2 |", "| 1 | 2 |  |"),
        ("| 1 ‸", "| 2 |", "| 2 |  |"),
        ("‸", "| 1 | 2", "| 1 | 2"),  # still open
        ("‸", "| 1 | 2 | 3 |\n| 4 |\n\nText | more", "| 1 | 2 | 3 |\n| 4 |  |  |\n\nText | more"),
        ("‸", "Text", "Text"),
        ("| 1 | ‸ | 3 |", "2", "2"),
        ("| 1 | ‸ | 3 |", "`a | b`", "`a \\| b`"),
        ("| 1 | ‸ | 3 |", "`a \\| b`", "`a \\| b`"),
        ("| 1 | ‸ | 3 |", "2 | 3 |", "2"),
        ("| 1 | ‸ |", "2 | 3", "2 | 3"),
        ("| 1 | ‸ |", "2 | 3 | 4", "2 | 3"),
        ("| 1 | ‸ | 3 |", "2\n| 4 | 5 | 6 |", "2"),
    ],
)
def test_rows_fit_their_table(line: str, text: str, expected: str) -> None:
    assert as_row(text, site(TABLE + line + "\n", "markdown"), 3) == expected


@pytest.mark.parametrize(("line", "text"), [("‸", "| 1 | 2 | 3 | 4 |"), ("| 1 | 2 | 3 | ‸ |", "4 | 5")])
def test_rows_that_cannot_fit_are_refused(line: str, text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        as_row(text, site(TABLE + line + "\n", "markdown"), 3)
    assert refusal.value.reason is Refused.TABLE_CELLS
