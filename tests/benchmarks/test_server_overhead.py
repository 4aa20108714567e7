"""What the server costs, with an engine that costs nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.server_overhead import documents, main


def test_the_documents_are_as_large_as_they_are_called() -> None:
    small, long, wide = documents(5)
    assert (small.name, long.name, wide.name) == ("small_file", "long_file", "wide_line")
    assert long.text.count("\n") >= 20_000
    assert len(wide.text) >= 2_000_000
    assert "\n" not in wide.text
    for document in (small, long, wide):
        assert document.text.isascii()
        assert all(document.text[place.start : place.end].strip() for place in document.places)


def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--places", "2", "--keys", "1", "--out", str(tmp_path / "out.json")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads((tmp_path / "out.json").read_text())
    for name in ("small_file", "long_file", "wide_line"):
        assert report[name]["asked"] > 0
        assert report[name]["initialize_ms"] > 0
    assert report["small_file"]["single_line_ms"]["n"] > 0
    assert report["machine"]["cpu"]


@pytest.mark.parametrize("bad", [["--places", "many"], ["--places", "0"], ["--keys", "-1"]])
def test_bad_options_are_refused(bad: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(bad)
    assert "usage:" in capsys.readouterr().err
