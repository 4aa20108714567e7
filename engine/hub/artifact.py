"""What an artifact is, and what a place that serves it must do. Knows no place by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .meter import Meter


class PlaceError(Exception):
    """A place that does not deliver. Never leaves the hub: it goes over to the next place."""


class Place(Protocol):
    """Somewhere an artifact's bytes can be had. Never trusted: the digest is."""

    @property
    def label(self) -> str:
        """What people call it."""

    def extend(self, part: Path, meter: Meter) -> None:
        """Append to `part`, a beginning of the file (perhaps absent), until it holds `meter.total` bytes.

        Whatever stops it, the bytes in `part` remain a beginning of the file, and a later call goes on from there.
        Raises `PlaceError`; `DigestError` for bytes known to be wrong; `StorageError`; and what `meter`'s sink raises.
        """


@dataclass(frozen=True, slots=True)
class Artifact:
    """One published file. `size` in bytes, `sha256` in lower case, `models` the names it is loaded for."""

    name: str
    file: str
    size: int
    sha256: str
    licence: str
    models: tuple[str, ...]
    places: tuple[Place, ...]
