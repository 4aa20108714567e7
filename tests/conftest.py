"""What all tests share: idle threads that sleep, and a cache of their own for every test without the real model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Read when torch is first imported, here and in every subprocess: spinning OpenMP threads starve a shared machine.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


@pytest.fixture(autouse=True)
def _own_cache(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's cache out of reach, except where the test asks for the real model."""
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("SFUMATO_HOME", str(tmp_path / "sfumato-home"))
