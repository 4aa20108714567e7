"""What all tests share: idle threads that sleep, a cache of their own without the real model, and the model with it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from engine import Progress, SfumatoError, hub

# Read when torch is first imported, here and in every subprocess: spinning OpenMP threads starve a shared machine.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# Read when huggingface-hub is: what the user fetched with other tools is no test's business.
os.environ["HF_HUB_CACHE"] = str(Path(tempfile.gettempdir()) / "sfumato-tests-have-no-hub-cache")

_MODEL_TIMEOUT_S = 600  # the first test with the model converts it


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests with the real model more time."""
    for item in items:
        if item.get_closest_marker("model") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(_MODEL_TIMEOUT_S))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Fetch the real model before any clock runs, if a test needs it."""
    if session.config.option.collectonly or not any(item.get_closest_marker("model") for item in session.items):
        return
    try:
        hub.open_hub().fetch("embedded-base", _say)
    except SfumatoError as error:
        raise pytest.UsageError(f"the tests marked `model` need it: {error}") from None


def _say(progress: Progress) -> None:
    if progress.text:
        print(progress.text, flush=True)


@pytest.fixture(autouse=True)
def _own_cache(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's cache out of reach, except where the test asks for the real model."""
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("SFUMATO_HOME", str(tmp_path / "sfumato-home"))
