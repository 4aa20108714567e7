"""Folders of files made from an artifact once, seen whole or not at all. Never knows what is in them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from .disk import held, locked, publish, settle, storage

_MARKER = "complete.json"
_RECIPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def build_once(parent: Path, recipe: str, build: Callable[[Path], None], lock: Path) -> Path:
    """`parent/recipe`, built if it is not there whole. Raises `StorageError`, and what `build` raises."""
    if not _RECIPE.fullmatch(recipe):
        raise ValueError(f"recipe {recipe!r} is not a plain name")
    final = parent / recipe
    if not _complete(final):
        with locked(lock, lambda: None):
            if not _complete(final):
                _build(parent / f".{recipe}", final, build)
    return final


def _build(making: Path, final: Path, build: Callable[[Path], None]) -> None:
    try:
        with storage(making):
            for torn in (making, final):
                if torn.exists():
                    shutil.rmtree(torn)
            making.mkdir(parents=True)
            build(making)
            _seal(making)
            publish(making, final)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _seal(folder: Path) -> None:
    """Settle every file, then write down their sizes: what a power cut leaves can be told from the whole."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in files:
        settle(path)
    marker = folder / _MARKER
    marker.write_text(json.dumps({path.relative_to(folder).as_posix(): held(path) for path in files}), "utf-8")
    settle(marker)


def _complete(folder: Path) -> bool:
    try:
        sizes = json.loads((folder / _MARKER).read_text("utf-8"))
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):  # not there, torn, or not ours: it is built again
        return False
