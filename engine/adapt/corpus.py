"""The training texts, made from the manifest: fetched by digest, cleaned, and kept outside the project.

`python -m engine.adapt.corpus FOLDER --benchmarks FOLDER` writes `train.jsonl`, `held_out.jsonl` and `report.json`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import ArtifactError, DigestError, OfflineError
from ..hub.digests import sha256_of
from ..hub.meter import Meter
from .cleaning import NearDuplicates, Overlap, is_written, language_of
from .manifest import Package, load_manifest
from .registries import NOT_EVERYWHERE, Download, download, texts

_AT_ONCE = 4  # downloads


@dataclass(frozen=True, slots=True)
class Document:
    """One file: where it is from, and its text with LF line ends."""

    package: str
    path: str
    language: str
    text: str


def load_documents(path: Path) -> list[Document]:
    """A file that `build_corpus` wrote."""
    return [Document(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def save_documents(documents: Sequence[Document], path: Path) -> None:
    """One document a line."""
    path.write_text("".join(f"{json.dumps(asdict(document))}\n" for document in documents), "utf-8")


def build_corpus(
    packages: Sequence[Package], folder: Path, benchmarks: Path | None, download: Download = download
) -> dict[str, Any]:
    """Write both corpora and the report into `folder`, which also keeps the archives. Raises `ArtifactError`.

    Packages of a registry that not every machine has may be missing: the report says which, under `not_reached`.
    Held-out packages come first, so that what they share with others is lost to training, not to validation.
    """
    overlap = Overlap(benchmark_texts(benchmarks) if benchmarks else ())
    duplicates, counts = NearDuplicates(), Counter[str]()
    kept: dict[bool, list[Document]] = {True: [], False: []}
    not_reached: list[str] = []
    ordered = sorted(packages, key=lambda package: (not package.held_out, package))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        archives = pool.map(lambda each: _reached(each, folder, download), ordered)
        for package, archive in zip(ordered, archives, strict=True):
            if isinstance(archive, OfflineError):
                not_reached.append(str(archive))
                continue
            for document in _documents(package, archive):
                counts["files"] += 1
                if reason := _refused(document, duplicates, overlap):
                    counts[reason] += 1
                else:
                    kept[package.held_out].append(document)
    save_documents(kept[False], folder / "train.jsonl")
    save_documents(kept[True], folder / "held_out.jsonl")
    report: dict[str, Any] = {
        "packages": len(packages) - len(not_reached),
        "not_reached": not_reached,
        "counts": counts,
    }
    report["overlap_checked"] = benchmarks is not None
    report |= {name: _languages(kept[held]) for name, held in (("train", False), ("held_out", True))}
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    return report


def _refused(document: Document, duplicates: NearDuplicates, overlap: Overlap) -> str | None:
    if not is_written(document.text):
        return "generated, minified, tiny or numbers"
    if overlap(document.text):
        return "overlap with a benchmark"
    return "near-duplicate" if duplicates.seen(document.text) else None


def _languages(documents: Sequence[Document]) -> dict[str, dict[str, int]]:
    files, characters = Counter[str](), Counter[str]()
    for document in documents:
        files[document.language] += 1
        characters[document.language] += len(document.text)
    return {name: {"files": files[name], "characters": characters[name]} for name, _ in characters.most_common()}


def _reached(package: Package, folder: Path, download: Download) -> Path | OfflineError:
    try:
        return fetched(package, folder, download)
    except OfflineError as error:
        if package.registry in NOT_EVERYWHERE:
            return error
        raise


def fetched(package: Package, folder: Path, download: Download) -> Path:
    """The package's archive, its digest checked; from an earlier build if it is there."""
    kept = folder / "archives"
    kept.mkdir(parents=True, exist_ok=True)
    stem = f"{package.registry}-{package.name.replace('/', '-')}-{package.version}"
    for archive in kept.glob(f"{stem}.*"):
        if _digest(archive) == package.sha256:
            return archive
    with tempfile.TemporaryDirectory(dir=folder) as incoming:
        archive = download(package.registry, package.name, package.version, Path(incoming))
        if (found := _digest(archive)) != package.sha256:
            raise DigestError(f"{archive.name} has sha256 {found} where the manifest has {package.sha256}")
        return archive.replace(kept / f"{stem}{archive.suffix}")


def _digest(archive: Path) -> str:
    return sha256_of(archive, Meter(None, "verify", 0))


def _documents(package: Package, archive: Path) -> Iterator[Document]:
    for path, text in texts(archive):
        if language := language_of(path):
            yield Document(f"{package.registry}:{package.name}", path, language, text)


def benchmark_texts(folder: Path) -> Iterator[str]:
    """Every string in the benchmarks' JSON lines; each record's are also read as one text, as a program has them."""
    for path in sorted(folder.rglob("*.jsonl*")):
        data = path.read_bytes()
        for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines():
            yield "\n".join(value for value in json.loads(line).values() if isinstance(value, str))


def main(argv: Sequence[str] | None = None) -> int:
    """Build from the manifest; prints the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--benchmarks", type=Path, help="folder of benchmark data: what resembles it is left out")
    asked = parser.parse_args(argv)
    try:
        print(json.dumps(build_corpus(load_manifest(), asked.folder, asked.benchmarks), indent=2))
    except ArtifactError as error:
        print(f"corpus: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
