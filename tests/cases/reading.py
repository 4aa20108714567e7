"""What the checks read out of a text, apart from how the server does it: brackets, table rows, broken characters."""

from __future__ import annotations

import re
from typing import Any

_PAIRS = {")": "(", "]": "[", "}": "{"}
_HASH_COMMENTS = ("python", "yaml", "toml", "shellscript", "makefile")
_SLASH_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`')
_ROW_ENDS = re.compile(r"(?<!\\)\|")


def bracket_fault(text: str, language: str) -> str:
    """Which bracket outside strings and comments has no partner; "" if all have."""
    blanked = _STRING.sub(lambda found: " " * len(found.group()), text)
    comments = re.compile(r"#[^\n]*") if language in _HASH_COMMENTS else _SLASH_COMMENTS
    open_: list[str] = []
    for bracket in re.findall(r"[()\[\]{}]", comments.sub("", blanked)):
        if bracket not in _PAIRS:
            open_.append(bracket)
        elif not open_ or open_.pop() != _PAIRS[bracket]:
            return f"a {bracket!r} that nothing opens"
    return f"{open_[-1]!r} is not closed" if open_ else ""


def table_fault(text: str) -> str:
    """Which table row has more or fewer cells than its header; a text without a table has a fault too."""
    lines = text.splitlines()
    rules = [at for at, line in enumerate(lines) if at and re.fullmatch(r"[\s|:-]*-[\s|:-]*", line) and "|" in line]
    if not rules:
        return "there is no table"
    for rule in rules:
        wanted = _cells(lines[rule - 1])
        for line in lines[rule:]:
            if "|" not in line:
                break
            if _cells(line) != wanted:
                return f"{_cells(line)} cells instead of {wanted} in {line!r}"
    return ""


def _cells(row: str) -> int:
    cells = _ROW_ENDS.split(row.strip())
    return len(cells) - (cells[0] == "") - (cells[-1] == "" and len(cells) > 1)


def has_lone_surrogate(value: Any) -> bool:
    """Whether a text, or any text within a JSON value, cannot be written as UTF-8."""
    if isinstance(value, str):
        return any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, dict):
        return any(has_lone_surrogate(one) for pair in value.items() for one in pair)
    return isinstance(value, list) and any(map(has_lone_surrogate, value))
