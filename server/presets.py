"""Ready-made instructions for a selection, by the language at hand. Knows no protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .languages import Language, language_of


@dataclass(frozen=True, slots=True)
class Preset:
    """A title for the menu and what the model is told; `mends`: it is for mistakes that were reported."""

    title: str
    instruction: str
    mends: bool = False


_DOCUMENTATION = {
    "python": "docstring",
    "javascript": "JSDoc comment",
    "javascriptreact": "JSDoc comment",
    "typescript": "TSDoc comment",
    "typescriptreact": "TSDoc comment",
    "java": "Javadoc comment",
    "rust": "doc comment",
    "go": "doc comment",
    "c": "Doxygen comment",
    "cpp": "Doxygen comment",
}
_TYPED_BY_HINTS = ("python", "typescript", "typescriptreact")
_TYPE_HINTS = Preset("Add type hints", "Add type hints to every parameter and return value. Change nothing else.")
_SIMPLIFY = Preset("Simplify", "Simplify this code. Keep what it does and every name it defines.")
_TRANSLATE = Preset("Translate comments into English", "Translate the comments into English. Change nothing else.")
_WORDING = Preset("Improve the wording", "Improve the wording. Keep the meaning and the Markdown.")
_FIX = "Fix the mistakes in this code. Change nothing else."


def presets(language_id: str, selected: str, problems: Sequence[str]) -> list[Preset]:
    """What is offered for `selected`; `problems` are the diagnostics in it."""
    language = language_of(language_id)
    offered = []
    if language.prose:
        offered.append(_WORDING)
    elif not language.structured:
        kind = _DOCUMENTATION.get(language.id, "comment")
        what = f"Add a {kind} that says what this does. Change nothing else."
        offered.append(Preset(f"Write a {kind}", what))
        if language.id in _TYPED_BY_HINTS:
            offered.append(_TYPE_HINTS)
        offered.append(_SIMPLIFY)
        if _has_foreign_comment(language, selected):
            offered.append(_TRANSLATE)
    reported = f" Reported: {'; '.join(problems)}" if problems else ""
    offered.append(Preset("Fix", _FIX + reported, mends=bool(problems)))
    return offered


def _has_foreign_comment(language: Language, selected: str) -> bool:
    """Whether letters that English has not stand behind a comment's beginning; a string that looks so does no harm."""
    begins = (*language.line_comments, *(start for start, _ in language.block_comments))
    begins += tuple(start for start, _ in language.long_quotes if language.id == "python")
    at = [found for begin in begins if (found := selected.find(begin)) >= 0]
    return bool(at) and any(letter.isalpha() and not letter.isascii() for letter in selected[min(at) :])
