"""Bring an artifact's bytes here from the first of its places that delivers them. Never knows a place by name."""

from __future__ import annotations

from pathlib import Path

from ..errors import DigestError, OfflineError
from ..request import ProgressSink
from .artifact import Artifact, Place, PlaceError
from .digests import sha256_of
from .disk import held, require_room, storage
from .meter import Meter


def deliver(artifact: Artifact, part: Path, final: Path, progress: ProgressSink | None) -> None:
    """Make `part` the whole artifact, digest checked; `final` is where a user without a network may put the file.

    What stands in `part` already is taken as its beginning. Raises `OfflineError`, `StorageError`, and `DigestError`
    if a place answered with other bytes and no other place had the right ones.
    """
    with storage(part):
        part.parent.mkdir(parents=True, exist_ok=True)
        require_room(part.parent, artifact.size - held(part))
    meter = Meter(progress, "download", artifact.size)
    meter.at(held(part))
    failures: list[str] = []
    kind: type[DigestError | OfflineError] = OfflineError
    for place in artifact.places:
        meter.say("; ".join([*failures[-1:], f"fetching {artifact.name} from {place.label}"]))
        try:
            _fetch(artifact, place, part, meter, progress)
        except PlaceError as error:
            failures.append(f"{place.label} {error}")
        except DigestError as error:
            failures.append(str(error))
            kind = DigestError
        else:
            return
    raise kind(
        f"{artifact.name} could not be fetched: {'; '.join(failures)}. To do without a network, copy {artifact.file} "
        f"({artifact.size:,} bytes, sha256 {artifact.sha256}) to {final}"
    )


def _fetch(artifact: Artifact, place: Place, part: Path, meter: Meter, progress: ProgressSink | None) -> None:
    """From one place; anew if what had come earlier, perhaps from another place, turns out to be wrong."""
    while True:
        resumed = held(part) > 0
        place.extend(part, meter)
        found = sha256_of(part, Meter(progress, "verify", artifact.size))
        if found == artifact.sha256:
            return
        with storage(part):
            part.unlink()
        if not resumed:
            raise DigestError(
                f"{artifact.file} from {place.label} has sha256 {found} where {artifact.sha256} is expected"
            )
        meter.say(f"what an earlier try had left of {artifact.name} is damaged; fetching it anew")
