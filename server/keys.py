"""Names that an object has twice: no error of JSON's grammar, but one of every reader's."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

_MERGE = b"<<"  # YAML's, which may stand more than once


def repeated_keys(root: Node, start: int, end: int) -> int:
    """How many keys are there already, in the mappings that hold or touch the bytes `[start, end]`.

    What the parser could not make sense of is left out: it mixes the members of one mapping with another's.
    """
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        if not node.is_error:
            keys = [key for key in _keys(node) if key != _MERGE]
            count += len(keys) - len(set(keys))
        waiting += [child for child in node.named_children if child.start_byte <= end and start <= child.end_byte]
    return count


def _keys(mapping: Node) -> Iterator[bytes]:
    for child in mapping.named_children:
        if child.type.endswith("pair") and not child.has_error:
            key = child.child_by_field_name("key") or child.named_children[0]  # TOML's have no field
            yield (key.text or b"").strip(b"\"'")
