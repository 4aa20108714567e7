"""What of a package is worth training on: code that people wrote, once, and no benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

LANGUAGES = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".jsx": "javascript", ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescript",
    ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".md": "markdown",
    ".go": "go", ".rs": "rust", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".java": "java",
    ".sh": "bash", ".lua": "lua", ".css": "css", ".html": "html",
}  # fmt: skip

_NOT_WRITTEN = re.compile(
    r"(^|/)(_?vendor(ed)?|third_party|node_modules|dist|build|bundle[sd]?|locales?|migrations|test[-_]?data|fixtures)/"
    r"|[.-]min\.|[._]pb2|\.d\.[cm]?ts$|package-lock|\.lock$"
)
_SAYS_GENERATED = re.compile(r"(auto|machine)?[- ]?generated (by|from|file|code)|do not edit|@generated", re.IGNORECASE)
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|\b(AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\b(ghp|gho|ghs|glpat|xox[abp])[_-][A-Za-z0-9-]{16,}|\bsk-\w{20,}"
    r"|(?i:passwo?r?d|secret|token|api_?key)['\"]?\s*[:=]\s*['\"][^'\"\s]{12,}['\"]"
)
_NEAR = 0.6  # share of a file's windows that were seen already: a near-duplicate
_WINDOW = 5  # lines
GRAM = 13  # words in a row that count as an overlap


def language_of(path: str) -> str | None:
    """The language of a file that is neither vendored, bundled nor built, by its path."""
    return None if _NOT_WRITTEN.search(path) else LANGUAGES.get(PurePosixPath(path).suffix.lower())


def is_written(text: str) -> bool:
    """Whether people wrote this: no generated header, no minified or endless lines, not mostly numbers."""
    lines = text.splitlines()
    if not len(text) >= 200 or len(lines) < 8 or _SAYS_GENERATED.search(text[:1500]):
        return False
    if max(map(len, lines)) > 400 or len(text) / len(lines) > 80:
        return False
    return sum(character.isdigit() for character in text) < 0.15 * len(text)


def tells_a_secret(text: str) -> bool:
    """Whether a key or a password stands in it: such a file is left out whole."""
    return bool(_SECRET.search(text))


class NearDuplicates:
    """Files most of whose windows of five lines stood in earlier ones."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def seen(self, text: str) -> bool:
        """Whether this is a near-duplicate; if not, it is remembered."""
        windows = set(_windows(text))
        known = len(windows & self._seen)
        if windows and known > _NEAR * len(windows):
            return True
        self._seen |= windows
        return False


def _windows(text: str) -> Iterable[int]:
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    for start in range(max(1, len(lines) - _WINDOW + 1)):
        yield hash("\n".join(lines[start : start + _WINDOW]))


class Overlap:
    """Text that shares thirteen words in a row with any of the benchmarks'.

    Words are identifiers and numbers, whatever stands between them. A run of fewer than five different ones is a table
    or a loop of a test, not a sign.
    """

    def __init__(self, benchmarks: Iterable[str]) -> None:
        self._grams = {gram for text in benchmarks for gram in _grams(text)}

    def __call__(self, text: str) -> bool:
        return any(gram in self._grams for gram in _grams(text))


def _grams(text: str) -> Iterable[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    for start in range(len(words) - GRAM + 1):
        gram = tuple(words[start : start + GRAM])
        if len(set(gram)) >= 5:
            yield gram
