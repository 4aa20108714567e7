from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.log import close_log, describe, log_fault, log_folder, open_log


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    close_log()
    for name in ("pygls", "asyncio", "concurrent.futures"):
        logging.getLogger(name).propagate = True


def test_the_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SFUMATO_HOME", str(tmp_path))
    assert log_folder() == tmp_path / "log"
    monkeypatch.delenv("SFUMATO_HOME")
    assert "sfumato" in str(log_folder())


def test_ours_is_written_and_what_quotes_the_user_is_not(tmp_path: Path) -> None:
    path = open_log(tmp_path / "new" / "log")
    assert path is not None
    logging.getLogger("server.runner").info("opened")
    logging.getLogger("pygls.protocol").error("Failed to handle notification: password = 1")
    try:
        raise ValueError("password = 2")
    except ValueError as error:
        log_fault("a request", error)
    written = path.read_text(encoding="utf-8")
    assert "opened" in written
    assert "a request raised ValueError at test_log.py" in written
    assert "password = " not in written.replace('raise ValueError("password = 2")', "")  # our own source line


def test_it_rotates(tmp_path: Path) -> None:
    path = open_log(tmp_path)
    assert path is not None
    for _ in range(15):
        logging.getLogger("server").info("x" * 100_000)
    assert path.stat().st_size <= 1_000_000
    assert (tmp_path / "sfumato.log.1").exists()


def test_a_folder_that_cannot_be_written_is_said_and_no_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert open_log(tmp_path / "file") is None
    assert "no log file" in capsys.readouterr().err


def test_an_exception_that_was_never_raised_has_no_place() -> None:
    assert describe(KeyError("secret")) == "KeyError"
