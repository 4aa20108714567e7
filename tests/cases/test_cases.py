"""Every case of our own, and of the public file where it is there, before the real server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from .running import Verdict, run_lines

HERE = Path(__file__).parent
PUBLIC = HERE.parents[2] / "shared" / "cases" / "cases.jsonl"


async def _verdicts(lines: list[str]) -> list[Verdict]:
    return [verdict async for verdict in run_lines(lines)]


def run(path: Path) -> tuple[int, list[str]]:
    """The number of cases, and what is wrong."""
    verdicts = asyncio.run(_verdicts(path.read_text("utf-8").split("\n")))
    return len(verdicts), [str(verdict) for verdict in verdicts if verdict.fault]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", sorted(HERE.glob("*.jsonl")), ids=lambda path: path.stem)
def test_our_own_cases(path: Path) -> None:
    count, failures = run(path)
    assert count > 0
    assert failures == []


@pytest.mark.timeout(300)
@pytest.mark.skipif(not PUBLIC.exists(), reason="../shared/cases/cases.jsonl is not there")
def test_the_public_cases() -> None:
    assert run(PUBLIC) == (55, [])
