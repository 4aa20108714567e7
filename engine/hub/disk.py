"""The disk's part of it: where the cache lies, whose turn it is to write, and errors that say what to do.

Knows folders and files, never what is in them.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import platformdirs

from ..errors import StorageError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

POLL_SECONDS = 0.1
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_PERMISSION = (errno.EACCES, errno.EPERM, errno.EROFS)


def home() -> Path:
    """The cache folder: `SFUMATO_HOME`, or the place this system has for caches."""
    return Path(os.environ.get("SFUMATO_HOME") or platformdirs.user_cache_dir("sfumato", appauthor=False)).absolute()


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Inside, an `OSError` is about `path`'s disk and leaves as `StorageError`."""
    try:
        yield
    except OSError as error:
        raise StorageError(explained(path, error)) from error


def explained(path: Path, error: OSError) -> str:
    """What went wrong on `path`'s disk and what helps, in one line."""
    where = error.filename or path
    if error.errno in NO_ROOM:
        return f"no room on the disk for {where}; make room, or set SFUMATO_HOME to a folder on a larger disk"
    if error.errno in _NO_PERMISSION:
        return f"no permission to write {where}; allow it, or set SFUMATO_HOME to a folder of your own"
    return f"cannot use {where}: {error.strerror or error}; mend it, or set SFUMATO_HOME to another folder"


def require_room(folder: Path, needed: int) -> None:
    """Raise `StorageError` where `needed` bytes do not fit: better now than after minutes of download."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise StorageError(
            f"{needed:,} bytes are needed in {folder} and {free:,} are free; "
            "make room, or set SFUMATO_HOME to a folder on a larger disk"
        )


@contextmanager
def locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock file `path`; call `waiting` ten times a second while another process or thread has it.

    The system drops the lock when its holder dies, so it is never stale. The file itself stays: were it removed,
    two could hold it.
    """
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    with file:
        while not _taken(file, path):
            waiting()
            time.sleep(POLL_SECONDS)
        try:
            yield
        finally:
            _unlock(file)


def _taken(file: BinaryIO, path: Path) -> bool:
    with storage(path):
        return _try_lock(file)


if sys.platform == "win32":

    def _try_lock(file: BinaryIO) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:  # another holds it
            return False
        return True

    def _unlock(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:

    def _try_lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another holds it
            return False
        return True

    def _unlock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


def held(path: Path) -> int:
    """Bytes in a file; 0 when there is none. Raises `StorageError`."""
    with storage(path):
        try:
            return path.stat().st_size
        except FileNotFoundError:
            return 0


@contextmanager
def appending(path: Path, start: int) -> Iterator[Callable[[bytes], None]]:
    """Write after the first `start` bytes of a file, which may be absent; what followed them is cut off.

    Each call of what is given puts its bytes into the file at once, so a killed process loses nothing it wrote. They
    have reached the disk when this ends well. Raises `StorageError`, and only for the disk's own errors.
    """
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("r+b" if path.exists() else "xb", buffering=0)  # a buffer would fail again when closed

    def write(chunk: bytes) -> None:
        rest = memoryview(chunk)
        with storage(path):
            while rest:
                rest = rest[file.write(rest) :]

    with file:
        with storage(path):
            file.truncate(start)
            file.seek(start)
        yield write
        with storage(path):
            os.fsync(file.fileno())


def settle(path: Path) -> None:
    """Return when a file's bytes have reached the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def publish(made: Path, final: Path) -> None:
    """Give a settled file or folder its final name, at once and for good."""
    final.parent.mkdir(parents=True, exist_ok=True)
    made.replace(final)
    if sys.platform != "win32":  # Windows has no way to settle a folder
        folder = os.open(final.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
