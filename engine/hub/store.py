"""The hub itself: fetch, verify, list and remove artifacts, and keep what is made of them once.

Its folder: `artifacts/<name>-<digest>/<file>`, with `incoming/` beside the file while it comes;
`derived/<digest>/<recipe>/`; `digests/`, what was hashed; `locks/`, one per digest. Never knows places by name.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..errors import ArtifactError, DigestError, UnknownModelError
from ..request import ProgressSink
from .artifact import Artifact
from .catalogue import ARTIFACTS
from .delivery import deliver
from .derived import build_once
from .digests import DigestMemory
from .disk import held, home, locked, publish, storage
from .meter import Meter

_SHORT = 12  # digits of a digest in the name of a folder


class State(StrEnum):
    """What is known of an artifact without reading it."""

    READY = "ready"
    UNVERIFIED = "unverified"
    DAMAGED = "damaged"
    PARTIAL = "partial"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Status:
    """An artifact on this machine: `held` bytes of it are here, at `path` or on the way there."""

    artifact: Artifact
    path: Path
    state: State
    held: int


@dataclass(frozen=True, slots=True)
class Hub:
    """A cache folder and the artifacts that may lie in it. Safe with several processes at once.

    Names are those of artifacts or of the models they are loaded for; any other raises `UnknownModelError`. Every
    method may raise `StorageError`; a `progress` that raises stops the work, and what came so far is kept.
    """

    home: Path
    artifacts: tuple[Artifact, ...] = ARTIFACTS

    def artifact(self, name: str) -> Artifact:
        """The artifact of that name."""
        for artifact in self.artifacts:
            if name == artifact.name or name in artifact.models:
                return artifact
        known = ", ".join(artifact.name for artifact in self.artifacts)
        raise UnknownModelError(f"no model file is named {name!r}; known: {known}")

    def path_of(self, name: str) -> Path:
        """Where the file lies, or would lie."""
        return self._path(self.artifact(name))

    def status(self, name: str) -> Status:
        """What is known without reading the file."""
        artifact = self.artifact(name)
        path = self._path(artifact)
        if not _exists(path):
            part = held(self._part(artifact))
            return Status(artifact, path, State.PARTIAL if part else State.MISSING, part)
        known = {None: State.UNVERIFIED, artifact.sha256: State.READY}
        return Status(artifact, path, known.get(self._digests.recall(path), State.DAMAGED), held(path))

    def digest_of(self, file: Path, progress: ProgressSink | None = None) -> str:
        """sha256 of any file, read only if it changed since it was last asked for."""
        return self._digests.recall(file) or self._digests.read(file, Meter(progress, "verify", held(file)))

    def fetch(self, name: str, progress: ProgressSink | None = None) -> Path:
        """The verified file, fetched first if it is not here. Raises `OfflineError`, `DigestError`."""
        artifact = self.artifact(name)
        final, part = self._path(artifact), self._part(artifact)
        if self._verified(artifact, progress):
            return final
        with locked(self._lock(artifact.sha256), _waiting(artifact, part, progress)):
            if not self._verified(artifact, progress):
                deliver(artifact, part, final, progress)
                with storage(final):
                    publish(part, final)
                    shutil.rmtree(part.parent)
                self._digests.remember(final, artifact.sha256)
        return final

    def verify(self, name: str, progress: ProgressSink | None = None) -> Path:
        """Read the whole file, whatever is remembered. Raises `DigestError`; `ArtifactError` if it is not here."""
        artifact = self.artifact(name)
        path = self._path(artifact)
        if not _exists(path):
            raise ArtifactError(f"{artifact.name} is not at {path}; fetch it with: sfumato models pull {artifact.name}")
        self._require(artifact, self._digests.read(path, Meter(progress, "verify", held(path))))
        return path

    def remove(self, name: str) -> int:
        """Remove the file, its beginnings and all that was made of it; returns the bytes freed."""
        artifact = self.artifact(name)
        folders = (self._derived(artifact.sha256), self._folder(artifact))

        def in_use() -> None:
            raise ArtifactError(f"another process is fetching or converting {artifact.name}; stop it first")

        with locked(self._lock(artifact.sha256), in_use), storage(self._folder(artifact)):
            freed = sum(held(path) for folder in folders for path in folder.rglob("*") if path.is_file())
            for folder in folders:
                if folder.exists():
                    shutil.rmtree(folder)
            self._digests.forget(self._path(artifact))
        return freed

    def derived(self, digest: str, recipe: str, build: Callable[[Path], None]) -> Path:
        """The folder that `build` fills by `recipe` from the file with that sha256: made once, found ever after.

        `build` is given an empty folder to put plain files into; a torn one is never seen. When what it makes changes,
        so must the recipe's name. `build` must not ask for the same digest again.
        """
        return build_once(self._derived(digest), recipe, build, self._lock(digest))

    def _verified(self, artifact: Artifact, progress: ProgressSink | None) -> bool:
        """Whether the file is here and right. Raises `DigestError` if it is here and wrong."""
        path = self._path(artifact)
        if not _exists(path):
            return False
        self._require(artifact, self.digest_of(path, progress))
        return True

    def _require(self, artifact: Artifact, found: str) -> None:
        if found != artifact.sha256:
            raise DigestError(
                f"{self._path(artifact)} has sha256 {found} where {artifact.sha256} is expected; fetch it again with: "
                f"sfumato models rm {artifact.name} && sfumato models pull {artifact.name}"
            )

    @property
    def _digests(self) -> DigestMemory:
        return DigestMemory(self.home / "digests")

    def _folder(self, artifact: Artifact) -> Path:
        return self.home / "artifacts" / f"{artifact.name}-{artifact.sha256[:_SHORT]}"

    def _path(self, artifact: Artifact) -> Path:
        return self._folder(artifact) / artifact.file

    def _part(self, artifact: Artifact) -> Path:
        return self._folder(artifact) / "incoming" / f"{artifact.file}.part"

    def _derived(self, digest: str) -> Path:
        return self.home / "derived" / digest[:_SHORT]

    def _lock(self, digest: str) -> Path:
        return self.home / "locks" / f"{digest[:_SHORT]}.lock"


def open_hub() -> Hub:
    """The hub of this user: in `SFUMATO_HOME`, or where this system keeps caches."""
    return Hub(home())


def _exists(path: Path) -> bool:
    with storage(path):
        return path.exists()


def _waiting(artifact: Artifact, part: Path, progress: ProgressSink | None) -> Callable[[], None]:
    """What to do while another process has the lock: say so once, then show how far it is."""
    meter = Meter(progress, "download", artifact.size)
    said = False

    def wait() -> None:
        nonlocal said
        if not said:
            meter.say(f"another process is fetching or converting {artifact.name}; waiting for it")
            said = True
        meter.at(held(part))

    return wait
