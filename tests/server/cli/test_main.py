"""The command line as a whole: help, exit codes, and errors in one line."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import DigestError, Engine, EngineConfig, ProgressSink, UnknownModelError, adapt
from server.cli import main

COMMANDS = ["serve", "infill", "rewrite", "models", "adapt", "bench", "doctor", "demo"]


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def raising(error: BaseException) -> Callable[..., Engine]:
    def open_engine(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        raise error

    return open_engine


@pytest.fixture
def infill(tmp_path: Path) -> list[str]:
    (tmp_path / "a.py").write_text("x = \n")
    return ["infill", str(tmp_path / "a.py"), "--line", "0", "--character", "4"]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out.startswith("sfumato 0.")


@pytest.mark.parametrize("argv", [[], *([command] for command in COMMANDS)])
def test_help_teaches(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([*argv, "--help"])
    out = capsys.readouterr().out
    assert f"usage: {' '.join(['sfumato', *argv])}" in out
    assert max(map(len, out.splitlines())) <= 120
    if not argv:
        assert all(f"sfumato {command}" in out for command in COMMANDS), "an example of each"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "required: COMMAND"),
        (["paint"], "invalid choice: 'paint'"),
        (["infill"], "required: FILE"),
        (["infill", "a.py", "--hole", "3"], "'3' is not LINE:CHARACTER-LINE:CHARACTER"),
        (["infill", "a.py", "--line", "-1"], "'-1' is not a number from 0 up"),
        (["infill", "a.py", "--line", "x"], "'x' is not a number from 0 up"),
        (["infill", "a.py", "--mode", "wild"], "invalid choice: 'wild'"),
        (["rewrite", "a.py", "--range", "1:0-0:0", "--instruction", "x"], "ends before it starts"),
        (["rewrite", "a.py", "--range", "0:0-1:0"], "required: --instruction"),
        (["rewrite", "a.py", "--range", "0:0-1:0", "--instruction", "x", "--json", "--write"], "not allowed with"),
        (["serve", "--tcp", "7391"], "'7391' is not HOST:PORT"),
        (["serve", "--tcp", "localhost:99999"], "is not HOST:PORT"),
        (["serve", "--stdio", "--tcp", "localhost:1"], "not allowed with"),
    ],
)
def test_wrong_arguments_are_one_line_and_2(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(argv)
    line = said(capsys)
    assert message in line
    assert "--help" in line


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["serve", "--tcp", "0.0.0.0:7391"], "0.0.0.0 is no loopback address"),
        (["serve", "--tcp", "[::]:7391"], ":: is no loopback address"),
        (["serve", "--tcp", "example.org:7391"], "example.org is no loopback address"),
    ],
)
def test_other_machines_are_not_let_in_unasked(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    assert message in said(capsys)


@pytest.mark.parametrize(
    "error",
    [
        UnknownModelError("no model is named 'x'"),
        DigestError("a.gguf has sha256 1 where 2 is expected;\n fetch it again"),
        OSError(28, "No space left on device"),
    ],
)
def test_what_the_engine_cannot_do_is_one_line_and_1(
    error: Exception, infill: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(infill, open_engine=raising(error)) == 1
    assert said(capsys) == f"sfumato: {' '.join(str(error).split())}\n"


def test_an_interrupt_is_quiet_and_130(infill: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(infill, open_engine=raising(KeyboardInterrupt())) == 130
    assert capsys.readouterr() == ("", "")


def test_the_model_is_named_everywhere(tmp_path: Path, infill: list[str]) -> None:
    asked: list[str] = []

    def open_engine(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        asked.append(config.model)
        raise UnknownModelError("stop here")

    rewrite = ["rewrite", infill[1], "--range", "0:0-0:4", "--instruction", "x"]
    for argv in (infill, rewrite):
        assert main([*argv, "--model", "causal"], open_engine=open_engine) == 1
    assert asked == ["causal", "causal"]


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"set -o pipefail; {{ sleep 0.2; {sys.executable} -m server models list --json; }} | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_ctrl_c_while_the_engine_works(infill: list[str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = (
        "import sys; from server.cli import main; from tests.clients.scripted_engine import ScriptedOpening;"
        f"opening = ScriptedOpening({{'answers': [{{'texts': ['1'], 'delay_s': 30}}], 'log': {str(log)!r}}});"
        f"sys.exit(main({infill!r}, open_engine=opening))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 20
        while not log.exists() and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=10) == (b"", b"")
    assert process.returncode == 130


def test_the_default_model_is_the_one_that_was_chosen(infill: list[str]) -> None:
    asked: list[str] = []

    def open_engine(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        asked.append(config.model)
        raise UnknownModelError("enough")

    runs = adapt.open_runs()
    runs.create_from("mine", adapt.Recipe(), [], [])
    (runs.folder / "mine" / "best").mkdir()
    runs.choose("mine")
    main(infill, open_engine=open_engine)
    main([*infill, "--model", "causal"], open_engine=open_engine)
    runs.choose(None)
    main(infill, open_engine=open_engine)
    assert asked == ["mine", "causal", "embedded"]
