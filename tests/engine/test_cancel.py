"""Cancellation and deadlines."""

from __future__ import annotations

import threading

import pytest

from engine.cancel import CancelToken, Deadline
from engine.errors import Cancelled


def test_a_token_is_a_one_way_switch() -> None:
    token = CancelToken()
    token.raise_if_cancelled()
    assert not token.cancelled
    token.cancel()
    token.cancel()
    assert token.cancelled
    with pytest.raises(Cancelled, match="the request was cancelled"):
        token.raise_if_cancelled()


def test_a_token_is_set_from_another_thread() -> None:
    token = CancelToken()
    thread = threading.Thread(target=token.cancel)
    thread.start()
    thread.join()
    assert token.cancelled


def test_a_deadline_passes_once_its_time_is_up() -> None:
    assert Deadline(0).passed
    assert Deadline(-1).passed
    assert not Deadline(60).passed
    assert not Deadline(None).passed
