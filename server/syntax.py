"""What tree-sitter says of a text: how many errors an edit adds, and what the cursor stands in.

Errors are only ever compared: grammars have false ones, and a file being typed is broken already. Works on the text it
is given, from scratch each time, so that an answer never depends on what was asked before.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from itertools import groupby

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Tree

from .brackets import Inside
from .keys import repeated_keys
from .languages import UNKNOWN, Language, language_of

_FACTORIES = {"typescript": ("typescript", "language_typescript"), "tsx": ("typescript", "language_tsx")}
_LONG = ("comment", "string", "heredoc", "template", "char_literal", "raw_text")


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `[start, end)` by `text`; offsets count code points. The last `taken` of them follow the gap it fills."""

    start: int
    end: int
    text: str
    taken: int = 0

    def moved(self, by: int) -> Edit:
        """The same in a text that begins elsewhere."""
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a document that is written in a language of its own: a script in HTML, a fenced block in Markdown."""

    language: Language
    start: int
    end: int


def error_count(language: Language, text: str) -> int | None:
    """Errors in the tree of `text`; None for a language without a grammar."""
    tree = _parse(language.grammar, text)
    return None if tree is None else _errors(tree.root_node)


def added_errors(language: Language, text: str, edits: Sequence[Edit], *, holes: bool = False) -> int:
    """Errors that `edits` (in order, not overlapping) add to `text`; 0 for a language without a grammar.

    A key that its object has already is one too, and a comment or a string that runs on over what follows.

    `holes`: the edits fill gaps, and a gap is no excuse for a filling that leaves the statement broken. Then the text
    is also read with a name in each gap, and the better reading is what the edits must reach.
    """
    if language.prose:  # any text is Markdown
        return _added_inside(language, text, edits, holes=holes) if edits else 0
    before = _parse(language.grammar, text)
    if before is None or not edits:
        return 0
    had = _errors(before.root_node)
    allowed = had
    if had and holes:
        named = [Edit(edit.start, edit.end - edit.taken, language.name) for edit in edits]
        allowed = min(had, _errors(_edited(language, text, before, named)[1].root_node))
    new_text, after = _edited(language, text, before, edits)
    added = _errors(after.root_node) - allowed
    if added > 0 and language.id == "python" and _python_accepts(new_text, edits):
        return 0
    if added > 0 and had:  # older errors make the parser's recovery jump about: judge the block around the edit alone
        start, end = _block(text, edits[0].start, edits[-1].end)
        if end - start < len(text):
            moved = [edit.moved(-start) for edit in edits]
            return added_errors(language, text[start:end], moved, holes=holes)
    repeated = _added_keys(text, before, edits, new_text, after) if language.structured else 0
    swallowed = _swallowed(language, text, before, edits, after)
    return max(0, added) + repeated + swallowed + _added_inside(language, text, edits, holes=holes)


def tree_of(language: Language, text: str) -> Tree | None:
    """The tree of a text that is read once; None for a language without a grammar."""
    return _parse.__wrapped__(language.grammar, text)


def region_at(language: Language, text: str, offset: int) -> Region:
    """The innermost region of `text` that holds `offset`: the whole text unless another language is embedded there."""
    whole = Region(language, 0, len(text))
    if language.grammar == "markdown":
        return _fenced(text, offset) or whole
    if language.grammar != "html":
        return whole
    tree = _parse(language.grammar, text)
    at = _byte(text, offset)
    node = tree.root_node.descendant_for_byte_range(at, at) if tree else None
    while node is not None and node.type not in ("script_element", "style_element"):
        node = node.parent
    if node is None:
        return whole
    inner = language_of("javascript" if node.type == "script_element" else "css")
    tags = [child for child in node.children if child.type in ("start_tag", "end_tag")]
    start = _offset(text, tags[0].end_byte)
    end = _offset(text, tags[-1].start_byte) if len(tags) > 1 else len(text)
    return Region(inner, start, end) if start <= offset <= end else whole


def inside_at(language: Language, text: str, offset: int) -> Inside:
    """Whether `offset` stands in a string or a comment that the tree knows of."""
    tree = None if language.prose else _parse(language.grammar, text)
    return Inside.CODE if tree is None else _inside(tree, language, _byte(text, offset))


def _inside(tree: Tree, language: Language, at: int) -> Inside:
    node = tree.root_node.descendant_for_byte_range(max(at - 1, 0), at)
    while node is not None:
        if "comment" in node.type and node.start_byte < at and (at < node.end_byte or _to_line_end(node, language)):
            return Inside.COMMENT
        if node.start_byte < at < node.end_byte:
            if "interpolation" in node.type or "substitution" in node.type:
                return Inside.CODE
            if any(word in node.type for word in _LONG) and node.type != "raw_text":
                return Inside.STRING
        node = node.parent
    return Inside.CODE


def _to_line_end(comment: Node, language: Language) -> bool:
    """Whether the comment has no end of its own, so that what is typed after it belongs to it."""
    return (comment.text or b"").startswith(tuple(marker.encode() for marker in language.line_comments))


def node_at(language: Language, text: str, offset: int) -> Node | None:
    """The innermost node of the character at `offset`; None without a grammar."""
    tree = _parse(language.grammar, text)
    at = _byte(text, offset)
    return None if tree is None else tree.root_node.descendant_for_byte_range(at, at + 1)


@lru_cache(maxsize=32)
def _grammar(name: str) -> Grammar | None:
    if not name:
        return None
    module, factory = _FACTORIES.get(name, (name, "language"))
    return Grammar(getattr(import_module(f"tree_sitter_{module}"), factory)())


@lru_cache(maxsize=8)
def _parse(grammar_name: str, text: str) -> Tree | None:
    grammar = _grammar(grammar_name)
    return None if grammar is None else Parser(grammar).parse(_bytes(text))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")  # a lone surrogate becomes one byte, here as in offsets


def _byte(text: str, offset: int) -> int:
    return len(_bytes(text[:offset]))


def _offset(text: str, byte: int) -> int:
    return len(_bytes(text)[:byte].decode("utf-8", "ignore"))


def _errors(root: Node) -> int:
    """Error and missing nodes; an error that has no node of its own counts once. Without recursion: trees are deep."""
    count, waiting = 0, [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        broken = [child for child in node.children if child.has_error]
        count += node.is_error or node.is_missing or not broken
        waiting += broken
    return count


def _edited(language: Language, text: str, before: Tree, edits: Sequence[Edit]) -> tuple[str, Tree]:
    """The text after `edits` and its tree, parsed again only where it changed."""
    grammar = _grammar(language.grammar)
    assert grammar is not None  # `before` was parsed with it
    tree = before.copy()
    for edit in reversed(edits):
        start, old, new = _byte(text, edit.start), _bytes(text[edit.start : edit.end]), _bytes(edit.text)
        point = _point(text, edit.start)
        tree.edit(start, start + len(old), start + len(new), point, _advance(point, old), _advance(point, new))
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text, Parser(grammar).parse(_bytes(text), tree)


def _added_keys(text: str, before: Tree, edits: Sequence[Edit], new_text: str, after: Tree) -> int:
    """Keys that are there twice now, and were not."""
    start, end = edits[0].start, edits[-1].end
    new_end = len(new_text) - (len(text) - end)
    had = repeated_keys(before.root_node, _byte(text, start), _byte(text, end))
    return max(0, repeated_keys(after.root_node, _byte(new_text, start), _byte(new_text, new_end)) - had)


def _swallowed(language: Language, text: str, before: Tree, edits: Sequence[Edit], after: Tree) -> int:
    """Edits after which code is read as a comment or a string: the next one in the file may well end it."""
    count = grown = 0
    for edit, later in zip(edits, [*edits[1:], None], strict=True):
        grown += len(_bytes(edit.text)) - len(_bytes(text[edit.start : edit.end]))
        by_lines = edit.text.endswith("\n") and text[: edit.end].endswith("\n")
        following = edit.end if by_lines else text.find("\n", edit.end) + 1
        if not following or (later and later.start < following):
            continue  # nothing follows, or not before the next edit
        at = _byte(text, following)
        was, now = _inside(before, language, at), _inside(after, language, at + grown)
        count += was is Inside.CODE and now is not Inside.CODE
    return count


def _point(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset), len(_bytes(text[text.rfind("\n", 0, offset) + 1 : offset]))


def _advance(point: tuple[int, int], over: bytes) -> tuple[int, int]:
    lines = over.count(b"\n")
    return (point[0] + lines, len(over) - over.rfind(b"\n") - 1) if lines else (point[0], point[1] + len(over))


def _python_accepts(text: str, edits: Sequence[Edit]) -> bool:
    """Whether Python's own parser takes the text after `edits`, or the block around them."""
    grown = sum(len(edit.text) - (edit.end - edit.start) for edit in edits)
    start, end = _block(text, edits[0].start, edits[-1].end + grown)
    return any(_python_parses(part) for part in (text, text[start:end]))


def _python_parses(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # escapes in the user's strings are not our business
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


_BLOCK_START = re.compile(r"^[^\s)\]}#@]", re.MULTILINE)


def _block(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines around `[start, end)` from one that starts in the first column to the next such line."""
    line_end = text.find("\n", start)
    above = [match.start() for match in _BLOCK_START.finditer(text, 0, line_end if line_end >= 0 else len(text))]
    after = text.find("\n", end)
    below = _BLOCK_START.search(text, after + 1) if after >= 0 else None
    return above[-1] if above else 0, below.start() if below else len(text)


def _added_inside(language: Language, text: str, edits: Sequence[Edit], *, holes: bool) -> int:
    """Errors added to the embedded regions that hold `edits`, each judged by its own language."""
    added = 0
    for region, group in groupby(edits, key=lambda edit: region_at(language, text, edit.start)):
        within = [edit.moved(-region.start) for edit in group if edit.end <= region.end]
        if region.language not in (language, UNKNOWN):
            added += added_errors(region.language, text[region.start : region.end], within, holes=holes)
    return added


_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n`]*$", re.MULTILINE)


def _fenced(text: str, offset: int) -> Region | None:
    """The fenced block around `offset`; an open one runs to the end of the text."""
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            if fence.end() >= offset:
                return None
            opening = fence
        elif fence[1].startswith(opening[1]) and not fence[2]:
            if fence.start() > offset:
                return Region(language_of(opening[2]), opening.end() + 1, fence.start())
            opening = None
    return Region(language_of(opening[2]), opening.end() + 1, len(text)) if opening else None
