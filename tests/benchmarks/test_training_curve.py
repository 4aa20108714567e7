"""The picture of a training: hours add up over sittings, values are where they belong."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.training_curve import HEIGHT, LEFT, WIDTH, main, panels, svg
from engine.adapt import CurvePoint

SVG = "{http://www.w3.org/2000/svg}"


def point(step: int, hours: float, **figures: float) -> CurvePoint:
    return CurvePoint(step, step * 9, hours * 3600, 1e-4, 1.0, figures)


def test_sittings_follow_each_other() -> None:
    first = [point(0, 0.0, end=6.0, exact=0.0), point(9, 1.0, end=1.0, exact=0.1)]
    drawn = panels([first, [point(0, 0.0, end=1.0), point(5, 0.5, end=0.5)]])
    assert [panel.name for panel in drawn] == ["end", "exact"]
    assert drawn[0].points == [(0.0, 6.0), (1.0, 1.0), (1.0, 1.0), (1.5, 0.5)]


def test_points_are_drawn_to_scale() -> None:
    root = ElementTree.fromstring(
        svg(panels([[point(0, 0.0, end=6.0), point(9, 1.0, end=3.0), point(18, 2.0, end=0.0)]]))
    )
    circles = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in root.iter(f"{SVG}circle")]
    assert [x for x, _ in circles] == pytest.approx([LEFT, LEFT + WIDTH / 2, LEFT + WIDTH])
    top = circles[0][1]
    assert [y - top for _, y in circles] == pytest.approx([0, HEIGHT / 2, HEIGHT])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    point(0, 0.0, end=6.0).append(tmp_path / "a.jsonl")
    assert main([str(tmp_path / "a.jsonl"), "--out", str(tmp_path / "a.svg")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'a.svg'}: end\n"
    (tmp_path / "none.jsonl").touch()
    assert main([str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "b.svg")]) == 1
    assert "no points" in capsys.readouterr().err
