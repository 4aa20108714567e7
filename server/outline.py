"""What a text defines at its top level, each as short as it can be said: headers without bodies.

For showing one file to the model while another is written. Any language with a grammar; the names of node types are
compared in part, so that a new grammar needs nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from .languages import Language
from .syntax import tree_of

LONGEST = 100_000  # characters of a text that are read, in some 25 ms
_HEADER = 240  # characters
_MEMBERS = 24
_SCOPES = ("namespace", "mod_item", "internal_module", "export", "linkage", "preproc_if")
_CONTAINERS = ("class", "struct", "interface", "trait", "impl", "enum", "object")
_PASSED_OVER = ("argument", "parameter", "decorator", "import", "comment")
_IDENTIFIERS = ("identifier", "word", "constant", "variable_name")


@dataclass(frozen=True, slots=True)
class Definition:
    """`text` is the header, and below it those of its members."""

    name: str
    text: str


def outline(language: Language, text: str) -> tuple[Definition, ...]:
    """The definitions of a text in their order; () for a language without a grammar."""
    tree = None if language.prose or language.structured else tree_of(language, text[:LONGEST])
    return tuple(_definitions(tree.root_node, 0)) if tree is not None else ()


def _definitions(scope: Node, depth: int) -> Iterator[Definition]:
    for node in scope.named_children:
        name = None if any(word in node.type for word in _SCOPES) else _name(node)
        if name is not None:
            yield Definition(name, _described(node))
        elif depth < 4 and not any(word in node.type for word in _PASSED_OVER):
            yield from _definitions(node, depth + 1)


def _name(node: Node) -> str | None:
    """What a node defines, if it defines something: `f` of `def f()`, of `f = 1`, of `int *f(void)`, of `impl f`."""
    at: Node | None = node
    for _ in range(6):
        fields = ("name", "declarator", "left", *(("type",) if "impl" in node.type else ()))
        at = next((child for field in fields if (child := at.child_by_field_name(field))), None) if at else None
        if at is not None and any(word in at.type for word in _IDENTIFIERS):
            return _text(at) if at.parent is None or "call" not in at.parent.type else None
    return None


def _described(node: Node) -> str:
    body = _body(node)
    if body is None:
        return _short(node)
    lines = [_header(node, body)]
    if any(word in node.type for word in _CONTAINERS):
        members = (_member(child) for child in body.named_children)
        lines += [f"    {member}" for member in members if member][:_MEMBERS]
    return "\n".join(lines)


def _member(node: Node) -> str:
    """A method's header or a field; "" for what is private, a comment, a docstring, or long."""
    if "definition" in node.type and (inner := node.child_by_field_name("definition")):
        node = inner
    name = _name(node) or (_name(node.named_children[0]) if node.named_children else None)
    if name is None or (name.startswith("_") and name != "__init__"):
        return ""
    body = _body(node)
    return _header(node, body) if body is not None else _short(node)


def _body(node: Node) -> Node | None:
    value = node.child_by_field_name("value")
    return node.child_by_field_name("body") or (value.child_by_field_name("body") if value else None)


def _header(node: Node, body: Node) -> str:
    text = _text(node)[: max(0, body.start_byte - node.start_byte)]
    return " ".join(text.split())[:_HEADER]


def _short(node: Node) -> str:
    return " ".join(_text(node).split())[:_HEADER]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
