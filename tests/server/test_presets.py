from __future__ import annotations

import pytest

from server.presets import presets


def titles(language: str, selected: str = "x", problems: tuple[str, ...] = ()) -> list[str]:
    return [preset.title for preset in presets(language, selected, problems)]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("python", ["Write a docstring", "Add type hints", "Simplify", "Fix"]),
        ("typescript", ["Write a TSDoc comment", "Add type hints", "Simplify", "Fix"]),
        ("go", ["Write a doc comment", "Simplify", "Fix"]),
        ("lua", ["Write a comment", "Simplify", "Fix"]),
        ("unheard-of", ["Write a comment", "Simplify", "Fix"]),
        ("json", ["Fix"]),
        ("markdown", ["Improve the wording", "Fix"]),
    ],
)
def test_they_follow_the_language(language: str, expected: list[str]) -> None:
    assert titles(language) == expected


@pytest.mark.parametrize(
    ("language", "selected", "offered"),
    [
        ("python", "x = 1  # größer als null\n", True),
        ("python", '"""文字列を返す"""\n', True),
        ("c", "/* заголовок */\n", True),
        ("go", "x := 1 // larger than zero\n", False),
        ("go", 's := "größer"\n', False),
        ("python", "# → arrows and 🚀 are no letters\n", False),
        ("json", "// größer\n", False),
    ],
)
def test_comments_in_other_languages_may_be_translated(language: str, selected: str, *, offered: bool) -> None:
    assert ("Translate comments into English" in titles(language, selected)) is offered


def test_reported_problems_are_told_and_marked() -> None:
    fix = presets("python", "x", ("undefined name", "unused import"))[-1]
    assert fix.mends
    assert fix.instruction.endswith("Reported: undefined name; unused import")
    assert not presets("python", "x", ())[-1].mends
