"""Stand-ins for what lies outside the hub: places, an HTTP server, wheels, and another process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from engine import Progress
from engine.hub import Artifact, Place
from engine.hub.artifact import PlaceError
from engine.hub.disk import appending, held
from engine.hub.meter import Meter
from engine.hub.wheels import Wheel

DATA = bytes(range(256)) * 1200  # 307,200 bytes: more than one chunk of a transfer


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def artifact(*places: Place, data: bytes = DATA, name: str = "tiny-base") -> Artifact:
    return Artifact(name, "tiny.bin", len(data), sha256(data), "Apache-2.0", ("tiny",), places)


@dataclass
class FakePlace:
    """Serves `data`; stops after `until` bytes with a `PlaceError`. Counts how often it was asked."""

    data: bytes = DATA
    label: str = "the first place"
    until: int | None = None
    asked: int = 0
    started_at: list[int] = field(default_factory=list)

    def extend(self, part: Path, meter: Meter) -> None:
        self.asked += 1
        start = held(part)
        self.started_at.append(start)
        with appending(part, start) as write:
            write(self.data[start : self.until])
            meter.at(held(part))
        if self.until is not None:
            raise PlaceError("broke off")


@dataclass
class Sink:
    """A progress sink that remembers."""

    seen: list[Progress] = field(default_factory=list)

    def __call__(self, progress: Progress) -> None:
        self.seen.append(progress)

    @property
    def said(self) -> list[str]:
        return [progress.text for progress in self.seen if progress.text]


@dataclass
class Serving:
    """How the HTTP server answers. `breaks`: bytes sent before each of the first answers is cut off."""

    data: bytes = DATA
    status: int = 200
    resumes: bool = True
    breaks: list[int] = field(default_factory=list)
    pause: float = 0.0
    redirects: bool = False
    ranges: list[str | None] = field(default_factory=list)


@contextmanager
def serving(how: Serving) -> Iterator[str]:
    """An HTTP server on this machine; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if how.redirects and not self.path.startswith("/moved"):
                self.send_response(302)
                self.send_header("Location", "/moved" + self.path)
                self.end_headers()
                return
            wanted = self.headers.get("Range")
            how.ranges.append(wanted)
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and how.resumes else 0
            body = how.data[start:]
            self.send_response(206 if start else how.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self._send(body[: how.breaks.pop(0)] if how.breaks else body)

        def _send(self, body: bytes) -> None:
            step = 16384 if how.pause else len(body)
            try:
                for start in range(0, len(body), max(step, 1)):
                    self.wfile.write(body[start : start + step])
                    time.sleep(how.pause)
            except OSError:  # the client is gone, killed by its test
                return

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


def make_wheel(folder: Path, name: str, data: bytes, member: str = "data/part01.bin") -> Path:
    """A wheel that pip takes, holding `data` as one part."""
    package = name.replace("-", "_")
    path = folder / f"{package}-1.0-py3-none-any.whl"
    info = f"{package}-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{package}/__init__.py", "raise ImportError('a wheel of the hub must not be imported')\n")
        archive.writestr(f"{package}/{member}", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def wheel_of(path: Path, name: str, size: int) -> Wheel:
    return Wheel(name, "1.0", sha256(path.read_bytes()), size)


def start_worker(home: Path, *arguments: str, **env: str) -> subprocess.Popen[str]:
    """Another process of ours, running `hub_worker` on the hub at `home`."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engine.hub_worker", *arguments],
        env=os.environ | env | {"SFUMATO_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome(worker: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and output of a worker."""
    out, err = worker.communicate(timeout=30)
    return worker.returncode, out + err


def wait_until(true: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)
