"""One document at one moment: what a request works on, whatever is typed meanwhile. Knows no store and no protocol."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from .positions import Lines


@dataclass(frozen=True)
class Snapshot:
    """Text and version of a document. `language` is the LSP languageId; offsets count code points of `text`."""

    uri: str
    language: str
    version: int
    text: str

    @cached_property
    def lines(self) -> Lines:
        """The lines of the text."""
        return Lines(self.text)

    @cached_property
    def path(self) -> str:
        """Path to show and to match deny lists with, `/` between parts; "" if the document has none.

        Not leave to read the disk: that is what `file` is for.
        """
        path = unquote(urlsplit(self.uri).path).replace("\\", "/")
        if not path.startswith("/"):
            return ""  # untitled:Untitled-1
        has_drive = path[2:3] == ":" and path[1].isalpha()
        return path[1:] if has_drive else path

    @property
    def file(self) -> Path | None:
        """The file on disk; None for `untitled:` and every other scheme."""
        return Path(self.path) if urlsplit(self.uri).scheme == "file" and self.path else None
