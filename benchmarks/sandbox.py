"""Runs Python and JavaScript programs of unknown origin, confined, limited and gone afterwards; says how they ended.

Linux only (setpriv and unshare of util-linux). It keeps a model's mistakes from the machine; it is no fortress against
an attacker. Knows nothing of benchmarks and engines.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from engine import CancelToken

CHILD = Path(__file__).with_name("confined_child.py")
NODE_CHILD = Path(__file__).with_name("confined_child.cjs")
NOBODY = "65534"
READ_ANYTHING = "-all,+dac_read_search"  # else an interpreter in root's home would not start, or find another library
REPORT_BYTES = 4096
POLL_S = 0.1
GONE_S = 5.0

SELF_TEST = """
import collections, copy, functools, hashlib, heapq, itertools, math, random, re, string, typing
try:
    bytearray({too_much})
except MemoryError:
    pass
else:
    raise AssertionError("memory is not limited")
"""


NODE_SELF_TEST = "console.assert([1, 2].map((one) => one + 1).join() === '2,3')"


class SandboxError(Exception):
    """This machine cannot confine a program."""


class Ending(StrEnum):
    """How a program ended."""

    PASSED = "passed"  # ran to its end
    FAILED = "failed"  # raised
    TIMEOUT = "timeout"  # out of processor or wall-clock time
    KILLED = "killed"  # the process ended before the program did


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one program. Processor time is what counts: a busy machine must not fail a right answer."""

    cpu_seconds: int = 5
    wall_seconds: float = 20.0
    memory_bytes: int = 512 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """`error` is the name of the exception of a program that failed."""

    ending: Ending
    error: str = ""

    @property
    def passed(self) -> bool:
        """Whether the program ran to its end."""
        return self.ending is Ending.PASSED


@dataclass(frozen=True, slots=True)
class Confinement:
    """What the kernel takes away: `namespaces` are unshare's options, `drop_user` leaves root for nobody."""

    namespaces: tuple[str, ...]
    drop_user: bool

    @property
    def description(self) -> str:
        """For the record of a run."""
        spaces = " ".join(option.removeprefix("--") for option in self.namespaces) or "none"
        return f"namespaces: {spaces}; user: {'nobody' if self.drop_user else 'own'}"

    def command(self, arguments: list[str]) -> list[str]:
        """`arguments` so that they run confined, and die with this process."""
        inner = ["setpriv", "--pdeathsig", "KILL", "--no-new-privs"]
        if self.drop_user:
            inner += ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
            inner += ["--inh-caps", READ_ANYTHING, "--ambient-caps", READ_ANYTHING]
        inner += ["--", *arguments]
        if not self.namespaces:
            return inner
        outer = ["setpriv", "--pdeathsig", "KILL", "--", "unshare", *self.namespaces]
        return [*outer, "--fork", "--kill-child", "--", *inner]


CONFINEMENTS = tuple(
    Confinement(namespaces, drop_user)
    for namespaces in (("--net", "--pid", "--ipc"), ("--user", "--map-root-user", "--net", "--pid", "--ipc"), ())
    for drop_user in (True, False)
)
"""Strongest first. A new user namespace maps root alone, so `nobody` does not exist in it and that pair never works."""


class Sandbox:
    """Runs programs one after another under the strongest confinement that this machine allows."""

    def __init__(self, limits: Limits | None = None, folder: Path | None = None) -> None:
        """`folder`: where each program's own is made (None: where the system keeps such). Raises `SandboxError`."""
        self._limits = limits or Limits()
        self._folder = folder
        self.confinement = self._strongest()

    def run(self, program: str, cancel: CancelToken | None = None, language: str = "python") -> Outcome:
        """Run `program` in an empty folder and a new process. Raises `Cancelled`; whatever happens, nothing is left."""
        return self._run(program, self.confinement, cancel or CancelToken(), language)

    def can_run(self, language: str) -> bool:
        """Whether this machine has what runs it: Python always, JavaScript where node is found and works confined."""
        if language == "javascript":
            return shutil.which("node") is not None and self.run(NODE_SELF_TEST, language=language).passed
        return language == "python"

    def _strongest(self) -> Confinement:
        program = SELF_TEST.format(too_much=2 * self._limits.memory_bytes)
        tried = []
        for confinement in CONFINEMENTS:
            try:
                outcome = self._run(program, confinement, CancelToken())
            except FileNotFoundError as error:
                raise SandboxError(f"{error.filename} is missing: candidates need Linux with util-linux") from error
            if outcome.passed:
                return confinement
            tried.append(f"{confinement.description}: {outcome.ending} {outcome.error}".strip())
        raise SandboxError(f"no confinement works here ({'; '.join(tried)})")

    def _run(self, program: str, confinement: Confinement, cancel: CancelToken, language: str = "python") -> Outcome:
        nonce = secrets.token_hex(16)
        order = {
            "nonce": nonce,
            "program": program,
            "cpu_seconds": self._limits.cpu_seconds,
            "memory_bytes": self._limits.memory_bytes,
        }
        made = tempfile.TemporaryDirectory(prefix="sfumato-candidate-", dir=self._folder)
        with made as folder, tempfile.TemporaryFile() as stdin:
            if confinement.drop_user and os.geteuid() == 0:
                os.chown(folder, int(NOBODY), int(NOBODY))
            stdin.write(json.dumps(order).encode())
            stdin.seek(0)
            process = subprocess.Popen(
                confinement.command(self._interpreter(language)),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": folder, "TMPDIR": folder, "PYTHONHASHSEED": "0"},
                start_new_session=True,
            )
            assert process.stdout is not None
            try:
                report = _read_report(process.stdout, time.monotonic() + self._limits.wall_seconds, cancel)
            finally:
                _end(process)
        return _outcome(report, nonce)

    def _interpreter(self, language: str) -> list[str]:
        if language == "python":
            return [sys.executable, "-P", "-s", "-S", "-B", str(CHILD)]
        cpu, memory = self._limits.cpu_seconds, self._limits.memory_bytes
        limits = [f"--cpu={cpu}:{cpu + 1}", f"--data={memory}", f"--fsize={1 << 20}", "--nofile=64", "--core=0"]
        return ["prlimit", *limits, "--", shutil.which("node") or "node", "--v8-pool-size=0", str(NODE_CHILD)]


def _read_report(pipe: IO[bytes], deadline: float, cancel: CancelToken) -> bytes | None:
    """What the child wrote until it closed its end; None when the wall-clock time is up."""
    report = b""
    while True:
        cancel.raise_if_cancelled()
        if (left := deadline - time.monotonic()) <= 0:
            return None
        if not select.select([pipe], [], [], min(left, POLL_S))[0]:
            continue
        chunk = os.read(pipe.fileno(), REPORT_BYTES)
        report += chunk
        if not chunk or len(report) > REPORT_BYTES:
            return report


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole group before its leader is reaped, while the number is still ours, and see it gone."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    with process.stdout as pipe:
        while select.select([pipe], [], [], GONE_S)[0] and os.read(pipe.fileno(), REPORT_BYTES):
            pass  # the end of the pipe shows when the last process that holds it is gone


def _outcome(report: bytes | None, nonce: str) -> Outcome:
    if report is None:
        return Outcome(Ending.TIMEOUT)
    words = report.decode("utf-8", "replace").split()
    match words:
        case [proof, ("passed" | "timeout") as ending] if proof == nonce:
            return Outcome(Ending(ending))
        case [proof, "failed", error] if proof == nonce:
            return Outcome(Ending.FAILED, error)
    return Outcome(Ending.KILLED)
