"""`sfumato doctor` on this machine, with an empty cache."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from server.cli import main

CHECKS = ["python", "processor", "memory", "torch", "threads", "grammars", "cache", "model", "editors"]


def test_every_check_has_a_line_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    said = [line.split()[:2] for line in lines if "->" not in line]
    assert [name for _, name in said] == CHECKS
    assert {verdict for verdict, _ in said} <= {"ok", "warn"}
    assert code == 0
    assert any("-> " in line and "sfumato models pull embedded-base" in line for line in lines)


def test_json_and_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--model", "unknown"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert not answer["ok"]
    assert [check["name"] for check in answer["checks"]] == CHECKS
    failed = [check for check in answer["checks"] if check["verdict"] == "fail"]
    assert [check["name"] for check in failed] == ["model"]
    assert all(check["seen"] for check in answer["checks"])
    assert all(check["advice"] for check in answer["checks"] if check["verdict"] != "ok")


def test_it_imports_no_torch() -> None:
    code = "import sys; from server.cli import main; main(['doctor']); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
