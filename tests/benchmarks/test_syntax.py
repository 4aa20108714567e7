"""Whole files that parse and that do not."""

from __future__ import annotations

import pytest

from benchmarks.syntax import syntax_valid


@pytest.mark.parametrize(
    ("language", "text", "valid"),
    [
        ("python", "x = 1\n", True),
        ("python", 'x = "\\d"\n', True),
        ("python", "x = (\n", False),
        ("python", "x = 1\0", False),
        ("python", "x = '\ud800'\n", False),
        ("python", "-" * 100_000 + "1", False),
        ("python", "(" * 5000 + ")" * 5000, False),
        ("javascript", "function f() { return 1; }\n", True),
        ("javascript", "function f() { return 1;\n", False),
        ("klingon", "Qapla'", None),
    ],
)
def test_syntax_valid(language: str, text: str, valid: bool | None) -> None:
    assert syntax_valid(language, text) is valid
