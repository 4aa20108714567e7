"""The server stays as it began: a short run, and one that is long enough to see memory grow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.soak import main

GROWTH = 4 << 20  # bytes within the second half: what allocators and caches of fixed size need


def test_a_short_soak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seconds", "3", "--out", str(tmp_path / "out.json")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads((tmp_path / "out.json").read_text())
    assert report["requests"]["asked"] == report["requests"]["answered"] + report["requests"]["cancelled"] > 50
    assert report["counts"]["left"] == report["counts"]["idle"]
    assert report["faults"] == []


@pytest.mark.slow
def test_two_minutes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seconds", "120"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["per_second"] > 15
    assert report["resident_bytes"]["last"] - report["resident_bytes"]["middle"] < GROWTH
