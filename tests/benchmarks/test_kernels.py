"""What is compared is the same question, and the report says where it was asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks.kernels import NEEDS_A_GPU, SOFTCAP, TEMPERATURE, main, transformers_step
from engine.kernels.sampling import statistics


def test_transformers_step_reads_what_we_read() -> None:
    logits = (8 * torch.randn(12, 500, generator=torch.Generator().manual_seed(0))).bfloat16()
    step = transformers_step(logits)
    read = statistics(logits, TEMPERATURE, SOFTCAP)
    _, best, stop = step()
    assert torch.equal(best[0], read.best)
    assert not stop.any()
    sure = torch.zeros(12, 500).scatter_(1, torch.arange(12)[:, None], 100.0)
    step = transformers_step(sure)
    step()
    accepted, best, stop = step()  # the second time it is stable, and it is confident
    assert (accepted[0].tolist(), best[0].tolist(), stop.tolist()) == ([*range(12)], [*range(12)], [True])


def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert main(["--rows", "2", "3", "--vocabulary", "4099", "--repeats", "1", "--out", str(out)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads(out.read_text())
    assert [one["rows"] for one in report["figures"]] == [2, 3]
    for one in report["figures"]:
        assert one["logits_bytes"] == one["rows"] * 4099 * 2
        assert one["twin"]["ms"] > 0
        assert one["transformers"]["ms"] > 0
        if not torch.cuda.is_available():
            assert one["kernel"] == NEEDS_A_GPU
    assert report["machine"]["cpu"]
    assert (report["gpu"] is None) == (report["device"] == "cpu")
