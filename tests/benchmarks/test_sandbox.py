"""Programs that go wrong in every way a model has found so far."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.sandbox import CONFINEMENTS, Ending, Limits, Outcome, Sandbox, SandboxError
from engine import Cancelled, CancelToken

LIMITS = Limits(cpu_seconds=1, wall_seconds=20.0, memory_bytes=256 << 20)


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(LIMITS, tmp_path)


def failed(error: str) -> Outcome:
    return Outcome(Ending.FAILED, error)


def test_a_program_that_runs_to_its_end_passes(sandbox: Sandbox) -> None:
    assert sandbox.run("assert sum([1, 2]) == 3") == Outcome(Ending.PASSED)


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("assert 1 == 2", "AssertionError"),
        ("(", "SyntaxError"),
        ("import sys\nsys.exit(0)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("def f(): f()\nf()", "RecursionError"),
        ("input()", "EOFError"),
        ("\0", "SyntaxError"),
    ],
)
def test_exceptions_fail_by_name(sandbox: Sandbox, program: str, error: str) -> None:
    assert sandbox.run(program) == failed(error)


def test_leaving_the_process_with_success_is_not_passing(sandbox: Sandbox) -> None:
    assert sandbox.run("import os\nos._exit(0)").ending is Ending.KILLED


def test_noise_on_the_standard_streams_changes_nothing(sandbox: Sandbox) -> None:
    noise = "import os, sys\nprint('x' * 10**6)\nsys.stderr.write('y' * 10**6)\nos.write(1, b'0 passed')\n"
    assert sandbox.run(noise).passed
    assert sandbox.run(noise + "assert False") == failed("AssertionError")


@pytest.mark.parametrize(
    "program", ["while True: pass", "while True:\n    try:\n        while True: pass\n    except: pass"]
)
def test_an_endless_loop_is_out_of_time_even_when_it_swallows_everything(sandbox: Sandbox, program: str) -> None:
    assert sandbox.run(program) == Outcome(Ending.TIMEOUT)


def test_an_endless_call_into_c_is_killed(sandbox: Sandbox) -> None:
    assert sandbox.run("sum(iter(int, 1))").ending is Ending.KILLED


def test_sleeping_is_out_of_time_too_and_leaves_nothing(tmp_path: Path) -> None:
    sandbox = Sandbox(Limits(wall_seconds=1.0), tmp_path)
    began = time.monotonic()
    assert sandbox.run("import time\ntime.sleep(60)") == Outcome(Ending.TIMEOUT)
    assert time.monotonic() - began < 5
    assert nothing_left(tmp_path)


def test_a_memory_bomb_meets_its_limit(sandbox: Sandbox) -> None:
    assert sandbox.run("x = [0] * 10**9") == failed("MemoryError")
    assert sandbox.run("x = 'a'\nwhile True: x += x") == failed("MemoryError")


def test_a_fork_bomb_starts_no_process(sandbox: Sandbox, tmp_path: Path) -> None:
    assert sandbox.run("import os\nwhile True: os.fork()") == failed("PermissionError")
    assert sandbox.run("import subprocess\nsubprocess.run(['true'])") == failed("PermissionError")
    assert nothing_left(tmp_path)


def test_the_kernel_refuses_threads_and_processes_as_well(sandbox: Sandbox) -> None:
    if os.geteuid() == 0 and not sandbox.confinement.drop_user:
        pytest.fail("root could not be left, so the kernel does not count processes")
    assert sandbox.run("import threading\nthreading.Thread(target=print).start()") == failed("RuntimeError")


def test_the_network_is_out_of_reach(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        program = f"import socket\nsocket.create_connection(('127.0.0.1', {server.getsockname()[1]}))"
        assert sandbox.run(program) == failed("PermissionError")
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_network_namespace_has_no_interface_but_its_own_loopback(sandbox: Sandbox) -> None:
    lists = "lines = open('/proc/self/net/dev').read().splitlines()[2:]\n"
    alone = sandbox.run(lists + "assert [line.split(':')[0].strip() for line in lines] == ['lo']").passed
    assert alone or "--net" not in sandbox.confinement.namespaces


def test_the_environment_and_the_folder_are_fresh(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SFUMATO_SECRET", "s3cret")
    program = """
import os
assert "SFUMATO_SECRET" not in os.environ, os.environ
assert os.listdir() == []
open("mine", "w").write("x")
assert os.listdir() == ["mine"]
"""
    assert sandbox.run(program).passed
    assert sandbox.run(program).passed
    assert nothing_left(tmp_path)


def test_files_outside_the_folder_are_neither_written_nor_removed(sandbox: Sandbox) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "kept")
        kept.write_text("kept")
        Path(folder).chmod(0o777)  # so that it is the guard that says no, not the file system
        kept.chmod(0o666)
        assert sandbox.run(f"open({str(kept)!r}, 'w')") == failed("PermissionError")
        assert sandbox.run(f"import os\nos.remove({str(kept)!r})") == failed("PermissionError")
        assert kept.read_text() == "kept"


def test_a_disk_bomb_meets_its_limit(sandbox: Sandbox) -> None:
    assert sandbox.run("open('big', 'wb').write(b'x' * (8 << 20))").ending in (Ending.FAILED, Ending.KILLED)


def test_cancelling_ends_the_program_at_once(sandbox: Sandbox, tmp_path: Path) -> None:
    cancel = CancelToken()
    threading.Timer(0.2, cancel.cancel).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        sandbox.run("import time\ntime.sleep(60)", cancel)
    assert time.monotonic() - began < 2
    assert nothing_left(tmp_path)


def test_candidates_die_with_a_harness_that_is_killed(tmp_path: Path) -> None:
    harness = f"""
from pathlib import Path
from benchmarks.sandbox import Sandbox
sandbox = Sandbox(folder=Path({str(tmp_path)!r}))
print("ready", flush=True)
sandbox.run("import time; time.sleep(60)")
"""
    with subprocess.Popen([sys.executable, "-c", harness], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        wait_until(lambda: candidates(tmp_path) != [])
        process.kill()
    wait_until(lambda: candidates(tmp_path) == [])


def test_a_machine_that_cannot_confine_is_refused_by_name() -> None:
    with pytest.raises(SandboxError, match="no confinement works here"):
        Sandbox(Limits(memory_bytes=1 << 20))


def test_the_strongest_confinement_is_tried_first() -> None:
    assert "--net" in CONFINEMENTS[0].namespaces
    assert CONFINEMENTS[0].drop_user
    assert CONFINEMENTS[-1].namespaces == ()
    assert CONFINEMENTS[-1].description == "namespaces: none; user: own"


def nothing_left(folder: Path) -> bool:
    """No process of a candidate, and no folder."""
    return candidates(folder) == [] and list(folder.iterdir()) == []


def candidates(folder: Path) -> list[str]:
    """The processes that live whose environment points into `folder`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):  # gone, or another user's
            if f"HOME={folder}/".encode() in (process / "environ").read_bytes():
                found.append(str(process))
    return found


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until, "not within 30 s"
        time.sleep(0.02)


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs JavaScript, and there is none here")
@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("console.log(1); console.assert([2].length === 1)", Outcome(Ending.PASSED)),
        ("console.assert(1 === 2, 'no')", failed("AssertionError")),
        ("(", failed("SyntaxError")),
        ("throw 'text'", failed("string")),
        ("require('fs').writeFileSync('/tmp/x', '')", failed("ReferenceError")),
        ("while (true);", Outcome(Ending.KILLED)),
        ("const a = []; for (;;) a.push(new Array(1e6).fill(a))", Outcome(Ending.KILLED)),
        ("this.constructor.constructor('return process')().exit(0)", Outcome(Ending.KILLED)),
    ],
)
def test_javascript_ends_by_name_too(sandbox: Sandbox, program: str, outcome: Outcome) -> None:
    assert sandbox.can_run("javascript")
    assert sandbox.run(program, language="javascript") == outcome


def test_only_what_is_at_hand_can_be_run(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert [sandbox.can_run(language) for language in ("python", "javascript", "go")] == [True, False, False]
