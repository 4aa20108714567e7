from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.protocol import default_converter

from server.edits import (
    changed_lines,
    completion_item,
    from_cursor,
    inline_item,
    merge_touching,
    offset_of,
    offsets_of,
    range_of,
    workspace_edit,
)
from server.positions import Lines, PositionEncoding
from server.snapshot import Snapshot
from server.suggestion import Suggestion
from tests.clients.editor import apply_edits

UTF16 = PositionEncoding.UTF16
texts = st.lists(st.sampled_from(["a", "b\n", "c\r\n", "\r", "\n", "😀", "\f", "\u2028"]), max_size=10).map("".join)


def snapshot(text: str) -> Snapshot:
    return Snapshot("file:///a.py", "python", 7, text)


def test_ranges_there_and_back() -> None:
    lines = Lines("a😀b\r\nc")
    assert range_of(lines, 2, 5, UTF16) == types.Range(types.Position(0, 3), types.Position(1, 0))
    assert offset_of(lines, types.Position(0, 99), UTF16) == 3
    assert offsets_of(lines, types.Range(types.Position(1, 0), types.Position(0, 1)), UTF16) == (1, 5)


@pytest.mark.parametrize(
    ("suggestion", "cursor", "shown"),
    [
        (Suggestion(6, 6, "x)"), 6, Suggestion(6, 6, "x)")),
        (Suggestion(0, 6, "print(x)"), 6, Suggestion(6, 6, "x)")),  # what stands before the cursor stays
        (Suggestion(6, 7, "x)"), 6, Suggestion(6, 7, "x)")),  # a bracket that is there is taken in
        (Suggestion(6, 7, "x"), 6, None),  # what is replaced must be part of the new text
        (Suggestion(0, 6, "Print(x)"), 6, None),  # text before the cursor may not change
        (Suggestion(6, 8, "x)\n"), 6, None),  # nor may the range leave the line
        (Suggestion(7, 7, "x"), 6, None),
        (Suggestion(0, 6, "print("), 6, None),
    ],
)
def test_ghost_text_is_what_every_client_can_show(
    suggestion: Suggestion, cursor: int, shown: Suggestion | None
) -> None:
    assert from_cursor(snapshot("print()\n"), suggestion, cursor) == shown


def test_inline_items_carry_plain_text_and_a_range() -> None:
    item = inline_item(snapshot("print()\n"), Suggestion(6, 7, "$1)"), UTF16)
    assert item == types.InlineCompletionItem("$1)", range=range_of(Lines("print()\n"), 6, 7, UTF16))


def test_completion_items_need_a_label() -> None:
    assert completion_item(snapshot("x = "), Suggestion(4, 4, "\n  "), 4, UTF16) is None
    item = completion_item(snapshot("x = "), Suggestion(4, 4, "y" * 100), 4, UTF16)
    assert item is not None
    assert len(item.label) == 60


def test_completion_items_take_in_the_word_and_only_the_word() -> None:
    item = completion_item(snapshot("ü.größ"), Suggestion(6, 6, "e()"), 6, UTF16)
    assert item is not None
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit == types.TextEdit(types.Range(types.Position(0, 2), types.Position(0, 6)), "größe()")


@given(texts, texts, texts, texts)
def test_changed_lines_make_the_new_text_and_nothing_else(before: str, old: str, new: str, after: str) -> None:
    text = before + old + after
    hunks = changed_lines(text, Suggestion(len(before), len(before) + len(old), new))
    for hunk in reversed(hunks):
        text = text[: hunk.start] + hunk.text + text[hunk.end :]
    assert text == before + new + after


@given(texts, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), texts), max_size=4))
def test_workspace_edits_do_what_the_suggestions_say(text: str, raw: list[tuple[int, int, str]]) -> None:
    suggestions: list[Suggestion] = []
    for start, length, new in sorted(raw, key=lambda one: one[:2]):
        end = start + length
        inside_crlf = any(text[place - 1 : place + 1] == "\r\n" for place in (start, end))
        if end <= len(text) and not inside_crlf and (not suggestions or start >= suggestions[-1].end):
            suggestions.append(Suggestion(start, end, new))
    expected = text
    for one in reversed(suggestions):
        expected = expected[: one.start] + one.text + expected[one.end :]
    edit = workspace_edit(snapshot(text), suggestions, UTF16, versioned=True)
    assert edit.document_changes is not None
    [document] = default_converter().unstructure(edit.document_changes)
    assert document["textDocument"] == {"uri": "file:///a.py", "version": 7}
    assert apply_edits(text, document["edits"]) == expected


def test_touching_suggestions_become_one() -> None:
    assert merge_touching([Suggestion(3, 4, "y"), Suggestion(2, 3, "x, "), Suggestion(6, 7, "z")]) == [
        Suggestion(2, 4, "x, y"),
        Suggestion(6, 7, "z"),
    ]


def test_clients_without_versions_get_plain_changes() -> None:
    edit = workspace_edit(snapshot("a"), [Suggestion(0, 1, "b")], UTF16, versioned=False)
    assert edit.document_changes is None
    assert edit.changes == {"file:///a.py": [types.TextEdit(range_of(Lines("a"), 0, 1, UTF16), "b")]}
