"""The open documents, kept from what the client tells; a request in flight watches what happens to its own.

Independent of the framework's copy, whose idea of a line is not the protocol's. Knows no
lsprotocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from .positions import Lines, PositionEncoding
from .snapshot import Snapshot

_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Edit:
    """`text[start:end]` became `text`; offsets count code points of the text before this edit."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """One change as the client tells it: (line, column) of start and end, or neither when the whole text is given."""

    text: str
    start: tuple[int, int] | None = None
    end: tuple[int, int] | None = None


@dataclass(eq=False, slots=True)
class Watch:
    """What happened to a document since `snapshot`, in order; `closed` once it is gone and edits mean nothing."""

    snapshot: Snapshot
    edits: list[Edit] = field(default_factory=list)
    closed: bool = False
    on_change: Callable[[], None] | None = None

    def _tell(self) -> None:
        if self.on_change is not None:
            self.on_change()


class DocumentStore:
    """Documents by URI. For one thread: the one that reads the client's messages.

    `on_change` hears of the text before, the text after and the edits between them, `on_close` of a URI.
    """

    def __init__(self, encoding: PositionEncoding = PositionEncoding.UTF16) -> None:
        self.encoding = encoding
        self.on_change: Callable[[Snapshot, Snapshot, Sequence[Edit]], None] | None = None
        self.on_close: Callable[[str], None] | None = None
        self._snapshots: dict[str, Snapshot] = {}
        self._watches: dict[str, list[Watch]] = {}

    def __len__(self) -> int:
        return len(self._snapshots)

    def snapshot(self, uri: str) -> Snapshot | None:
        """The document as it is now; None if it is not open."""
        return self._snapshots.get(uri)

    def others(self, uri: str) -> tuple[Snapshot, ...]:
        """All other documents, the last opened or changed first."""
        return tuple(other for other in reversed(self._snapshots.values()) if other.uri != uri)

    def open(self, uri: str, language: str, version: int, text: str) -> None:
        """A client opened a document; opening it again starts it over."""
        self.close(uri)
        self._snapshots[uri] = Snapshot(uri, language, version, _well_formed(text))

    def close(self, uri: str) -> None:
        """A client closed a document; one that is not open is no fault."""
        if self._snapshots.pop(uri, None) is not None and self.on_close is not None:
            self.on_close(uri)
        for watch in tuple(self._watches.get(uri, ())):
            watch.closed = True
            watch._tell()

    def change(self, uri: str, version: int, changes: Sequence[Change]) -> bool:
        """Apply the changes one after another; False if the document is not open."""
        before = self._snapshots.get(uri)
        if before is None:
            return False
        text, edits = _apply(before, changes, self.encoding)
        del self._snapshots[uri]  # the last changed comes last
        after = self._snapshots[uri] = Snapshot(uri, before.language, version, text)
        for watch in tuple(self._watches.get(uri, ())):
            watch.edits.extend(edits)
            watch._tell()
        if self.on_change is not None:
            self.on_change(before, after, edits)
        return True

    @contextmanager
    def watch(self, snapshot: Snapshot, on_change: Callable[[], None] | None = None) -> Iterator[Watch]:
        """Note what happens to the document of `snapshot`, its present state, while a request works on it."""
        watch = Watch(snapshot, closed=self._snapshots.get(snapshot.uri) is not snapshot, on_change=on_change)
        watches = self._watches.setdefault(snapshot.uri, [])
        watches.append(watch)
        try:
            yield watch
        finally:
            watches.remove(watch)
            if not watches and self._watches.get(snapshot.uri) is watches:
                del self._watches[snapshot.uri]


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text after the edits, one after another."""
    for edit in edits:
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def common_prefix(one: str, other: str) -> int:
    """Length of what both begin with; by halves, since comparing slices runs at memory speed."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(one: str, other: str) -> int:
    """Length of what both end with."""
    return common_prefix(one[::-1], other[::-1])


def _apply(snapshot: Snapshot, changes: Sequence[Change], encoding: PositionEncoding) -> tuple[str, list[Edit]]:
    """New text and the smallest edits that made it.

    Editors send the changes of a large replacement from the last to the first. As long as each stands before the one
    before it, all are read against the same lines and the text is built once.
    """
    lines = snapshot.lines
    smallest: list[Edit] = []
    pending: list[Edit] = []
    for change in changes:
        edit = _located(lines, change, encoding)
        if pending and edit.end >= pending[-1].start:
            lines = Lines(_replace_backwards(lines.text, pending))
            pending = []
            edit = _located(lines, change, encoding)
        pending.append(edit)
        smallest.append(_smallest(lines.text, edit))
    return _replace_backwards(lines.text, pending), [edit for edit in smallest if edit.text or edit.start < edit.end]


def _smallest(text: str, edit: Edit) -> Edit:
    """The same edit without what stays: a client may send a whole line, or the whole text, for one typed character."""
    removed = text[edit.start : edit.end]
    head = common_prefix(removed, edit.text)
    tail = common_suffix(removed[head:], edit.text[head:])
    return Edit(edit.start + head, edit.end - tail, edit.text[head : len(edit.text) - tail])


def _replace_backwards(text: str, edits: Sequence[Edit]) -> str:
    """The text after edits each of which ends before the one before it starts."""
    pieces: list[str] = []
    rest = len(text)
    for edit in edits:
        pieces += (text[edit.end : rest], edit.text)
        rest = edit.start
    pieces.append(text[:rest])
    return "".join(reversed(pieces))


def _located(lines: Lines, change: Change, encoding: PositionEncoding) -> Edit:
    """The edit in offsets. A border inside a surrogate pair leaves a replacement character for the half that stays,
    so that columns stay those of the client."""
    text = _well_formed(change.text)
    if change.start is None or change.end is None:
        return Edit(0, len(lines.text), text)
    start = lines.offset(*change.start, encoding)
    end = max(start, lines.offset(*change.end, encoding))
    if encoding is PositionEncoding.UTF16 and (text or change.start != change.end):
        if _splits_pair(lines, change.end, end):
            end, text = end + 1, text + _REPLACEMENT
        if _splits_pair(lines, change.start, start):
            text = _REPLACEMENT + text
    return Edit(start, end, text)


def _splits_pair(lines: Lines, position: tuple[int, int], offset: int) -> bool:
    """Whether `position` fell inside the character at `offset`."""
    is_pair = lines.text[offset : offset + 1] > "\uffff"
    return is_pair and lines.position(offset, PositionEncoding.UTF16) == (position[0], position[1] - 1)


def _well_formed(text: str) -> str:
    """Surrogate pairs joined and lone surrogates replaced: JSON can carry them, UTF-8 cannot."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
