"""Archives from package registries, through their ordinary clients, so that the user's settings hold; and their texts.

Archives are read, never installed: nothing in them is run.
"""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ..errors import OfflineError
from ..hub.artifact import PlaceError
from ..hub.wheels import pip_download
from . import licences
from .cleaning import language_of
from .debian import from_debian, licence_of, version_of

LARGEST = 200_000  # bytes; longer files are data


def from_pypi(requirement: str, folder: Path) -> Path:
    """A wheel for any system. No sdists: pip runs their build to read their metadata."""
    return pip_download(requirement, folder, lambda _: None, options=("--platform", "any"))


def from_npm(requirement: str, folder: Path) -> Path:
    """A package's tarball."""
    command = ["npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", str(folder), requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    except FileNotFoundError as error:
        raise PlaceError("needs npm, which is not installed") from error
    tarballs = list(folder.glob("*.tgz"))
    if done.returncode or len(tarballs) != 1:
        raise PlaceError(f"failed ({(done.stderr.strip().splitlines() or ['npm said nothing'])[-1]})")
    return tarballs[0]


_CLIENTS: Mapping[str, tuple[Callable[[str, Path], Path], str]] = {
    "debian": (from_debian, "="),
    "npm": (from_npm, "@"),
    "pypi": (from_pypi, "=="),
}
NOT_EVERYWHERE = frozenset({"debian"})  # and a mirror drops a version when there is a newer one

Download = Callable[[str, str, str | None, Path], Path]


def download(registry: str, name: str, version: str | None, folder: Path) -> Path:
    """One archive into an empty folder; the newest one without a version. Raises `OfflineError`, `StorageError`."""
    client, joint = _CLIENTS[registry]
    try:
        return client(f"{name}{joint}{version}" if version else name, folder)
    except PlaceError as error:
        raise OfflineError(f"{registry}: {name} {version or ''} {error}") from error


def texts(archive: Path) -> Iterator[tuple[str, str]]:
    """Paths and texts of an archive's files that are UTF-8 and not too long; LF line ends."""
    for path, data in _files(archive):
        try:
            yield path, data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue


def _files(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for entry in wheel.infolist():
                if entry.file_size <= LARGEST and not entry.is_dir():
                    yield entry.filename, wheel.read(entry)
    else:
        with tarfile.open(archive) as tarball:
            for member in tarball:
                if member.isfile() and member.size <= LARGEST and (file := tarball.extractfile(member)):
                    yield member.name.partition("/")[2], file.read()


def describe(archive: Path) -> tuple[str, str | None]:
    """Version and permissive licence, if any, of an archive, by its own metadata, or by what Debian put beside it."""
    if dsc := next(archive.parent.glob("*.dsc"), None):
        code = [path for path, _ in texts(archive) if language_of(path)]
        added = archive.parent.glob("*.debian.tar.*")  # none where the format is an old one
        stated = next((text for each in added for path, text in texts(each) if path == "copyright"), "")
        return version_of(dsc.read_text("utf-8")), licence_of(code, stated)
    if archive.suffix == ".whl":
        metadata = next(text for path, text in texts(archive) if path.endswith(".dist-info/METADATA"))
        return archive.name.split("-")[1], licences.of_wheel(metadata)
    package = next(text for path, text in texts(archive) if path == "package.json")
    return licences.version_of_npm(package), licences.of_npm(package)
