"""Runs one program of unknown origin. Started by `sandbox.py` as a script, in a process of its own, by path.

Standard input brings one JSON object {nonce, program, cpu_seconds, memory_bytes}; standard output gets one line back,
`<nonce> passed`, `<nonce> failed <ExceptionName>` or `<nonce> timeout`. No line: the program ended the process.
Imports nothing of this project and nothing outside the standard library.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys

DENIED = (
    "socket.",
    "subprocess.",
    "ctypes.",
    "shutil.",
    "resource.setrlimit",
    "os.fork",
    "os.exec",
    "os.posix_spawn",
    "os.system",
    "os.kill",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def limit(cpu_seconds: int, memory_bytes: int) -> None:
    """Kernel limits, which no code in this process can lift again (unless it is root: the caller drops the user)."""
    for kind, soft, hard in (
        (resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 1),
        (resource.RLIMIT_AS, memory_bytes, memory_bytes),
        (resource.RLIMIT_FSIZE, 1 << 20, 1 << 20),
        (resource.RLIMIT_NOFILE, 64, 64),
        (resource.RLIMIT_NPROC, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        resource.setrlimit(kind, (soft, hard))


def guard(folder: str) -> None:
    """An audit hook, which cannot be removed: no sockets, no processes, no writing outside `folder`."""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(DENIED):
            raise PermissionError(f"{event} is not allowed here")
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING:
            path = arguments[0]
            if isinstance(path, str | bytes) and not os.path.realpath(os.fsdecode(path)).startswith(folder + os.sep):
                raise PermissionError("writing outside the working folder is not allowed here")

    sys.addaudithook(hook)


def silence() -> int:
    """Point standard input, output and error at nothing; return the descriptor that the report goes to."""
    report_to = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    return report_to


def main() -> None:
    """Read, confine, run, report."""
    order = json.loads(sys.stdin.buffer.read())
    report_to = silence()
    write, leave = os.write, os._exit

    def report(outcome: str) -> None:
        write(report_to, f"{order['nonce']} {outcome}\n".encode())
        leave(0)

    signal.signal(signal.SIGXCPU, lambda *_: report("timeout"))
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - lives as long as the process; the first one is read to its end
    limit(order["cpu_seconds"], order["memory_bytes"])
    guard(os.path.realpath("."))
    try:
        exec(compile(order["program"], "<candidate>", "exec"), {})
    except BaseException as error:  # noqa: BLE001 - whatever a candidate raises, SystemExit too, is a failure
        report(f"failed {type(error).__name__}")
    report("passed")


if __name__ == "__main__":
    main()
