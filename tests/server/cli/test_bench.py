"""`sfumato bench denoise`: real places, the engine's own account of them, as a table and as JSON."""

from __future__ import annotations

import json

import pytest

from engine import EngineConfig, ProgressSink, Timings, Usage
from engine.engine import LocalEngine
from engine.models.toy import Toy
from server.cli import main
from server.cli.bench import Measured, together
from server.cli.demo_places import CURSORS
from tests.clients.scripted_engine import ScriptedOpening

KEYS = ["place", "prompt_tokens", "canvas", "tokens", "forwards", "tokens_per_forward", "ms_per_forward", "encode_ms"]


def opening(config: EngineConfig, *, progress: ProgressSink | None = None) -> LocalEngine:
    """A real engine over the toy model."""
    return LocalEngine(Toy(canvas=2, accuracy=0.5), config, {"model": config.model, "device": "none"})


def test_the_json_of_a_real_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "denoise", "--json", "--model", "toy"], open_engine=opening) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["model"], told["device"]) == ("toy", "none")
    assert [place["place"] for place in told["places"]] == [f"{cursor.file}:{cursor.line}" for cursor in CURSORS]
    for place in [*told["places"], told["all"]]:
        assert list(place) == KEYS
        assert 2 <= place["canvas"] <= 4  # proposed and open: the denoiser looks two ahead
        assert place["tokens"] == pytest.approx(place["tokens_per_forward"] * place["forwards"], rel=0.01)
        assert place["ms_per_forward"] > 0
    for key in ("tokens", "forwards", "prompt_tokens"):
        assert told["all"][key] == sum(place[key] for place in told["places"])
    assert set(told["load_average"]) == {"before", "after", "cores"}


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "denoise"], open_engine=opening) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "model embedded" in lines[0]
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if line.startswith((*(cursor.file for cursor in CURSORS), "all"))]
    assert len(rows) == len(CURSORS) + 1
    assert {len(row) for row in rows} == {len(KEYS)}
    assert lines[-1].startswith("load average")


def test_an_engine_that_is_not_asked_or_tells_nothing_is_no_division(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "denoise", "--json"], open_engine=ScriptedOpening({"answers": ["x"]})) == 0
    assert {place["canvas"] for place in json.loads(capsys.readouterr().out)["places"]} == {0}
    assert Measured("nothing", 0, Usage()).fields()["ms_per_forward"] == 0.0


def test_all_is_the_sum_of_the_places_not_the_mean_of_their_ratios() -> None:
    quick = Measured("quick", 3, Usage(10, 0, 2, 8, Timings(encode=5, denoise=20)))
    slow = Measured("slow", 7, Usage(20, 5, 8, 8, Timings(encode=15, denoise=480)))
    expected = ["all", 30, 7, 16, 10, 1.6, 50.0, 20]
    assert together([quick, slow]).fields() == dict(zip(KEYS, expected, strict=True))
