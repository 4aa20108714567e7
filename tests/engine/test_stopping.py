"""Stopping: when a step's answer is final."""

from __future__ import annotations

from engine.canvas import Uniform
from engine.stopping import EarlyCommit, Never, StableAndConfident

from .said import canvas_of, step_of

OPEN = canvas_of([None, None, "3"], Uniform(10))
SURE = [(1, 0.9999), (2, 0.9999), (5, 0.2)]
UNSURE = [(1, 0.9999), (2, 0.9), (5, 0.2)]
OTHER = [(1, 0.9999), (4, 0.9999), (5, 0.2)]


def test_never_goes_on() -> None:
    assert not Never()(step_of(OPEN, SURE, step_of(OPEN, SURE)))


def test_stable_and_confident_wants_both() -> None:
    rule = StableAndConfident(1, 0.005)
    assert not rule(step_of(OPEN, SURE))  # nothing to compare with
    assert rule(step_of(OPEN, SURE, step_of(OPEN, UNSURE)))
    assert not rule(step_of(OPEN, UNSURE, step_of(OPEN, SURE)))
    assert not rule(step_of(OPEN, SURE, step_of(OPEN, OTHER)))


def test_stability_is_a_number_of_steps() -> None:
    two = step_of(OPEN, SURE, step_of(OPEN, SURE))
    assert not StableAndConfident(2)(two)
    assert StableAndConfident(2)(step_of(OPEN, SURE, two))
    assert StableAndConfident(0)(step_of(OPEN, SURE))
    assert StableAndConfident(2).memory == 2


def test_pinned_positions_have_no_part_in_it() -> None:
    """Position 2 is pinned: that it is unsure must not hold the end off, nor its surety among many bring it on."""
    pinned = canvas_of([None, "1", "1", "1", "1", "1", "1", "1"], Uniform(10))
    sure = [(3, 0.999)] + [(1, 1.0)] * 7
    said = step_of(pinned, sure, step_of(pinned, sure))
    entropy = float(said.statistics.entropy[0])
    assert not StableAndConfident(1, entropy / 2)(said)
    assert StableAndConfident(1, entropy * 2)(said)
    wavering = step_of(OPEN, [*SURE[:2], (6, 0.2)], step_of(OPEN, [*SURE[:2], (7, 0.2)]))
    assert StableAndConfident(1)(wavering)


def test_early_commit_wants_every_open_position_far_ahead() -> None:
    """0.9999 against (1 - 0.9999) / 9: 11.4 nats ahead."""
    assert EarlyCommit(11)(step_of(OPEN, SURE))
    assert not EarlyCommit(12)(step_of(OPEN, SURE))
    assert not EarlyCommit(11)(step_of(OPEN, UNSURE))
