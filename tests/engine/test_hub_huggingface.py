"""The Hugging Face Hub as a place, against an HTTP server on this machine."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from engine import StorageError
from engine.hub.artifact import PlaceError
from engine.hub.huggingface import HuggingFace
from engine.hub.meter import Meter

from .hub_fakes import DATA, Serving, Sink, serving


def extend(part: Path, how: Serving, sink: Sink | None = None) -> None:
    with serving(how) as endpoint:
        HuggingFace("owner/repo", "tiny.bin", endpoint).extend(part, Meter(sink, "download", len(DATA)))


def test_it_brings_the_file(tmp_path: Path) -> None:
    sink = Sink()
    extend(tmp_path / "part", Serving(), sink)
    assert (tmp_path / "part").read_bytes() == DATA
    assert sink.seen[-1].done == len(DATA)


def test_it_follows_a_redirect_with_its_range(tmp_path: Path) -> None:
    how = Serving(redirects=True)
    (tmp_path / "part").write_bytes(DATA[:5000])
    extend(tmp_path / "part", how)
    assert how.ranges == ["bytes=5000-"]
    assert (tmp_path / "part").read_bytes() == DATA


def test_it_goes_on_where_a_transfer_broke_off(tmp_path: Path) -> None:
    how = Serving(breaks=[70_000, 10_000])
    extend(tmp_path / "part", how)
    assert (tmp_path / "part").read_bytes() == DATA
    assert how.ranges == [None, "bytes=70000-", "bytes=80000-"]


def test_a_server_that_does_not_resume_is_taken_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "part").write_bytes(b"x" * 5000)
    extend(tmp_path / "part", Serving(resumes=False))
    assert (tmp_path / "part").read_bytes() == DATA


def test_it_gives_up_where_tries_bring_nothing_and_keeps_what_it_has(tmp_path: Path) -> None:
    how = Serving(breaks=[1000, 0, 0, 0, 0])
    with pytest.raises(PlaceError, match="ended early"):
        extend(tmp_path / "part", how)
    assert len(how.ranges) == 5
    assert (tmp_path / "part").read_bytes() == DATA[:1000]


def test_a_refusal_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match="answered 404 Not Found"):
        extend(tmp_path / "part", Serving(status=404))
    assert not (tmp_path / "part").exists()


def test_a_page_instead_of_the_file_is_not_taken_for_its_bytes(tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match="offers 11 bytes where 307,200 are expected"):
        extend(tmp_path / "part", Serving(data=b"please pay!"))
    assert not (tmp_path / "part").exists()


def test_a_closed_door_is_said_at_once_whatever_was_there(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{unused.getsockname()[1]}"
        (tmp_path / "part").write_bytes(b"begun")
        began = time.monotonic()
        with pytest.raises(PlaceError, match=r"cannot be reached \(.*refused\)"):
            HuggingFace("owner/repo", "tiny.bin", endpoint).extend(tmp_path / "part", Meter(None, "download", 10))
    assert time.monotonic() - began < 2
    assert (tmp_path / "part").read_bytes() == b"begun"


def test_a_silent_server_is_left_when_patience_ends(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        place = HuggingFace("owner/repo", "tiny.bin", f"http://127.0.0.1:{silent.getsockname()[1]}", patience=0.2)
        began = time.monotonic()
        with pytest.raises(PlaceError, match=r"gave no answer within 0\.2 s"):
            place.extend(tmp_path / "part", Meter(None, "download", 10))
        assert time.monotonic() - began < 2


def test_patience_ends_before_five_seconds() -> None:
    assert HuggingFace("owner/repo", "tiny.bin").patience < 5


def test_an_answer_that_comes_too_late_is_closed(tmp_path: Path) -> None:
    with socket.socket() as late:
        late.bind(("127.0.0.1", 0))
        late.listen()
        place = HuggingFace("owner/repo", "tiny.bin", f"http://127.0.0.1:{late.getsockname()[1]}", patience=0.1)
        with pytest.raises(PlaceError):
            place.extend(tmp_path / "part", Meter(None, "download", 10))
        connection, _ = late.accept()
        with connection:
            connection.settimeout(5)
            while not connection.recv(65536).endswith(b"\r\n\r\n"):
                pass
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            assert connection.recv(1) == b""


def test_only_http_is_spoken(tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match="has no http address"):
        HuggingFace("owner/repo", "tiny.bin", "file:///etc").extend(tmp_path / "part", Meter(None, "download", 10))


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="SFUMATO_HOME"):
        extend(tmp_path / "file" / "part", Serving())
