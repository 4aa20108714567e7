from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from server.app import create_server
from server.progress import WorkDone
from tests.clients.scripted_engine import ScriptedOpening


class Wire:
    """Notes what is sent, and answers the creation of a progress when told to."""

    def __init__(self) -> None:
        self.server = create_server(ScriptedOpening({}))
        self.sent: list[Any] = []
        self.creations: list[Future[None]] = []
        self.server.progress = lambda params: self.sent.append(params)  # type: ignore[method-assign]
        self.server.window_work_done_progress_create = self._create  # type: ignore[method-assign,assignment]

    def _create(self, params: Any) -> Future[None]:
        self.creations.append(Future())
        return self.creations[-1]

    @property
    def kinds(self) -> list[str]:
        return [params.value.kind for params in self.sent]


def test_under_the_clients_token_it_begins_at_once_and_ends_once() -> None:
    wire = Wire()
    progress = WorkDone(wire.server, "Rewrite", cancellable=True)
    progress.begin("mine")
    progress.report("one")
    progress.report("too soon for another")
    progress.end("done")
    progress.end()
    progress.report("late")
    assert wire.kinds == ["begin", "report", "end"]
    assert {params.token for params in wire.sent} == {"mine"}


def test_until_the_client_created_it_only_the_latest_report_is_kept() -> None:
    wire = Wire()
    progress = WorkDone(wire.server, "Load")
    progress.create()
    progress.report("one", 1)
    progress.report("two", 2)
    assert wire.sent == []
    wire.creations[0].set_result(None)
    [begin] = wire.sent
    assert (begin.value.message, begin.value.percentage) == ("two", 2)


@pytest.mark.parametrize("answer", ["error", "cancelled", "late", "never"])
def test_a_progress_that_was_not_created_in_time_is_never_begun(answer: str) -> None:
    wire = Wire()
    progress = WorkDone(wire.server, "Load")
    progress.create()
    if answer == "error":
        wire.creations[0].set_exception(RuntimeError("no"))
    elif answer == "cancelled":
        wire.creations[0].cancel()
    progress.end()
    if answer == "late":
        wire.creations[0].set_result(None)
    assert wire.sent == []


def test_the_token_is_told_at_once_for_it_may_be_cancelled_early() -> None:
    tokens: list[int | str] = []
    WorkDone(Wire().server, "Rewrite").create(tokens.append)
    assert len(tokens) == 1
