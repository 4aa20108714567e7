"""What a request cost, for programs and for people."""

from __future__ import annotations

import json

import pytest

from engine import Candidate, InfillResult, Mode, RewriteResult, StopReason, Timings, Usage
from server.cli.report import Report, print_json, range_of
from server.positions import Lines
from server.suggestion import Refused

USAGE = Usage(prompt_tokens=50, forwards=4, tokens=10, ms=Timings(encode=20, denoise=100, total=125))
INFILL = InfillResult((Candidate(("x",), StopReason.END),), "embedded", Mode.LOSSLESS, USAGE)


def test_the_keys_of_an_infill() -> None:
    assert Report.of(INFILL, None, "embedded", 2000).fields() == {
        "stop_reason": "end",
        "refused": None,
        "model": "embedded",
        "mode": "lossless",
        "forwards": 4,
        "tokens": 10,
        "tokens_per_forward": 2.5,
        "ms": {"load": 2000, "encode": 20, "denoise": 100, "total": 2125},
    }


def test_an_engine_that_loads_late_says_so_itself() -> None:
    usage = Usage(ms=Timings(load=300, encode=20, denoise=100, total=425))
    result = RewriteResult("x", StopReason.LENGTH, "embedded", usage)
    report = Report.of(result, None, "embedded", 5)
    assert report.ms == {"load": 300, "encode": 20, "denoise": 100, "total": 425}
    assert (report.mode, report.stop_reason) == ("rewrite", "length")


def test_a_refusal_before_the_engine_was_asked() -> None:
    report = Report.of(None, Refused.EXCLUDED, "embedded", 10)
    fields = report.fields()
    assert (fields["refused"], fields["stop_reason"], fields["mode"], fields["forwards"]) == ("excluded", None, None, 0)
    assert "refused: excluded" in report.line()


def test_the_line_for_people() -> None:
    assert Report.of(INFILL, None, "embedded", 0).line() == (
        "embedded lossless · stopped by end · 10 tokens in 4 forwards (2.5 each) · "
        "ms: load 0, encode 20, denoise 100, total 125"
    )


def test_ranges_count_utf_16() -> None:
    assert range_of(Lines("🙂a\nb"), 1, 4) == {"start": {"line": 0, "character": 2}, "end": {"line": 1, "character": 1}}


def test_json_keeps_characters(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": "é🙂\r\n"})
    out = capsys.readouterr().out
    assert "é🙂" in out
    assert json.loads(out) == {"text": "é🙂\r\n"}
