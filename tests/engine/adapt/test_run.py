"""What a run's recipe asks for."""

from __future__ import annotations

import pytest

from engine.adapt.denoising import DenoiserObjective
from engine.adapt.recipe import Cutting, Recipe
from engine.adapt.run import _objective
from engine.errors import AdaptError


def test_only_a_denoiser_learns_from_edits() -> None:
    edits = Cutting(edits=0.3)
    assert isinstance(_objective(Recipe(trains="denoiser", cutting=edits)), DenoiserObjective)
    with pytest.raises(AdaptError, match="only a denoiser learns from edits"):
        _objective(Recipe(cutting=edits))
