"""Reads messages of clients that deviate from the specification.

vscode-languageclient 9.0 passes VS Code's own inline completion context through: `triggerKind` counts from 0 instead of
1, and the range of `selectedCompletionInfo` is an array of two positions.
"""

from __future__ import annotations

from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.protocol import default_converter

_INVOKED, _AUTOMATIC = (
    types.InlineCompletionTriggerKind.Invoked.value,
    types.InlineCompletionTriggerKind.Automatic.value,
)


def tolerant_converter() -> Converter:
    """The converter of one connection: it remembers when its client counts from 0."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    structure = converter.get_structure_hook(types.InlineCompletionContext)
    counts_from_zero = False

    def structure_context(value: Any, kind: type[types.InlineCompletionContext]) -> types.InlineCompletionContext:
        nonlocal counts_from_zero
        value = dict(value) if isinstance(value, dict) else {}
        selected = value.get("selectedCompletionInfo")
        if isinstance(selected, dict) and isinstance(selected.get("range"), list) and len(selected["range"]) == 2:
            counts_from_zero = True
            start, end = selected["range"]
            value["selectedCompletionInfo"] = {**selected, "range": {"start": start, "end": end}}
        value["triggerKind"], saw_zero = _trigger_kind(value.get("triggerKind"), counts_from_zero)
        counts_from_zero |= saw_zero
        context: types.InlineCompletionContext = structure(value, kind)
        return context

    converter.register_structure_hook(types.InlineCompletionContext, structure_context)
    return converter


def _trigger_kind(value: object, counts_from_zero: bool) -> tuple[int, bool]:
    """The kind as the specification numbers it, and whether it shows that the client counts from 0."""
    if value == 0:
        return _INVOKED, True
    if value == 1 and not counts_from_zero:
        return _INVOKED, False
    return _AUTOMATIC, False  # also what is missing or unknown: the quiet kind
