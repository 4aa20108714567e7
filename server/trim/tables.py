"""Rows of Markdown tables: the grammar takes rows of any length, so cells are counted here."""

from __future__ import annotations

import re

from ..suggestion import Refused
from .site import Refusal, Site

_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_PIPE = re.compile(r"(?<!\\)\|")
_CODE_SPAN = re.compile(r"(`+)(?:(?!\1)[^\n])+\1")


def columns_at(site: Site) -> int:
    """Columns of the table whose body the cursor's line belongs to; 0 outside tables."""
    if site.language.id != "markdown":
        return 0
    for line in reversed(site.before[-20_000:].split("\n")[:-1]):
        if "|" not in line:
            return 0
        if _DELIMITER.fullmatch(line):
            return cells(line)
    return 0


def in_row(site: Site) -> bool:
    """Whether a row of a table has begun left of the cursor."""
    return "|" in site.prefix and columns_at(site) > 0


def cells(row: str) -> int:
    """Cells of one row: unescaped pipes count, those in code spans too."""
    row = row.strip().removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    return len(_PIPE.findall(row)) + 1


def as_row(text: str, site: Site, columns: int) -> str:
    """`text` fitted to its table: pipes in a cell escaped, missing cells added. Raises `Refusal` if it has too many."""
    if _PIPE.search(site.rest):
        return _as_cell(text.split("\n")[0], site, columns)
    lines = text.split("\n")
    rows = [_padded(site.prefix + lines[0], columns)[len(site.prefix) :]]
    for line in lines[1:]:
        if "|" not in line:
            return "\n".join([*rows, *lines[len(rows) :]])  # the table has ended
        rows.append(_padded(line, columns))
    return "\n".join(rows)


def _as_cell(text: str, site: Site, columns: int) -> str:
    """The content of one or more cells left of others that stand already."""
    escaped = _CODE_SPAN.sub(lambda span: _PIPE.sub(r"\\|", span.group()), text)
    missing = columns - cells(site.prefix + site.rest)
    parts = _PIPE.split(escaped)
    if len(parts) - 1 <= max(missing, 0):
        return escaped
    if missing < 0:
        raise Refusal(Refused.TABLE_CELLS)
    return "|".join(parts[: missing + 1]).rstrip()


def _padded(row: str, columns: int) -> str:
    """A row with as many cells as its table has; one that is still open on the right is left alone."""
    if not row.strip():
        return row
    count = cells(row)
    if count > columns:
        raise Refusal(Refused.TABLE_CELLS)
    closed = row.rstrip().endswith("|") and not row.rstrip().endswith("\\|")
    return row.rstrip() + "  |" * (columns - count) if closed else row
