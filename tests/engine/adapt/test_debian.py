"""Debian's sources by way of apt, and their licences file by file."""

from __future__ import annotations

import os
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from engine.adapt.debian import _options, licence_of
from engine.adapt.registries import describe, download
from engine.errors import OfflineError

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2020, Somebody
License: Expat

Files: lib/*
       sample/one.c
Copyright: 2021, Somebody else
License: MIT or Apache-2.0

Files: lib/other.?
Copyright: 2022, A third
License: GPL-2+
 This is the text, which says MIT as well.

License: Expat
 Permission is hereby granted
"""


@pytest.mark.parametrize(
    ("paths", "licence"),
    [
        (["main.c"], "MIT"),
        (["lib/deep/a.c", "sample/one.c"], "MIT"),
        (["main.c", "lib/other.c"], None),  # the last paragraph that names it holds
        (["main.c", "lib/other.cc"], "MIT"),
        ([], None),
    ],
)
def test_the_last_paragraph_that_names_a_file_is_its_licence(paths: list[str], licence: str | None) -> None:
    assert licence_of(paths, COPYRIGHT) == licence


def test_every_permissive_licence_is_named() -> None:
    stated = "Files: *\nLicense: Expat\n\nFiles: b/*\nLicense: BSD-3-clause and ISC\n"
    assert licence_of(["a.c", "b/c.c"], stated) == "BSD-3-Clause AND ISC AND MIT"


def test_a_file_that_no_paragraph_names_or_a_copyright_in_prose_is_refused() -> None:
    assert licence_of(["a.c"], "Files: b/*\nLicense: Expat\n") is None
    assert licence_of(["a.c"], "This package is under the MIT license.\n") is None


def put(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:xz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, BytesIO(text.encode()))


APT = """#!/bin/sh
echo "$@" >> "$LOG"
case "$*" in
  *indextargets*) printf 'deb-src http://mirror.invalid/debian stable main\\n%.0s' 1 2 ;;
  *update*) cat "$(echo "$*" | sed 's/.*Dir::Etc::sourcelist=\\([^ ]*\\).*/\\1/')" >> "$LOG" ;;
  *absent*) echo "W: a warning" >&2; echo "E: Unable to find it" >&2; echo "E: And more" >&2; exit 100 ;;
  *) cp "$POOL"/* . ;;
esac
"""


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What an apt-get that only says it is one delivers."""
    tools, pool = tmp_path / "tools", tmp_path / "pool"
    tools.mkdir()
    pool.mkdir()
    (tools / "apt-get").write_text(APT)
    (tools / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("POOL", str(pool))
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    (pool / "x_1.0-2.dsc").write_text("Format: 3.0 (quilt)\nSource: x\nVersion: 1:1.0-2\n")
    put(pool / "x_1.0-2.debian.tar.xz", {"debian/control": "", "debian/copyright": COPYRIGHT})
    put(pool / "x_1.0.orig.tar.xz", {"x-1.0/main.c": "int main;\n", "x-1.0/lib/other.m4": "divert\n"})
    (pool / "x_1.0.orig.tar.xz.asc").write_text("signature")
    _options.cache_clear()
    return pool


def into(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_the_upstream_tarball_by_version_from_where_apt_has_its_binaries(pool: Path, tmp_path: Path) -> None:
    archive = download("debian", "x", "1:1.0-2", into(tmp_path / "a"))
    assert archive.name == "x_1.0.orig.tar.xz"
    assert describe(archive) == ("1:1.0-2", "MIT")  # what is under another licence is no code of ours
    download("debian", "x", None, into(tmp_path / "b"))
    targets, update, source, first, second = (tmp_path / "log").read_text().splitlines()
    assert targets.startswith("-q indextargets --format deb-src ")
    assert update.endswith(" update")
    assert source == "deb-src http://mirror.invalid/debian stable main"  # once, and asked for once
    assert first.endswith(" source --download-only --only-source x=1:1.0-2")
    assert second.endswith(" source --download-only --only-source x")
    assert "-o Dir::State::lists=" in second


def test_code_under_another_licence_is_refused(pool: Path, tmp_path: Path) -> None:
    put(pool / "x_1.0.orig.tar.xz", {"x-1.0/main.c": "int main;\n", "x-1.0/lib/other.c": "int other;\n"})
    assert describe(download("debian", "x", None, into(tmp_path / "a"))) == ("1:1.0-2", None)


def test_what_debian_adds_as_a_patch_states_nothing_that_is_read(pool: Path, tmp_path: Path) -> None:
    (pool / "x_1.0-2.debian.tar.xz").unlink()
    assert describe(download("debian", "x", None, into(tmp_path / "a"))) == ("1:1.0-2", None)


def test_what_apt_says_is_passed_on(pool: Path, tmp_path: Path) -> None:
    with pytest.raises(OfflineError, match=r"debian: absent 1 failed \(E: Unable to find it\)"):
        download("debian", "absent", "1", into(tmp_path / "a"))
    for tarball in pool.glob("*.orig.*"):
        tarball.unlink()
    with pytest.raises(OfflineError, match="has no upstream tarball"):
        download("debian", "native", None, into(tmp_path / "b"))


def test_without_apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _options.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OfflineError, match="needs apt-get, which is not installed"):
        download("debian", "x", None, into(tmp_path / "a"))
