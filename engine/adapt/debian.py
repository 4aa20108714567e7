"""Debian's source packages as a registry: fetched by apt from the mirrors it is set up with, licences file by file.

Where apt has binary packages from, it has their sources: asked for the former's places, it is given the same places for
sources, in a state folder of its own, so that nothing of the system's changes and nobody need be root.
"""

from __future__ import annotations

import re
import subprocess
from atexit import register
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock

from ..hub.artifact import PlaceError
from .licences import permissive

_SOURCES = ("--format", "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages")
_STARTING = Lock()


def from_debian(requirement: str, folder: Path) -> Path:
    """The upstream tarball of `name` or `name=version`; `folder` also holds what Debian adds. Raises `PlaceError`."""
    with _STARTING:
        options = _options()
    _apt_get(*options, "source", "--download-only", "--only-source", requirement, at=folder)
    tarballs = [path for path in folder.glob("*.orig.tar.*") if path.suffix != ".asc"]
    if len(tarballs) != 1:
        raise PlaceError("has no upstream tarball")
    return tarballs[0]


@cache
def _options() -> list[str]:
    """Those that point apt to a state folder, which has the newest lists of sources and goes with the process."""
    own = Path(mkdtemp(prefix="apt-"))
    register(rmtree, own, ignore_errors=True)
    (own / "lists/partial").mkdir(parents=True)
    (own / "sources.list").write_text("".join(sorted(set(_apt_get("indextargets", *_SOURCES, at=own)))), "utf-8")
    settings = {
        "Dir::Etc::sourcelist": own / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": own / "lists",
        "Dir::Cache": own / "cache",
        "APT::Sandbox::User": "root",  # as whoever asks: another user may not write here
        "Acquire::Retries": 2,
    }
    options = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]
    _apt_get(*options, "update", at=own)
    return options


def _apt_get(*arguments: str, at: Path) -> list[str]:
    try:
        done = subprocess.run(["apt-get", "-q", *arguments], capture_output=True, text=True, check=False, cwd=at)
    except FileNotFoundError as error:
        raise PlaceError("needs apt-get, which is not installed") from error
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("E:")] or ["apt-get said nothing"]
        raise PlaceError(f"failed ({said[0]})")
    return done.stdout.splitlines(keepends=True)


def licence_of(paths: Iterable[str], copyright_file: str) -> str | None:
    """The permissive licence of these files by a `debian/copyright`, as SPDX; None if one of them has another.

    Its format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/; of the paragraphs that name a file
    the last one holds.
    """
    paragraphs = list(_paragraphs(copyright_file))
    found: set[str] = set()
    for path in paths:
        stated = [licence for pattern, licence in paragraphs if pattern.fullmatch(path)]
        if not stated or (licence := permissive(stated[-1])) is None:
            return None
        found.update(licence.split(" AND "))
    return " AND ".join(sorted(found)) or None


def _paragraphs(copyright_file: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """Which paths, and the licence's short name, of each paragraph that is about files."""
    for paragraph in re.split(r"\n[ \t]*\n", copyright_file):
        fields = dict(re.findall(r"^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph, re.MULTILINE))
        if "Files" in fields:
            globs = (re.escape(glob).replace(r"\*", ".*").replace(r"\?", ".") for glob in fields["Files"].split())
            yield re.compile("|".join(globs)), fields.get("License", "").partition("\n")[0].strip()


def version_of(dsc: str) -> str:
    """The version that a source package's description states."""
    found = re.search(r"^Version: (\S+)$", dsc, re.MULTILINE)
    assert found, "every one has it"
    return found[1]
