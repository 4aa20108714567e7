"""Adds packages to the manifest: `python -m engine.adapt.pin [--held-out] pypi:NAME npm:NAME debian:SOURCE ...`.

For maintainers. Takes the newest version, reads its licence, and refuses what is not permissive.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from ..errors import AdaptError, SfumatoError
from ..hub.digests import sha256_of
from ..hub.meter import Meter
from .manifest import Package, load_manifest, save_manifest
from .registries import describe, download


def main() -> int:
    """Pin each package; what is refused is named, and the rest goes in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="+", metavar="REGISTRY:NAME")
    parser.add_argument("--held-out", action="store_true", help="for validation only")
    asked = parser.parse_args()
    refused = 0
    for wanted in asked.packages:
        registry, _, name = wanted.partition(":")
        known = [package for package in load_manifest() if (package.registry, package.name) != (registry, name)]
        try:
            save_manifest([*known, _pinned(registry, name, asked.held_out)])
            print(f"{wanted}: pinned", flush=True)
        except SfumatoError as error:
            refused += 1
            print(f"{wanted}: {error}", file=sys.stderr, flush=True)
    return 1 if refused else 0


def _pinned(registry: str, name: str, held_out: bool) -> Package:
    with tempfile.TemporaryDirectory() as folder:
        archive = download(registry, name, None, Path(folder))
        version, licence = describe(archive)
        if licence is None:
            raise AdaptError(f"{name} {version} states no permissive licence")
        return Package(registry, name, version, licence, sha256_of(archive, Meter(None, "verify", 0)), held_out)


if __name__ == "__main__":
    sys.exit(main())
