"""What attempts amount to: figures of each way, and what one way gains on another task by task."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.joint_figures import Attempt, sign_p, summarise


def attempt(task: str, way: str, passed: list[bool], valid: list[bool] | None = None, forwards: int = 4) -> Attempt:
    return Attempt(
        id=f"{task}:{way}",
        problem=task,
        way=way,
        texts=[[f"text {number}"] for number in range(len(passed))],
        canonical=["text 1"],
        scores=[0.0] * len(passed),
        passed=passed,
        valid=valid or [True] * len(passed),
        tokens=8,
        forwards=forwards,
        prompt_tokens=100,
        reused_tokens=40,
        encode_ms=5.0,
        seconds=0.25,
        processor_seconds=0.125,
    )


def test_figures_of_each_way_over_the_tasks_that_all_were_tried_on() -> None:
    summary = summarise(
        [
            attempt("a:1", "one", [False]),
            attempt("a:1", "several", [False, True], valid=[False, True], forwards=10),
            attempt("b", "one", [True]),
            attempt("b", "several", [True, False], forwards=20),
            attempt("c", "one", [True]),  # stopped before the other way
        ]
    )
    assert summary["n"] == 2
    ways = summary["ways"]
    assert isinstance(ways, dict)
    one, several = ways["one"], ways["several"]
    assert (one["pass_at_1"][0], one["any_passes"][0]) == (0.5, 0.5)
    assert (several["pass_at_1"][0], several["any_passes"][0]) == (0.5, 1)
    assert (several["syntax_valid"][0], several["exact_match"][0], several["exact_among"][0]) == (0.5, 0, 1)
    assert (several["right_length"][0], several["right_length_among"][0]) == (1, 1)
    assert (several["candidates"], several["forwards"], several["prompt_tokens_read"]) == (2, 15, 60)
    assert (several["encode_ms"], several["ms"], several["processor_ms"]) == (5, 250, 125)


def test_differences_are_paired() -> None:
    passes = {"a": (True, False), "b": (True, False), "c": (False, True), "d": (True, True), "e": (False, False)}
    attempts = [
        attempt(task, way, [passed])
        for task, both in passes.items()
        for way, passed in zip(("joint", "in_turn"), both, strict=True)
    ]
    differences = summarise(attempts)["differences"]
    assert isinstance(differences, dict)
    assert list(differences) == ["in_turn - joint"]
    difference = differences["in_turn - joint"]
    assert (difference["gained"], difference["lost"], difference["p"]) == (1, 2, 1.0)
    value, low, high = difference["pass_at_1"]
    assert value == pytest.approx(-0.2)
    assert low < value < high


def test_nothing_measured_is_no_figure() -> None:
    assert summarise([]) == {"n": 0, "ways": {}, "differences": {}}


def test_the_sign_test_is_exact() -> None:
    assert sign_p(0, 0) == 1
    assert sign_p(5, 0) == sign_p(0, 5) == pytest.approx(2 / 32)
    assert sign_p(8, 2) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert sign_p(3, 3) == 1


def test_the_right_length_is_that_of_every_hole_white_space_aside() -> None:
    texts = [["  ab\n", "c"], ["ab", "cd"], ["x y", "de\n"]]
    tried = replace(attempt("a", "joint", [False] * 3), texts=texts, canonical=["pq", " rs\n"])
    ways = summarise([tried])["ways"]
    assert isinstance(ways, dict)
    assert (ways["joint"]["right_length"][0], ways["joint"]["right_length_among"][0]) == (0, 1)
