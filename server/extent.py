"""How far a completion reaches: to the end of its line, or over several where a block is to be filled. Pure."""

from __future__ import annotations

import re

from tree_sitter import Node

from .brackets import Inside, balance
from .settings import Settings
from .snapshot import Snapshot
from .syntax import node_at
from .trim import Site

_LONG_FILE = 8_000  # lines
_DASHES = re.compile(r"\s*(?:- +)+")
_BLOCK = re.compile(r"block|body|compound_statement|declaration_list|declarations|object|enumerator_list")
_SAYS_NOTHING = re.compile(r"comment")
_PROBE = "x"


def wants_one_line(snapshot: Snapshot, site: Site, settings: Settings, *, invoked: bool) -> bool:
    """Several lines only where a block is to be filled or a person asked for them."""
    if not settings.multi_line or snapshot.lines.count >= _LONG_FILE or site.quote or site.in_heading:
        return True
    if site.rest.strip():
        within_brackets = balance(site.prefix, site.language).unclosed
        return not (invoked and (site.on_blank or within_brackets))
    if site.inside is Inside.COMMENT:
        return not (invoked and site.on_blank)
    return not invoked and not _opens_block(site)


def _opens_block(site: Site) -> bool:
    """Whether the cursor is where an empty block, or something at the top level, begins."""
    if site.plain:
        return False
    language = site.language
    if language.id == "yaml" and (site.on_blank or _DASHES.fullmatch(site.prefix)):
        return True
    if not site.on_blank:
        has_blocks = bool(language.grammar and language.name and not language.keyword_ends)
        return bool(language.opener.search(site.prefix)) and (not has_blocks or _is_block_empty(site))
    if not site.prefix or not site.preceding or language.opener.search(site.preceding[0]):
        return True
    return _is_block_empty(site)


def _is_block_empty(site: Site) -> bool:
    """Whether a name written here, or on a line below what opens a block, would be all that its block does."""
    lead = "" if site.on_blank else f"\n{site.indentation}{site.unit}"
    text = f"{site.before}{lead}{_PROBE}{site.after}"
    node = node_at(site.language, text, len(site.before) + len(lead))
    while node is not None and node.parent is not None and _is_alone(node, node.parent):
        node = node.parent
        if _BLOCK.search(node.type):
            return True
    return False


def _is_alone(node: Node, parent: Node) -> bool:
    """Whether the other children are words of the language, comments, or the docstring before it."""
    others = [child for child in parent.named_children if child != node and not _SAYS_NOTHING.search(child.type)]
    return not others or (len(others) == 1 and _is_docstring(others[0]) and parent.named_children[-1] == node)


def _is_docstring(node: Node) -> bool:
    return node.type == "expression_statement" and [child.type for child in node.named_children] == ["string"]
