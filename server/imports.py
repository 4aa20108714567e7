"""Which files of the workspace a document imports, for languages where an import names a file. Touches the disk only
to see whether a file is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .languages import language_of
from .snapshot import Snapshot

_HEAD = 16_000  # characters in which imports are looked for
_PYTHON = re.compile(r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([.\w]+))", re.MULTILINE)
_SCRIPT = re.compile(r"""(?:\bfrom|\bimport|\brequire\()\s*["'](\.{1,2}/[^"'\n]+)["']""")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_SCRIPT_SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs")


def imported_files(snapshot: Snapshot, folders: tuple[Path, ...]) -> Iterator[Path]:
    """Existing files below one of `folders`, in the order of the imports; none for a document without a file."""
    if snapshot.file is None:
        return
    for candidates in _candidates(snapshot, snapshot.file):
        for candidate in candidates:
            if any(candidate.is_relative_to(folder) for folder in folders) and candidate.is_file():
                yield candidate
                break


def _candidates(snapshot: Snapshot, file: Path) -> Iterator[list[Path]]:
    """For each import the files that it could mean, the likeliest first."""
    head, grammar = snapshot.text[:_HEAD], language_of(snapshot.language).grammar
    if grammar == "python":
        for match in _PYTHON.finditer(head):
            yield _python_files(match[1] or match[2], file)
    elif grammar in ("javascript", "typescript", "tsx"):
        for match in _SCRIPT.finditer(head):
            yield _script_files(_joined(file.parent, match[1]))
    elif grammar in ("c", "cpp"):
        for match in _INCLUDE.finditer(head):
            yield [_joined(file.parent, match[1])]


def _python_files(module: str, file: Path) -> list[Path]:
    """A relative import is looked for where it says, an absolute one in every folder above."""
    dots = len(module) - len(module.lstrip("."))
    parts = [part for part in module.split(".") if part]
    bases = [file.parents[dots - 1]] if 0 < dots <= len(file.parents) else [] if dots else list(file.parents)
    return [
        path
        for base in bases
        if parts
        for path in (base.joinpath(*parts).with_suffix(".py"), base.joinpath(*parts, "__init__.py"))
    ]


def _script_files(stem: Path) -> list[Path]:
    """`./a` may be written for `a.ts`, `./a.js` too."""
    bare = stem.with_suffix("") if stem.suffix in _SCRIPT_SUFFIXES else stem
    return [Path(f"{bare}{end}") for end in (*_SCRIPT_SUFFIXES, *(f"/index{suffix}" for suffix in _SCRIPT_SUFFIXES))]


def _joined(folder: Path, relative: str) -> Path:
    """`folder/../a` without the `..`, so that one sees what folder it is in."""
    for part in relative.split("/"):
        folder = folder.parent if part == ".." else folder / part
    return folder
