from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from server.features.converter import tolerant_converter

INVOKED, AUTOMATIC = types.InlineCompletionTriggerKind.Invoked, types.InlineCompletionTriggerKind.Automatic


@pytest.mark.parametrize(
    ("kinds", "read"),
    [
        ([1, 2], [INVOKED, AUTOMATIC]),
        ([0, 1, 0, 1], [INVOKED, AUTOMATIC, INVOKED, AUTOMATIC]),
        ([1, 0, 1], [INVOKED, INVOKED, AUTOMATIC]),
        ([None, 7, "x"], [AUTOMATIC, AUTOMATIC, AUTOMATIC]),
    ],
)
def test_trigger_kinds(kinds: list[Any], read: list[types.InlineCompletionTriggerKind]) -> None:
    converter = tolerant_converter()
    structured = [converter.structure({"triggerKind": kind}, types.InlineCompletionContext) for kind in kinds]
    assert [context.trigger_kind for context in structured] == read


def test_a_range_as_an_array_is_read_and_shows_that_kinds_count_from_zero() -> None:
    converter = tolerant_converter()
    start, end = {"line": 1, "character": 2}, {"line": 1, "character": 5}
    selected = {"range": [start, end], "text": "print"}
    context = converter.structure({"triggerKind": 1, "selectedCompletionInfo": selected}, types.InlineCompletionContext)
    assert context.trigger_kind is AUTOMATIC
    assert context.selected_completion_info == types.SelectedCompletionInfo(
        types.Range(types.Position(1, 2), types.Position(1, 5)), "print"
    )


def test_connections_do_not_share_what_they_learned() -> None:
    tolerant_converter().structure({"triggerKind": 0}, types.InlineCompletionContext)
    context = tolerant_converter().structure({"triggerKind": 1}, types.InlineCompletionContext)
    assert context.trigger_kind is INVOKED
