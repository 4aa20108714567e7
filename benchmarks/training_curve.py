"""Draws training curves: `python -m benchmarks.training_curve CURVE.jsonl ... --out FILE.svg`.

Each file is the `curve.jsonl` of a sitting. Sittings follow each other on the axis of hours. One panel a figure, since
their units differ. `--evaluations FILE.jsonl` adds what was measured with the benchmarks on the way, a line each:
`{"hours": 2.5, "figure": "pass@1 single-line", "value": 0.7, "n": 90}`, hours counted from the first sitting's start.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from engine import adapt

WIDTH, HEIGHT, LEFT, GAP = 640, 150, 70, 44
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">'
    '<rect width="100%" height="100%" fill="white"/>'
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One figure of an adapter, measured on `n` tasks."""

    hours: float
    figure: str
    value: float
    n: int


@dataclass(frozen=True, slots=True)
class Panel:
    """One figure over all sittings: (hours, value) of each point, and what is written at each, if anything."""

    name: str
    points: Sequence[tuple[float, float]]
    labels: Sequence[str] = ()


def panels(sittings: Sequence[Sequence[adapt.CurvePoint]]) -> list[Panel]:
    """Every figure that the points have, in their order; hours of computing add up over sittings."""
    drawn: dict[str, list[tuple[float, float]]] = {}
    before = 0.0
    for sitting in sittings:
        for point in sitting:
            for name, value in point.figures.items():
                drawn.setdefault(name, []).append((before + point.seconds / 3600, value))
        before += sitting[-1].seconds / 3600 if sitting else 0.0
    return [Panel(name, points) for name, points in drawn.items()]


def load_evaluations(path: Path) -> list[Evaluation]:
    """One a line. Raises `TypeError` for a line that says more or less."""
    return [Evaluation(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def evaluation_panels(evaluations: Sequence[Evaluation]) -> list[Panel]:
    """Every figure that was evaluated, in the order of the file, its points by hours; each says its n."""
    figures: dict[str, list[Evaluation]] = {}
    for each in sorted(evaluations, key=attrgetter("hours")):
        figures.setdefault(each.figure, []).append(each)
    names = dict.fromkeys(each.figure for each in evaluations)
    return [
        Panel(name, [(e.hours, e.value) for e in figures[name]], [f"n={e.n}" for e in figures[name]]) for name in names
    ]


def svg(drawn: Sequence[Panel]) -> str:
    """The whole picture."""
    hours = max((hour for panel in drawn for hour, _ in panel.points), default=0.0) or 1.0
    height = len(drawn) * (HEIGHT + GAP) + GAP
    body = [_panel(panel, number * (HEIGHT + GAP) + GAP, hours) for number, panel in enumerate(drawn)]
    foot = f'<text x="{LEFT}" y="{height - 6}">hours of computing, 0 to {hours:.2f}</text>'
    return "\n".join([HEAD.format(width=WIDTH + LEFT + 20, height=height), *body, foot, "</svg>\n"])


def _panel(panel: Panel, top: int, hours: float) -> str:
    most = max(value for _, value in panel.points) or 1.0
    places = [(LEFT + hour / hours * WIDTH, top + HEIGHT - value / most * HEIGHT) for hour, value in panel.points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places)
    dots += "".join(
        f'<text x="{x + 5:.1f}" y="{y + 14:.1f}">{label}</text>'
        for (x, y), label in zip(places, panel.labels, strict=False)
    )
    last = panel.points[-1][1]
    return (
        f'<text x="{LEFT}" y="{top - 8}" font-weight="bold">{panel.name}: {panel.points[0][1]:.3f} to {last:.3f}</text>'
        f'<path d="M{LEFT},{top} v{HEIGHT} h{WIDTH}" fill="none" stroke="gray"/>'
        f'<text x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{most:.2f}</text>'
        f'<text x="{LEFT - 6}" y="{top + HEIGHT}" text-anchor="end">0</text>'
        f'<polyline points="{line}" fill="none" stroke="#06c" stroke-width="2"/><g fill="#06c">{dots}</g>'
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Draw, and say what was."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training_curve", description=__doc__)
    parser.add_argument("curves", nargs="+", type=Path, metavar="CURVE.jsonl", help="in the order of the sittings")
    parser.add_argument("--evaluations", type=Path, metavar="FILE.jsonl", help="benchmark figures on the way")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE.svg")
    asked = parser.parse_args(argv)
    drawn = panels([adapt.load_curve(path) for path in asked.curves])
    if asked.evaluations:
        drawn += evaluation_panels(load_evaluations(asked.evaluations))
    if not drawn:
        print("training_curve: no points in these files", file=sys.stderr)
        return 1
    asked.out.write_text(svg(drawn), "utf-8")
    print(f"{asked.out}: {', '.join(panel.name for panel in drawn)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
