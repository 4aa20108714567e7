from __future__ import annotations

import pytest

from server.languages import UNKNOWN, language_id_of_path, language_of


@pytest.mark.parametrize(
    ("id_", "expected"),
    [
        ("python", "python"),
        ("typescriptreact", "typescriptreact"),
        ("shellscript", "shellscript"),
        ("bash", "shellscript"),  # Neovim's name, and that of a fence
        ("sh", "shellscript"),
        ("TypeScript", "typescript"),
        ("klingon", ""),
        ("", ""),
    ],
)
def test_language_of_an_id_or_the_name_of_a_fence(id_: str, expected: str) -> None:
    assert language_of(id_).id == expected


def test_an_unknown_language_has_no_grammar_but_works() -> None:
    assert language_of("klingon") is UNKNOWN
    assert UNKNOWN.grammar == ""
    assert not UNKNOWN.prose


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.py", "python"),
        ("a/B.PY", "python"),
        ("C:\\a\\b.tsx", "typescriptreact"),
        ("a.hpp", "cpp"),
        ("Makefile", "makefile"),
        ("tsconfig.json", "jsonc"),
        ("package.json", "json"),
        ("a.yml", "yaml"),
        ("notes", "plaintext"),
        ("a.unknown", "plaintext"),
        ("", "plaintext"),
    ],
)
def test_language_id_of_a_path(path: str, expected: str) -> None:
    assert language_id_of_path(path) == expected
