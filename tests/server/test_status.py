from __future__ import annotations

import pytest

from engine import Progress
from server.status import State, Status


@pytest.mark.parametrize(
    ("progress", "status"),
    [
        (Progress("download", 1, 4), Status(State.DOWNLOADING, "downloading the model", 1, 4)),
        (Progress("download", 0, 0, "trying PyPI"), Status(State.DOWNLOADING, "trying PyPI")),
        (Progress("convert"), Status(State.LOADING, "converting the model, which happens once")),
        (Progress("load"), Status(State.LOADING, "loading the model")),
        (Progress("verify"), Status(State.LOADING, "verify")),
    ],
)
def test_progress_in_words(progress: Progress, status: Status) -> None:
    assert Status.of(progress) == status


def test_percentages() -> None:
    assert Status(State.LOADING).percentage is None
    assert Status(State.DOWNLOADING, done=3, total=2).percentage == 100
    assert str(Status(State.DOWNLOADING, "downloading", 1, 4)) == "downloading (25 %)"
    assert str(Status(State.STARTING)) == "starting"
