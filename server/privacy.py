"""Which files must not be read: a built-in deny list, `.sfumatoignore`, and the user's own patterns.

Holds for completing a file as for showing it to the model as context. Names are matched whatever their case, and a
symbolic link is judged by its own name and by what it points to. Reads the disk only for `file:` documents.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pathspec import GitIgnoreSpec

from .snapshot import Snapshot

IGNORE_FILE = ".sfumatoignore"

# gitignore syntax, lower case
DENIED = (
    *(".env*", "*.env", ".envrc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".git-credentials"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdb", "*.kdbx", "*.gpg"),
    *("id_*", "!id_*.*", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),  # keys, but not id_generator.py
    *(".ssh/", ".gnupg/", ".aws/", ".azure/", ".kube/", ".docker/config.json", ".dockercfg"),
    *("secrets*", "*.secret", "*.secrets", "credentials", "credentials.*", ".htpasswd", "*.tfstate", "*.tfvars"),
)

log = logging.getLogger(__name__)


def is_excluded(snapshot: Snapshot, exclude: tuple[str, ...]) -> bool:
    """Whether the document must be left alone; `exclude` is the user's, in gitignore syntax."""
    names = [snapshot.path or snapshot.uri.partition(":")[2]]
    if snapshot.file is not None:
        names.append(_real(snapshot.file).as_posix())
    patterns = tuple(map(_anywhere, (*DENIED, *exclude)))
    if any(_matches(patterns, name) for name in names):
        return True
    return snapshot.file is not None and any(_is_ignored(Path(name)) for name in names)


def _anywhere(pattern: str) -> str:
    """`a/b` without a leading slash means any such place: there is no folder it could be relative to."""
    negation, plain = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    within = "/" in plain.rstrip("/") and not plain.startswith(("/", "**/"))
    return f"{negation}**/{plain}" if within else pattern


def _matches(patterns: tuple[str, ...], path: str) -> bool:
    return _spec(patterns).match_file(path.lower().lstrip("/"))


@lru_cache(maxsize=64)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(line for pattern in patterns if _is_pattern(line := pattern.lower()))


def _is_pattern(line: str) -> bool:
    """Git passes over a line that is no pattern; so do we, but say so."""
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error) as error:
        log.warning("exclude pattern %r is passed over: %s", line, error)
        return False
    return True


def _real(file: Path) -> Path:
    try:
        return file.resolve()
    except (OSError, RuntimeError):  # a loop of links, or a name the system does not take
        return file


def _is_ignored(file: Path) -> bool:
    """Whether an ignore file in one of the folders above names `file`."""
    for folder, patterns in _ignore_files(file):
        if patterns is None or _matches(patterns, file.relative_to(folder).as_posix()):
            return True
    return False


def _ignore_files(file: Path) -> Iterator[tuple[Path, tuple[str, ...] | None]]:
    """Folder and patterns of each ignore file above `file`; None for one that cannot be read: then nothing below is."""
    for folder in file.parents:
        candidate = folder / IGNORE_FILE
        try:
            patterns: tuple[str, ...] | None = tuple(candidate.read_text(encoding="utf-8").splitlines())
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            log.warning("%s cannot be read, so nothing below it is: %s", candidate, error)
            patterns = None
        yield folder, patterns
