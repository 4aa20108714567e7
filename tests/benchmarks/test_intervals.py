"""The cluster bootstrap on numbers whose intervals are known."""

from __future__ import annotations

import pytest

from benchmarks.intervals import Part, Ratio, clustered_ratio


def test_no_spread_gives_no_width() -> None:
    assert clustered_ratio([Part("a", 1), Part("b", 1)]) == Ratio(1.0, 1.0, 1.0)


def test_nothing_to_divide_by_is_no_figure() -> None:
    assert clustered_ratio([]) == Ratio(None)
    assert clustered_ratio([Part("a", 3, 0)]) == Ratio(None)


def test_independent_tasks_give_the_binomial_interval() -> None:
    ratio = clustered_ratio(Part(str(number), number % 2) for number in range(400))
    assert ratio.value == 0.5
    assert ratio.low == pytest.approx(0.5 - 0.049, abs=0.006)
    assert ratio.high == pytest.approx(0.5 + 0.049, abs=0.006)


def test_tasks_of_one_problem_do_not_count_as_many() -> None:
    """40 problems of 10 equal tasks are 40 observations, not 400: the interval is sqrt(10) times as wide."""
    ratio = clustered_ratio(Part(str(number // 10), number // 10 % 2) for number in range(400))
    assert ratio.value == 0.5
    assert ratio.low == pytest.approx(0.5 - 0.155, abs=0.02)
    assert ratio.high == pytest.approx(0.5 + 0.155, abs=0.02)


def test_two_opposite_problems_know_nothing() -> None:
    assert clustered_ratio([Part("a", 0), Part("b", 1)]) == Ratio(0.5, 0.0, 1.0)


def test_a_ratio_weighs_problems_by_their_denominators() -> None:
    ratio = clustered_ratio([Part("a", 30, 10), Part("b", 10, 10), Part("b", 0, 20)])
    assert ratio.value == 1.0
    assert ratio.low == pytest.approx(1 / 3)
    assert ratio.high == pytest.approx(3.0)


def test_the_interval_is_the_same_each_time_and_in_any_order() -> None:
    parts = [Part(str(number % 7), number % 3, 2) for number in range(50)]
    assert clustered_ratio(parts) == clustered_ratio(parts[::-1])
