"""The prepared GPU run: the shape is the published one, and all of it runs, small, on a CPU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks.diffusion_gemma import PUBLISHED, SMALL, main, random_body, summary, ways
from benchmarks.peak import Cost

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")


def test_the_shape_has_as_many_weights_as_the_published_model() -> None:
    body = random_body(PUBLISHED, 256, torch.device("meta"))
    text = sum(weight.numel() for name, weight in body.named_parameters() if "vision" not in name)
    assert text == pytest.approx(25.2e9, rel=0.005)
    assert {weight.dtype for weight in body.parameters()} == {torch.bfloat16}
    assert torch.get_default_dtype() == torch.float32


def test_both_take_equal_steps() -> None:
    body = random_body(SMALL, 16, torch.device("cpu"))
    run = ways(body, 20)
    for steps in (1, 3):
        assert run["kernel"](steps).steps == run["multinomial"](steps).steps == steps  # type: ignore[attr-defined]
        answer = run["transformers"](steps)
        assert float(answer.tokens_per_forward) == pytest.approx(16 / steps)  # type: ignore[attr-defined]


def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    asked = ["--small", "--steps", "3", "--prompt", "12", "--repeats", "1", "--out", str(out)]
    assert main(asked) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads(out.read_text())
    assert (report["shape"], report["steps"], report["canvas"]) == ("small", 3, 16)
    for way in ("kernel", "multinomial", "transformers"):
        assert list(report[way]) == ["ms", "ms_per_forward", "tokens_per_second", "extra_bytes"]
    assert report["machine"]["cpu"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 1
    assert "needs a GPU with 60 GiB free" in capsys.readouterr().err


def test_the_prompt_falls_out_of_the_time_of_a_forward() -> None:
    assert summary(Cost(130.0, 5), Cost(280.0, 7), 16, 256) == {
        "ms": 280.0,
        "ms_per_forward": 10.0,
        "tokens_per_second": pytest.approx(914.3, abs=0.1),
        "extra_bytes": 7,
    }
