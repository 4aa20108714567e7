"""Whether a whole file parses. Python by Python itself, other languages by the server's grammars."""

from __future__ import annotations

import ast
import warnings

from server.languages import language_of
from server.syntax import error_count


def syntax_valid(language: str, text: str) -> bool | None:
    """None where no grammar for `language` is at hand."""
    if language == "python":
        return _python(text)
    errors = error_count(language_of(language), text)
    return None if errors is None else errors == 0


def _python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\d" in a candidate is a warning of the candidate
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # the parser raises each of them on bad text
            return False
    return True
