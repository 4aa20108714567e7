"""Schedules: the temperature of each step."""

from __future__ import annotations

import pytest
import torch

from engine.schedule import Constant, Linear


def test_constant() -> None:
    assert [Constant(3, 0.7)(step) for step in range(3)] == [0.7] * 3


def test_linear_falls_to_one_step_above_its_low_end() -> None:
    """DiffusionGemma's: t_min + (t_max - t_min) * remaining / steps, and one step remains at the last."""
    assert [Linear(4, 0.8, 0.4)(step) for step in range(4)] == pytest.approx([0.8, 0.7, 0.6, 0.5])


def test_linear_is_what_fp32_makes_of_it() -> None:
    for step in range(48):
        remaining = torch.tensor(48 - step, dtype=torch.int32)
        assert Linear()(step) == float(0.4 + ((0.8 - 0.4) * (remaining / 48)))
        assert torch.tensor(Linear()(step), dtype=torch.float32).item() == Linear()(step)
