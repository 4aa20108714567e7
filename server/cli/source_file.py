"""A text file as bytes on disk: read, and replaced without losing anything. Knows no positions and no engine."""

from __future__ import annotations

import os
import stat
import tempfile
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..languages import language_id_of_path
from ..snapshot import Snapshot
from .arguments import UsageError


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A UTF-8 file as it was read: `text` without the byte order mark, line ends untouched."""

    path: Path
    data: bytes
    text: str

    @property
    def bom(self) -> bytes:
        """The byte order mark, or nothing."""
        return BOM_UTF8 if self.data.startswith(BOM_UTF8) else b""

    def snapshot(self) -> Snapshot:
        """The document an editor would have open."""
        path = Path(os.path.abspath(self.path))  # noqa: PTH100 - `resolve` would follow links; the name decides
        return Snapshot(path.as_uri(), language_id_of_path(path.as_posix()), 0, self.text)

    def replace(self, text: str) -> None:
        """Write `text` in place of the whole file, all or nothing; mark, mode and owner stay.

        Raises `OSError`, also when the file is not what was read.
        """
        target = self.path.resolve()  # of a link, the file it points at
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(self.bom + text.encode("utf-8"))
                out.flush()
                os.fsync(out.fileno())
            _copy_owner_and_mode(target, Path(name))
            if target.read_bytes() != self.data:
                raise OSError(f"{self.path} was changed by somebody else meanwhile; nothing was written")
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def read_source(path: Path) -> SourceFile:
    """Read a file; raises `UsageError` when there is no such file or it is not UTF-8."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is {'a directory' if path.is_dir() else 'not a regular file'}; name a file")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    try:
        text = data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        byte, at = error.object[error.start], error.start + len(data) - len(error.object)
        raise UsageError(f"{path} is not UTF-8 (byte {byte:#04x} at offset {at}); convert it first") from None
    return SourceFile(path, data, text)


def _copy_owner_and_mode(source: Path, target: Path) -> None:
    was = source.stat()
    if hasattr(os, "chown"):
        with suppress(PermissionError):  # only root may give files away
            os.chown(target, was.st_uid, was.st_gid)
    target.chmod(stat.S_IMODE(was.st_mode))
