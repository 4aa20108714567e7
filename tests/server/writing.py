"""Somebody who writes: documents changed by edits, and whoever wants to know told of each."""

from __future__ import annotations

from server.documents import Edit, apply_edits
from server.snapshot import Snapshot

Change = tuple[Snapshot, Snapshot, list[Edit]]


class Writing:
    """One document."""

    def __init__(self, text: str, uri: str = "file:///a.py") -> None:
        self.now = Snapshot(uri, "python", 1, text)

    def edit(self, start: int, end: int, text: str) -> Change:
        """Replace; what `changed` takes."""
        edits = [Edit(start, end, text)]
        before, after = self.now, apply_edits(self.now.text, edits)
        self.now = Snapshot(before.uri, before.language, before.version + 1, after)
        return before, self.now, edits

    def type(self, at: int, text: str) -> Change:
        """Insert."""
        return self.edit(at, at, text)

    def delete(self, start: int, end: int) -> Change:
        """Take away."""
        return self.edit(start, end, "")
