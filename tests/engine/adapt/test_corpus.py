"""The corpus from a manifest: by digest, cleaned, held out by package, and what was left out is counted."""

from __future__ import annotations

import json
import tarfile
import zipfile
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from engine.adapt.corpus import build_corpus, load_documents
from engine.adapt.manifest import MANIFEST, Package, load_manifest, save_manifest
from engine.adapt.registries import describe, texts
from engine.errors import DigestError, OfflineError

METADATA = "Metadata-Version: 2.4\nName: x\nVersion: 1.0\nLicense-Expression: MIT\n"


def code(stem: str) -> str:
    return "".join(f"def {stem}_{name}(value):\n    return {stem} * value + {name!r}\n\n\n" for name in "abcdefgh")


def wheel(folder: Path, name: str, files: dict[str, str]) -> Path:
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in {f"{name}-1.0.dist-info/METADATA": METADATA, **files}.items():
            archive.writestr(inside, text)
    return path


def tarball(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "other-2.0.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(data)
            archive.addfile(entry, BytesIO(data))
    return path


def placed(folder: Path, archive: Path, registry: str, name: str, version: str) -> Package:
    """As an earlier build left it."""
    kept = folder / "archives"
    kept.mkdir(parents=True, exist_ok=True)
    digest = sha256(archive.read_bytes()).hexdigest()
    archive.replace(kept / f"{registry}-{name}-{version}{archive.suffix}")
    return Package(registry, name, version, "MIT", digest)


def test_what_is_kept_and_what_is_counted(tmp_path: Path) -> None:
    benchmarks = tmp_path / "benchmarks"
    benchmarks.mkdir()
    (benchmarks / "set.jsonl").write_text(json.dumps({"task": code("solved"), "number": 3}) + "\n")
    files = {
        "x/good.py": code("good"),
        "x/again.py": code("good"),
        "x/tiny.py": "x = 1\n",
        "x/benchmark.py": code("solved"),
        "x/shared.py": code("shared"),
        "x/_vendor/y.py": code("vendored"),
    }
    package = placed(tmp_path, wheel(tmp_path, "x", files), "pypi", "x", "1.0")
    other = tarball(tmp_path, {"lib/shared.js": code("shared").encode(), "lib/latin.js": b"// caf\xe9\n" * 99})
    held_out = replace(placed(tmp_path, other, "npm", "other", "2.0"), held_out=True)
    report = build_corpus([package, held_out], tmp_path, benchmarks)
    assert [(d.package, d.path, d.language) for d in load_documents(tmp_path / "train.jsonl")] == [
        ("pypi:x", "x/good.py", "python")
    ]
    assert [d.path for d in load_documents(tmp_path / "held_out.jsonl")] == ["lib/shared.js"]
    assert report["counts"] == {
        "files": 6,
        "near-duplicate": 2,
        "generated, minified, tiny or numbers": 1,
        "overlap with a benchmark": 1,
    }
    assert json.loads((tmp_path / "report.json").read_text())["train"]["python"]["files"] == 1


def test_other_bytes_than_the_manifests_are_refused(tmp_path: Path) -> None:
    package = Package("pypi", "x", "1.0", "MIT", "a" * 64)
    with pytest.raises(DigestError, match="where the manifest has aaaa"):
        build_corpus([package], tmp_path, None, lambda _r, _n, _v, folder: wheel(folder, "x", {}))


def test_what_not_every_machine_has_may_be_missing_and_is_named(tmp_path: Path) -> None:
    def unreachable(registry: str, name: str, version: str | None, folder: Path) -> Path:
        raise OfflineError(f"{registry}: {name} {version} cannot be reached")

    kept = placed(tmp_path, wheel(tmp_path, "x", {"x/good.py": code("good")}), "pypi", "x", "1.0")
    debian = Package("debian", "y", "2.0-1", "MIT", "b" * 64)
    report = build_corpus([kept, debian], tmp_path, None, unreachable)
    assert (report["packages"], report["not_reached"]) == (1, ["debian: y 2.0-1 cannot be reached"])
    assert [document.path for document in load_documents(tmp_path / "train.jsonl")] == ["x/good.py"]
    with pytest.raises(OfflineError, match="npm: z"):
        build_corpus([kept, replace(debian, registry="npm", name="z")], tmp_path, None, unreachable)


def test_an_archive_says_its_version_and_licence(tmp_path: Path) -> None:
    assert describe(wheel(tmp_path, "x", {})) == ("1.0", "MIT")
    package = json.dumps({"version": "2.0", "license": "GPL-3.0"}).encode()
    assert describe(tarball(tmp_path, {"package.json": package})) == ("2.0", None)


def test_line_ends_are_lf_and_long_files_are_left_out(tmp_path: Path) -> None:
    archive = wheel(tmp_path, "x", {"a.py": "x\r\ny\n", "b.py": "z" * 200_001})
    assert dict(texts(archive)) == {"x-1.0.dist-info/METADATA": METADATA, "a.py": "x\ny\n"}


def test_a_manifest_survives_its_file_and_is_sorted(tmp_path: Path) -> None:
    packages = [Package("pypi", "b", "1", "MIT", "0"), Package("npm", "a", "2", "ISC", "1", held_out=True)]
    save_manifest(packages, tmp_path / "m.jsonl")
    assert load_manifest(tmp_path / "m.jsonl") == sorted(packages)


def test_the_manifest_names_permissive_packages_once() -> None:
    packages = load_manifest(MANIFEST)
    permitted = {"MIT", "BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "PSF-2.0", "ISC"}
    assert all(set(package.licence.split(" AND ")) <= permitted for package in packages)
    assert len({(package.registry, package.name) for package in packages}) == len(packages) > 100
    assert any(package.held_out for package in packages)
