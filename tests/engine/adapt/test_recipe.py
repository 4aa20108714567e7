"""The numbers of a run, and its learning rate."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from engine.adapt.recipe import Cutting, Recipe


def test_a_recipe_survives_its_file(tmp_path: Path) -> None:
    recipe = Recipe(steps=7, cutting=Cutting(suffix=(3, 9)), languages={"go": 1.0})
    recipe.save(tmp_path / "recipe.json")
    assert Recipe.load(tmp_path / "recipe.json") == recipe


def test_an_unknown_number_is_refused(tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text(json.dumps(asdict(Recipe()) | {"stepz": 3}))
    with pytest.raises(TypeError, match="stepz"):
        Recipe.load(tmp_path / "recipe.json")


def test_the_rate_warms_up_stays_and_falls_to_zero() -> None:
    recipe = Recipe(steps=100, learning_rate=1.0, warm_up=10, decay=0.5)
    rates = [recipe.rate(step) for step in range(100)]
    assert rates[:10] == pytest.approx([(step + 1) / 10 for step in range(10)])
    assert set(rates[10:50]) == {1.0}
    assert rates[50:] == pytest.approx([(100 - step) / 50 for step in range(50, 100)])
