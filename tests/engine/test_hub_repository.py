"""A repository of the Hub as a folder, against a server on this machine that answers as the Hub does."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from engine.errors import ArtifactError, Cancelled, OfflineError, StorageError, UnknownModelError
from engine.hub.repository import Repository, is_repository
from engine.request import Progress

from .hub_fakes import Sink

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "config.json": b'{"model_type": "tiny"}',
    "model.safetensors": bytes(range(256)) * 4000,
    "modeling_tiny.py": b"raise SystemExit",
    "pytorch_model.bin": b"pickle",
    "original/other.safetensors": b"other",
}
WANTED = ("*.safetensors", "config.json", "tokenizer.json")


@dataclass
class FakeHub:
    """What it serves, with which status it answers for the repository, and the files that were asked for."""

    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    status: int = 200
    error: str = ""
    asked: list[str] = field(default_factory=list)


@contextmanager
def hub_server(hub: FakeHub) -> Iterator[str]:
    """Its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, body: bool) -> None:
            path = self.path.partition("?")[0]
            if hub.status != 200:
                self._send(hub.status, b"{}", body, {"X-Error-Code": hub.error} if hub.error else {})
            elif path.startswith("/api/models/owner/tiny/tree/"):
                listed = [{"type": "file", "path": p, "size": len(d), "oid": _digest(d)} for p, d in hub.files.items()]
                self._send(200, json.dumps(listed).encode(), body, {})
            elif path.startswith("/api/models/owner/tiny"):
                self._send(200, json.dumps({"id": "owner/tiny", "sha": COMMIT, "siblings": []}).encode(), body, {})
            else:
                name = path.split("/resolve/")[1].partition("/")[2]
                if body:
                    hub.asked.append(name)
                data = hub.files[name]
                self._send(200, data, body, {"ETag": f'"{_digest(data)}"', "X-Repo-Commit": COMMIT})

        def _send(self, status: int, data: bytes, body: bool, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if body:
                self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def _digest(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


def test_names_of_repositories() -> None:
    assert is_repository("google/diffusiongemma-26B-A4B-it")
    assert not any(map(is_repository, ("embedded", "a/b/c", "/a/b", "./model", "a/", "~/models/a", "C:\\models\\a")))


def test_it_fetches_what_is_wanted_and_nothing_else(tmp_path: Path) -> None:
    hub, sink = FakeHub(), Sink()
    with hub_server(hub) as endpoint:
        repository = Repository("owner/tiny", WANTED, tmp_path, endpoint)
        assert repository.kept() is None
        files = repository.files()
        assert files["model.safetensors"] == len(FILES["model.safetensors"])
        assert "pytorch_model.bin" in files
        assert repository.read("config.json") == FILES["config.json"]
        assert repository.kept() is None  # having read one file is not having it
        hub.asked.clear()
        folder = repository.fetch(files, sink)
    assert sorted(hub.asked) == ["config.json", "model.safetensors"]
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]
    assert (folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert sink.seen[-1].done == sink.seen[-1].total == len(FILES["model.safetensors"]) + len(FILES["config.json"])
    assert repository.kept() == folder  # and the server is gone


def test_a_fetch_that_was_stopped_is_not_taken_for_whole_and_goes_on(tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.done > len(FILES["config.json"]):
            raise Cancelled("enough")

    hub = FakeHub()
    with hub_server(hub) as endpoint:
        repository = Repository("owner/tiny", WANTED, tmp_path, endpoint)
        with pytest.raises(Cancelled, match="enough"):
            repository.fetch(repository.files(), stop)
        assert repository.kept() is None
        folder = repository.fetch(repository.files())
    assert repository.kept() == folder
    assert (folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]


def test_without_a_network_it_says_so_in_a_line(tmp_path: Path) -> None:
    with hub_server(FakeHub()) as endpoint:
        pass  # nothing listens there any more
    with pytest.raises(
        OfflineError, match="owner/tiny is not here, and the Hugging Face Hub cannot be reached"
    ) as said:
        Repository("owner/tiny", WANTED, tmp_path, endpoint).files()
    assert "\n" not in str(said.value)


def test_a_name_the_hub_does_not_know(tmp_path: Path) -> None:
    hub = FakeHub(status=404, error="RepoNotFound")
    with hub_server(hub) as endpoint, pytest.raises(UnknownModelError, match="shows no repository owner/tiny"):
        Repository("owner/tiny", WANTED, tmp_path, endpoint).files()


def test_terms_that_were_not_accepted(tmp_path: Path) -> None:
    hub = FakeHub(status=403, error="GatedRepo")
    with (
        hub_server(hub) as endpoint,
        pytest.raises(ArtifactError, match="after its terms are accepted: do so at https"),
    ):
        Repository("owner/tiny", WANTED, tmp_path, endpoint).files()


def test_a_disk_without_the_room_is_told_before_anything_comes(tmp_path: Path) -> None:
    hub = FakeHub()
    with hub_server(hub) as endpoint:
        repository = Repository("owner/tiny", WANTED, tmp_path, endpoint)
        with pytest.raises(StorageError, match=r"owner/tiny needs 1000000\.0 GB of disk"):
            repository.fetch({"model.safetensors": 10**15})
    assert hub.asked == []
