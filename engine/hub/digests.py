"""sha256 of large files, remembered until they change. Never knows what a digest ought to be."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .disk import storage
from .meter import Meter

_CHUNK = 1 << 20


def sha256_of(path: Path, meter: Meter) -> str:
    """Read the whole file. Raises `StorageError`."""
    digest = hashlib.sha256()
    done = 0
    with storage(path):
        file = path.open("rb")
    with file:
        while chunk := _read(file, path):
            digest.update(chunk)
            done += len(chunk)
            meter.at(done)
    return digest.hexdigest()


def _read(file: BinaryIO, path: Path) -> bytes:
    with storage(path):
        return file.read(_CHUNK)


@dataclass(frozen=True, slots=True)
class DigestMemory:
    """One small file per hashed file: its digest, and what its inode said when it was read."""

    folder: Path

    def recall(self, path: Path) -> str | None:
        """The digest of `path` if it is known and the file has not changed since."""
        stamp = _stamp(path)
        try:
            memory = json.loads(self._file(path).read_text("utf-8"))
        except (OSError, ValueError):  # absent or torn: the file is read again
            return None
        if not isinstance(memory, dict) or memory.get("stamp") != stamp:
            return None
        digest = memory.get("sha256")
        return digest if isinstance(digest, str) else None

    def read(self, path: Path, meter: Meter) -> str:
        """Hash the file whatever is remembered, and remember that."""
        before = _stamp(path)
        digest = sha256_of(path, meter)
        if before == _stamp(path):  # else someone is still writing it
            self.remember(path, digest)
        return digest

    def remember(self, path: Path, digest: str) -> None:
        """Take the caller's word for the digest of the file as it is now."""
        file = self._file(path)
        memory = {"path": str(path), "stamp": _stamp(path), "sha256": digest}
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(memory), "utf-8")
        except OSError:  # a cache that may only be read: as right as ever, but hashed at each start
            return

    def forget(self, path: Path) -> None:
        """Drop what is remembered of a file."""
        self._file(path).unlink(missing_ok=True)

    def _file(self, path: Path) -> Path:
        return self.folder / f"{hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:16]}.json"


def _stamp(path: Path) -> list[int]:
    with storage(path):
        found = path.stat()
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
