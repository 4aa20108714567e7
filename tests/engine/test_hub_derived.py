"""What is made of an artifact: once, whole, and by one process at a time."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from engine import StorageError
from engine.hub import Hub

from .hub_fakes import outcome, start_worker, wait_until

DIGEST = "ab" * 32


def build(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "weights").write_bytes(b"12345")


def never(folder: Path) -> None:
    raise AssertionError("it is built already")


def test_it_is_built_once_and_found_ever_after(tmp_path: Path) -> None:
    first = Hub(tmp_path).derived(DIGEST, "int8-v1", build)
    assert (first / "sub" / "weights").read_bytes() == b"12345"
    assert Hub(tmp_path).derived(DIGEST, "int8-v1", never) == first


def test_another_recipe_or_digest_is_another_folder(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    folders = {
        hub.derived(digest, recipe, build) for digest in (DIGEST, "cd" * 32) for recipe in ("int8-v1", "int8-v2")
    }
    assert len(folders) == 4


def test_a_build_that_fails_leaves_nothing_and_can_be_tried_again(tmp_path: Path) -> None:
    hub = Hub(tmp_path)

    def fail(folder: Path) -> None:
        build(folder)
        raise ValueError("no such tensor")

    with pytest.raises(ValueError, match="no such tensor"):
        hub.derived(DIGEST, "int8-v1", fail)

    assert list((tmp_path / "derived").rglob("*")) == [tmp_path / "derived" / DIGEST[:12]]
    assert hub.derived(DIGEST, "int8-v1", build).exists()


def test_a_full_disk_is_a_storage_error(tmp_path: Path) -> None:
    def fill(folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(folder / "weights"))

    with pytest.raises(StorageError, match=r"no room on the disk for .*weights"):
        Hub(tmp_path).derived(DIGEST, "int8-v1", fill)


@pytest.mark.parametrize("harm", ["shorter", "file gone", "marker torn", "marker gone", "marker of another kind"])
def test_what_is_not_whole_is_built_again(tmp_path: Path, harm: str) -> None:
    folder = Hub(tmp_path).derived(DIGEST, "int8-v1", build)
    weights, marker = folder / "sub" / "weights", folder / "complete.json"
    match harm:
        case "shorter":
            weights.write_bytes(b"1")
        case "file gone":
            weights.unlink()
        case "marker torn":
            marker.write_text('{"sub/wei')
        case "marker gone":
            marker.unlink()
        case "marker of another kind":
            marker.write_text("[]")

    again = Hub(tmp_path).derived(DIGEST, "int8-v1", build)

    assert (again / "sub" / "weights").read_bytes() == b"12345"


@pytest.mark.parametrize("recipe", ["", "../x", "a/b", ".hidden", "a b"])
def test_a_recipe_is_a_plain_name(tmp_path: Path, recipe: str) -> None:
    with pytest.raises(ValueError, match="not a plain name"):
        Hub(tmp_path).derived(DIGEST, recipe, build)


def test_two_processes_build_once(tmp_path: Path) -> None:
    workers = [start_worker(tmp_path, "build", "0.3") for _ in range(2)]
    outcomes = [outcome(worker) for worker in workers]
    assert [code for code, _ in outcomes] == [0, 0]
    assert sorted(output.count("building") for _, output in outcomes) == [0, 1]


def test_a_killed_build_is_never_seen_and_does_not_block(tmp_path: Path) -> None:
    worker = start_worker(tmp_path, "build", "60")
    making = tmp_path / "derived" / DIGEST[:12] / ".slow-v1"
    wait_until((making / "half").exists)
    worker.kill()
    worker.communicate(timeout=10)

    code, output = outcome(start_worker(tmp_path, "build", "0"))

    assert code == 0, output
    assert (making.parent / "slow-v1" / "whole").read_bytes() == b"w"
    assert not making.exists()
