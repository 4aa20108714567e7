"""Open the engine for one command, with a progress bar. Knows nothing of what it is opened for."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine import Engine, EngineConfig

from ..runner import OpenEngine
from .progress_bar import ProgressBar


@dataclass(frozen=True, slots=True)
class Opened:
    """An engine and how long it took to load, in milliseconds."""

    engine: Engine
    load_ms: float

    @property
    def model(self) -> str:
        """The name the engine gives its model."""
        return self.engine.info.get("model", "")


def open_model(open_engine: OpenEngine, config: EngineConfig, bar: ProgressBar) -> Opened:
    """Fetch, verify and load as needed."""
    began = time.monotonic()
    opened = open_engine(config, progress=bar)
    return Opened(opened, (time.monotonic() - began) * 1000)
