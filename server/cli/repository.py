"""Which files of a repository may be learnt from, and their texts. Only reads."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ..privacy import is_file_excluded
from .arguments import UsageError

_LARGEST = 200_000  # bytes; longer files are data


def read_repository(path: Path, exclude: tuple[str, ...]) -> list[tuple[str, str]]:
    """(path below `path`, text with LF line ends) of what git tracks or would, less what must not be read.

    Links are not followed: what they lead to is read where it lies, if it is here. Raises `UsageError` if git says no.
    """
    files = []
    for name in _listed(path):
        file = path / name
        if not file.is_symlink() and file.is_file() and not is_file_excluded(file.absolute(), exclude):
            data = file.read_bytes() if file.stat().st_size <= _LARGEST else b"\0"
            if b"\0" not in data:
                files.append((name, data.decode("utf-8", "replace").replace("\r\n", "\n")))
    return files


def _listed(path: Path) -> list[str]:
    """git's own answer to what is ignored: nested files, global ones and all."""
    # fsmonitor names a program, which git would run for whoever lists the files
    git = ["git", "-C", str(path), "-c", "core.fsmonitor=false"]
    command = [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise UsageError("git is needed to tell which files are ignored, and is not installed") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
        raise UsageError(f"{path} is not in a git repository, so what to leave out is not known ({said[-1]})")
    return sorted(name for name in done.stdout.decode("utf-8", "surrogateescape").split("\0") if name)
