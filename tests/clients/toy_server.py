"""The real server over the engine's own loops and a toy model: `python -m tests.clients.toy_server`."""

from __future__ import annotations

import sys

from engine import EngineConfig, ProgressSink
from engine.engine import LocalEngine
from engine.models.toy import Toy
from server.app import create_server, serve_stdio


def open_toy(config: EngineConfig, *, progress: ProgressSink | None = None) -> LocalEngine:
    """What `engine.open_engine` is."""
    return LocalEngine(Toy(canvas=2, accuracy=0.5), config, {"model": config.model, "device": "none"})


if __name__ == "__main__":
    sys.exit(serve_stdio(create_server(open_toy)))
