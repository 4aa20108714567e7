"""From offsets to what the protocol sends: ranges, inline items, workspace edits. Pure; knows no store, no engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from lsprotocol import types

from .positions import Lines, PositionEncoding
from .rebase import is_subsequence
from .snapshot import Snapshot
from .suggestion import Suggestion

_ANNOTATION = "sfumato"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def offset_of(lines: Lines, position: types.Position, encoding: PositionEncoding) -> int:
    """Offset of a position; clamped and snapped, never raises."""
    return lines.offset(position.line, position.character, encoding)


def offsets_of(lines: Lines, range_: types.Range, encoding: PositionEncoding) -> tuple[int, int]:
    """Offsets of a range, the smaller first."""
    start, end = (offset_of(lines, position, encoding) for position in (range_.start, range_.end))
    return min(start, end), max(start, end)


def range_of(lines: Lines, start: int, end: int, encoding: PositionEncoding) -> types.Range:
    """The range between two offsets."""
    return types.Range(
        start=types.Position(*lines.position(start, encoding)), end=types.Position(*lines.position(end, encoding))
    )


def inline_item(snapshot: Snapshot, ghost: Suggestion, encoding: PositionEncoding) -> types.InlineCompletionItem:
    """Ghost text as the protocol has it."""
    return types.InlineCompletionItem(
        insert_text=ghost.text, range=range_of(snapshot.lines, ghost.start, ghost.end, encoding)
    )


def from_cursor(snapshot: Snapshot, suggestion: Suggestion, cursor: int) -> Suggestion | None:
    """The suggestion without what stands before the cursor already; None if no client could show it as ghost text.

    It stays on the cursor's line, text before the cursor stays as it is, and what is replaced is a subsequence of the
    new text. It starts at the cursor: some clients keep typed characters that a range takes in.
    """
    kept = snapshot.text[suggestion.start : cursor]
    replaced = snapshot.text[cursor : suggestion.end]
    at_cursor = suggestion.start <= cursor <= suggestion.end and not re.search(r"[\r\n]", kept + replaced)
    text = suggestion.text[len(kept) :]
    if not at_cursor or not text or not suggestion.text.startswith(kept) or not is_subsequence(replaced, text):
        return None
    return Suggestion(cursor, suggestion.end, text)


def completion_item(
    snapshot: Snapshot, suggestion: Suggestion, cursor: int, encoding: PositionEncoding
) -> types.CompletionItem | None:
    """The same for a completion popup, which filters by the word before the cursor and so must be given it."""
    shown = from_cursor(snapshot, suggestion, cursor)
    if shown is None:
        return None
    line_start = snapshot.lines.start(snapshot.lines.line_of(cursor))
    word = re.search(r"\w*\Z", snapshot.text[line_start:cursor])
    typed = word.group() if word else ""
    text = typed + shown.text
    first_line = re.split(r"[\r\n]", text.strip(), maxsplit=1)[0]
    if not first_line:
        return None
    return types.CompletionItem(
        label=first_line if len(first_line) <= 60 else first_line[:59] + "…",
        kind=types.CompletionItemKind.Text,
        detail="Sfumato",
        documentation=text,
        filter_text=text,
        sort_text="~",  # after what is known for certain
        preselect=False,
        insert_text_format=types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AsIs,
        text_edit=types.TextEdit(range_of(snapshot.lines, cursor - len(typed), shown.end, encoding), text),
    )


def workspace_edit(
    snapshot: Snapshot,
    suggestions: Sequence[Suggestion],
    encoding: PositionEncoding,
    *,
    versioned: bool,
    confirm: str = "",
) -> types.WorkspaceEdit:
    """One edit of the document at the version of the snapshot; lines that stay are not touched.

    `confirm`: what the editor asks with before it applies a versioned edit.
    """
    edits = [
        types.TextEdit(range_of(snapshot.lines, hunk.start, hunk.end, encoding), hunk.text)
        for suggestion in merge_touching(suggestions)
        for hunk in changed_lines(snapshot.text, suggestion)
    ]
    if not versioned:
        return types.WorkspaceEdit(changes={snapshot.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=snapshot.uri, version=snapshot.version)
    if not confirm:
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(text_document=document, edits=edits)])
    asking = [types.AnnotatedTextEdit(_ANNOTATION, edit.range, edit.new_text) for edit in edits]
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(text_document=document, edits=asking)],
        change_annotations={_ANNOTATION: types.ChangeAnnotation(confirm, needs_confirmation=True)},
    )


def merge_touching(suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    """In document order, with neighbours made one: clients order edits at the same place as they like."""
    merged: list[Suggestion] = []
    for suggestion in sorted(suggestions, key=lambda one: (one.start, one.end)):
        if merged and suggestion.start == merged[-1].end:
            before = merged.pop()
            suggestion = Suggestion(before.start, suggestion.end, before.text + suggestion.text)
        merged.append(suggestion)
    return merged


def changed_lines(text: str, suggestion: Suggestion) -> list[Suggestion]:
    """The suggestion as replacements of the runs of lines in which it differs from `text`, in document order."""
    old, new = _LINE.findall(text[suggestion.start : suggestion.end]), _LINE.findall(suggestion.text)
    starts = [suggestion.start]
    for line in old:
        starts.append(starts[-1] + len(line))
    return [
        Suggestion(starts[i1], starts[i2], "".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
