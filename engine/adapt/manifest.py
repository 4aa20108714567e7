"""The packages that the training data is made of: by name, version, licence and digest. The data is not kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

MANIFEST = Path(__file__).parent / "manifest.jsonl"


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """One archive of a registry. `held_out` packages are for validation and never trained on."""

    registry: str  # debian, npm or pypi
    name: str
    version: str
    licence: str  # SPDX
    sha256: str
    held_out: bool = False


def load_manifest(path: Path = MANIFEST) -> list[Package]:
    """In the order of the file."""
    return [Package(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def save_manifest(packages: Sequence[Package], path: Path = MANIFEST) -> None:
    """One package a line, sorted, so that a change reads as one."""
    path.write_text("".join(f"{json.dumps(asdict(package))}\n" for package in sorted(packages)), "utf-8")
