from __future__ import annotations

from server.documents import Change
from server.session import Session
from server.settings import Settings
from tests.clients.scripted_engine import ScriptedOpening


def session() -> Session:
    return Session(ScriptedOpening({}))


def test_changed_settings_lie_over_the_initial_ones() -> None:
    one = session()
    assert one.initialize({"model": "causal", "threads": 2}) == []
    assert one.configure({"threads": 4, "steps": 1}) == ["steps: no such setting"]
    assert one.settings == Settings(model="causal", threads=4)
    assert one.configure({}) == []
    assert one.settings == Settings(model="causal", threads=2)


def test_configuring_opens_no_engine_before_there_was_one() -> None:
    opening = ScriptedOpening({})
    one = Session(opening)
    one.configure({"model": "causal"})
    assert opening.opened == []
    assert one.close()


def test_a_session_follows_what_happens_to_its_documents() -> None:
    one = session()
    one.documents.open("u", "python", 1, "x = foo\n")
    one.documents.change("u", 2, [Change("", (0, 6), (0, 7))])
    snapshot = one.documents.snapshot("u")
    assert snapshot is not None
    assert one.attention.suppressed(snapshot, 6) is not None
    one.documents.close("u")
    assert one.attention.suppressed(snapshot, 6) is None


def test_nothing_is_news_twice() -> None:
    one = session()
    assert [one.is_news(text) for text in ("a", "b", "a")] == [True, True, False]
