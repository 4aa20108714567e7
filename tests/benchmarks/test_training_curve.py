"""The picture of a training: hours add up over sittings, values are where they belong."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.training_curve import (
    HEIGHT,
    LEFT,
    WIDTH,
    Evaluation,
    evaluation_panels,
    load_evaluations,
    main,
    panels,
    svg,
)
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


EVALUATIONS = [
    Evaluation(2.0, "pass@1", 0.75, 300),
    Evaluation(1.0, "tokens per forward", 2.0, 60),
    Evaluation(0.0, "pass@1", 0.5, 90),
]


def test_evaluations_are_drawn_by_their_hours_and_say_their_number_of_tasks() -> None:
    drawn = evaluation_panels(EVALUATIONS)
    assert [(panel.name, panel.points) for panel in drawn] == [
        ("pass@1", [(0.0, 0.5), (2.0, 0.75)]),
        ("tokens per forward", [(1.0, 2.0)]),
    ]
    root = ElementTree.fromstring(svg([*panels([[point(0, 0.0, end=6.0), point(9, 4.0, end=3.0)]]), *drawn]))
    labels = {text.text: text for text in root.iter(f"{SVG}text") if (text.text or "").startswith("n=")}
    assert [*labels] == ["n=90", "n=300", "n=60"]
    assert float(labels["n=300"].attrib["x"]) == pytest.approx(LEFT + WIDTH / 2 + 5)  # of the curve's four hours


def test_an_evaluation_that_does_not_say_its_number_of_tasks(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text('{"hours": 1, "figure": "pass@1", "value": 0.5}\n')
    with pytest.raises(TypeError, match="'n'"):
        load_evaluations(tmp_path / "e.jsonl")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    point(0, 0.0, end=6.0).append(tmp_path / "a.jsonl")
    assert main([str(tmp_path / "a.jsonl"), "--out", str(tmp_path / "a.svg")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'a.svg'}: end\n"
    (tmp_path / "e.jsonl").write_text("".join(f"{json.dumps(asdict(each))}\n" for each in EVALUATIONS))
    more = ["--evaluations", str(tmp_path / "e.jsonl"), "--out", str(tmp_path / "a.svg")]
    assert main([str(tmp_path / "a.jsonl"), *more]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'a.svg'}: end, pass@1, tokens per forward\n"
    (tmp_path / "none.jsonl").touch()
    assert main([str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "b.svg")]) == 1
    assert "no points" in capsys.readouterr().err
