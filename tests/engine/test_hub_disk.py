"""Several processes, killed ones, and full disks: the hub over a real HTTP server, in processes of their own."""

from __future__ import annotations

import errno
import sys
import threading
from pathlib import Path

import pytest

from engine import StorageError
from engine.hub import Hub, State
from engine.hub.disk import appending, locked, storage

from .hub_fakes import DATA, Serving, artifact, outcome, serving, start_worker, wait_until


def files(home: Path) -> set[str]:
    return {path.name for path in (home / "artifacts").rglob("*") if path.is_file()}


def test_two_processes_at_once_fetch_once(tmp_path: Path) -> None:
    how = Serving(pause=0.02)
    with serving(how) as endpoint:
        workers = [start_worker(tmp_path, "fetch", endpoint) for _ in range(2)]
        outcomes = [outcome(worker) for worker in workers]
    assert [code for code, _ in outcomes] == [0, 0], outcomes
    assert how.ranges == [None]
    assert files(tmp_path) == {"tiny.bin"}


def test_a_waiting_process_says_so(tmp_path: Path) -> None:
    hub = Hub(tmp_path, (artifact(),))
    lock = tmp_path / "locks" / f"{hub.artifacts[0].sha256[:12]}.lock"
    with serving(Serving()) as endpoint:
        with locked(lock, lambda: None):
            worker = start_worker(tmp_path, "fetch", endpoint)
            assert worker.stdout is not None
            assert "another process is fetching or converting tiny-base; waiting" in worker.stdout.readline()
        code, output = outcome(worker)
    assert code == 0, output


def test_a_killed_download_goes_on_where_it_was(tmp_path: Path) -> None:
    how = Serving(pause=0.05)
    hub = Hub(tmp_path, (artifact(),))
    with serving(how) as endpoint:
        worker = start_worker(tmp_path, "fetch", endpoint)
        wait_until(lambda: hub.status("tiny-base").held > 40_000)
        worker.kill()
        worker.communicate(timeout=10)
        left = hub.status("tiny-base")
        assert left.state is State.PARTIAL
        how.pause = 0
        code, output = outcome(start_worker(tmp_path, "fetch", "env", HF_ENDPOINT=endpoint))
    assert code == 0, output
    assert how.ranges == [None, f"bytes={left.held}-"]
    assert hub.path_of("tiny-base").read_bytes() == DATA
    assert files(tmp_path) == {"tiny.bin"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a file")
def test_a_disk_that_fills_up_is_said_in_one_line_and_nothing_half_stands_in_the_place(tmp_path: Path) -> None:
    hub = Hub(tmp_path, (artifact(),))
    with serving(Serving()) as endpoint:
        code, output = outcome(start_worker(tmp_path, "fetch-limited", endpoint, "100000"))
        assert code == 1
        assert output.splitlines()[-1].startswith("StorageError: no room on the disk for ")
        assert hub.status("tiny-base").state is State.PARTIAL
        code, output = outcome(start_worker(tmp_path, "fetch", endpoint))
    assert code == 0, output
    assert hub.path_of("tiny-base").read_bytes() == DATA


def test_a_lock_lets_one_in_at_a_time_and_the_other_waits(tmp_path: Path) -> None:
    waited = threading.Event()
    order: list[str] = []

    def second() -> None:
        with locked(tmp_path / "lock", waited.set):
            order.append("second")

    with locked(tmp_path / "lock", lambda: None):
        thread = threading.Thread(target=second)
        thread.start()
        assert waited.wait(5)
        order.append("first")
    thread.join(5)
    assert order == ["first", "second"]


def test_appending_cuts_off_what_follows(tmp_path: Path) -> None:
    path = tmp_path / "new" / "part"
    with appending(path, 0) as write:
        write(b"abcdef")
    with appending(path, 2) as write:
        write(b"XY")
    assert path.read_bytes() == b"abXY"


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "no room on the disk for"),
        (errno.EACCES, "no permission to write"),
        (errno.EROFS, "no permission to write"),
        (errno.EIO, "cannot use"),
    ],
)
def test_errors_of_the_disk_say_what_to_do(tmp_path: Path, number: int, says: str) -> None:
    with pytest.raises(StorageError, match=f"{says} {tmp_path}.*SFUMATO_HOME"), storage(tmp_path):
        raise OSError(number, "as the system says")


def test_other_errors_pass_through(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not the disk's"), storage(tmp_path):
        raise ValueError("not the disk's")
