"""The syntax gate of one document: how many errors edits of the document add, by its own offsets and line ends."""

from __future__ import annotations

from collections.abc import Sequence

from .context import line_ending, shown_to_grammar
from .languages import language_of
from .snapshot import Snapshot
from .syntax import Edit, added_errors


class Gate:
    """Judges edits within `[start, end)` and on the lines next to it. `holes`: they fill gaps (see `added_errors`)."""

    def __init__(self, snapshot: Snapshot, start: int, end: int, *, holes: bool) -> None:
        self._language = language_of(snapshot.language)
        self._shown = shown_to_grammar(snapshot, start, end)
        self._holes = holes

    @property
    def blind(self) -> bool:
        """Whether there is no syntax to judge by: a piece of a line of megabytes."""
        return not self._shown.whole_lines

    def added(self, edits: Sequence[Edit]) -> int:
        """Errors that `edits` add: in document order, not overlapping, their text in LF."""
        if self.blind:
            return 0
        inner = []
        for edit in edits:
            start, gap_end, end = map(self._shown.at, (edit.start, edit.end - edit.taken, edit.end))
            inner.append(Edit(start, end, edit.text, end - gap_end))
        return added_errors(self._language, self._shown.text, inner, holes=self._holes)


def as_document(text: str, snapshot: Snapshot) -> str:
    """`text` with the line end that the document uses."""
    return text.replace("\n", line_ending(snapshot.text))
