"""Which files must not be read: a built-in deny list, `.sfumatoignore`, and the user's own patterns.

Holds for completing a file as for showing it to the model as context. Names are matched whatever their case, and a
symbolic link is judged by its own name and by all that it leads through. Reads the disk only for `file:` documents.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pathspec import GitIgnoreSpec

from .snapshot import Snapshot

IGNORE_FILE = ".sfumatoignore"

# gitignore syntax, lower case
DENIED = (
    *("id_*", "!id_*.*", "!id_*/"),  # keys, but not id_generator.py; first, so that nothing below is let in by it
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
    *(".env*", "*.env", ".envrc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".git-credentials"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdb", "*.kdbx", "*.gpg"),
    *(".ssh/", ".gnupg/", ".aws/", ".azure/", ".kube/", ".docker/config.json", ".dockercfg"),
    *("secrets*", "*.secret", "*.secrets", "credentials", "credentials.*", ".htpasswd", "*.tfstate", "*.tfvars"),
)
_MOST_LINKS = 40  # as Linux has it

log = logging.getLogger(__name__)


def is_excluded(snapshot: Snapshot, exclude: tuple[str, ...]) -> bool:
    """Whether the document must be left alone; `exclude` is the user's, in gitignore syntax."""
    if snapshot.file is not None:
        return is_file_excluded(snapshot.file, exclude)
    return _is_denied(snapshot.path or snapshot.uri.partition(":")[2], exclude)


def is_file_excluded(file: Path, exclude: tuple[str, ...]) -> bool:
    """The same for a file on disk, by all of its names: a link's own, and those that it leads through."""
    return any(_is_denied(name.as_posix(), exclude) or _is_ignored(name) for name in _names(file))


def _is_denied(path: str, exclude: tuple[str, ...]) -> bool:
    return _spec(tuple(map(_anywhere, (*DENIED, *exclude)))).match_file(_folded(path).lstrip("/"))


def _anywhere(pattern: str) -> str:
    """`a/b` without a leading slash means any such place: there is no folder it could be relative to."""
    negation, plain = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    within = "/" in plain.rstrip("/") and not plain.startswith(("/", "**/"))
    return f"{negation}**/{plain}" if within else pattern


def _folded(text: str) -> str:
    """What some file system takes for the same name is the same here: whatever its case and how accents are spelled."""
    return unicodedata.normalize("NFC", text.casefold())


@lru_cache(maxsize=64)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(line for pattern in patterns if _is_pattern(line := _folded(pattern)))


def _is_pattern(line: str) -> bool:
    """Git passes over a line that is no pattern; so do we, but say so."""
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error) as error:
        log.warning("exclude pattern %r is passed over: %s", line, error)
        return False
    return True


def _names(file: Path) -> Iterator[Path]:
    """`file`, what it is called after each symbolic link on its way, and its real path."""
    yield file
    done, waiting = Path(file.anchor), list(reversed(file.parts[1:]))
    for _ in range(_MOST_LINKS):
        while waiting and (target := _target(done := done / waiting.pop())) is None:
            pass
        if target is None:
            break
        done = done.parent / target  # an absolute one takes its place
        waiting, done = [*waiting, *reversed(done.parts[1:])], Path(done.anchor)
        yield done.joinpath(*reversed(waiting))
    try:
        yield file.resolve()  # without `..`, and by its long name on Windows
    except (OSError, RuntimeError, ValueError):  # a loop of links, or a name the system does not take
        return


def _target(link: Path) -> Path | None:
    try:
        return link.readlink()
    except (OSError, ValueError):  # no link, or a name the system does not take
        return None


def _is_ignored(file: Path) -> bool:
    """What the ignore files above `file` say of it, read as git reads its own: the lowest with an opinion decides, but
    nothing below an ignored folder comes back."""
    folders = [*reversed(file.parents)]
    specs: list[tuple[Path, GitIgnoreSpec]] = []
    for folder, entry in zip(folders, [*folders[1:], file], strict=True):
        patterns = _patterns_in(folder)
        if patterns is None:
            return True
        if patterns:
            specs.append((folder, _spec(patterns)))
        opinions = [_opinion(spec, entry.relative_to(at), entry is not file) for at, spec in specs]
        if next((told for told in reversed(opinions) if told is not None), False):
            return True
    return False


def _opinion(spec: GitIgnoreSpec, path: Path, is_folder: bool) -> bool | None:
    """What the last pattern that means this very entry says; pathspec's own answer is about all above it as well."""
    name = _folded(path.as_posix())
    return next(
        (one.include for one in reversed(spec.patterns) if one.regex and _means(one.regex, name, is_folder)), None
    )


def _means(pattern: re.Pattern[str], name: str, is_folder: bool) -> bool:
    if "ps_d" not in pattern.groupindex:  # pathspec's group for the slash after a folder
        return bool(pattern.search(name))
    whole = name + "/" * is_folder
    return any(match.end("ps_d") in (-1, len(whole)) for match in pattern.finditer(whole))


def _patterns_in(folder: Path) -> tuple[str, ...] | None:
    """The lines of the folder's ignore file; None for one that cannot be read: then nothing below it is."""
    try:
        return tuple((folder / IGNORE_FILE).read_text(encoding="utf-8-sig").splitlines())
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read, so nothing below it is: %s", folder / IGNORE_FILE, error)
        return None
