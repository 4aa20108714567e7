"""Where the demo puts the cursor, what it fills and what it rewrites: facts only.

Lines and characters are 0-based and UTF-16, as in LSP; the files lie in `demo_files/`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position to complete at."""

    title: str
    file: str
    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Selection:
    """A range, with what to make of it: an instruction, or nothing to fill the holes in it."""

    title: str
    file: str
    start: tuple[int, int]
    end: tuple[int, int]
    instruction: str = ""


CURSORS = (
    Cursor("Python, the rest of a line", "orders.py", 14, 11),
    Cursor("Python, the body of a loop", "words.py", 14, 8),
    Cursor("TypeScript, the body of a function", "cart.ts", 14, 2),
    Cursor("JSON, the rest of a record", "countries.json", 4, 34),
    Cursor("Markdown, the cells of a row", "status-codes.md", 7, 8),
)
HOLES = Selection("Two holes, each seeing the other", "shapes.py", (7, 0), (16, 0))
REWRITE = Selection("Select and rewrite", "figures.py", (3, 0), (8, 0), "Return 0.0 for an empty list.")
