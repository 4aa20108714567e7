"""One completion, from a snapshot to suggestions; shared by inline completion and the completion popup."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from engine import Cancelled, CancelToken, Engine, SfumatoError

from ..completion_cache import Kept
from ..documents import Watch
from ..flight import Flight, OnDraft
from ..place import Place, Typed
from ..rebase import rebase
from ..runner import EngineFault, NotReady, Rank, Superseded
from ..session import Session
from ..snapshot import Snapshot
from ..speculation import after_accepting, goes_on
from ..suggest import Answer, complete
from ..suggestion import Refused, Suggestion
from .messages import show_once


async def suggestions_at(
    server: LanguageServer,
    session: Session,
    snapshot: Snapshot,
    offset: int,
    *,
    invoked: bool,
    on_draft: OnDraft | None = None,
) -> tuple[Suggestion, ...]:
    """What to suggest at `offset`, without the engine if possible; () when there is a reason not to.

    Quiet is for automatic requests: whoever asks is answered. Cancelling the caller cancels the engine's work, unless
    somebody else waits for it.
    """
    if not invoked and (reason := session.attention.suppressed(snapshot, offset)) is not None:
        session.note("completion", reason, None)
        return ()
    try:
        return await _suggestions(session, snapshot, offset, on_draft, invoked=invoked)
    except (Superseded, Cancelled):
        session.note("completion", "superseded", None)
    except NotReady:
        session.note("completion", "not-ready", None)
    except (EngineFault, SfumatoError) as error:
        session.note("completion", "engine-fault", None)
        show_once(server, session, f"the engine failed: {error}", types.MessageType.Error)
    return ()


async def _suggestions(
    session: Session, snapshot: Snapshot, offset: int, on_draft: OnDraft | None, *, invoked: bool
) -> tuple[Suggestion, ...]:
    """From the cache, from a request under way that was typed on, or of a request of its own."""
    if (kept := _found(session, snapshot, offset, "from-cache", invoked=invoked)) is not None:
        return kept.suggestions
    joined = _joinable(session, snapshot, offset, invoked=invoked)
    if joined is not None and await joined[0].agrees_with(joined[1]):
        if (kept := _found(session, snapshot, offset, "joined", invoked=invoked)) is not None:
            return kept.suggestions
        if not joined[1].text:
            return ()  # nothing came of the same request
    flight = take_off(session, snapshot, offset, Rank.COMPLETION, invoked=invoked, on_draft=on_draft)
    session.flights[snapshot.uri] = flight
    return (await flight.landed()).suggestions


def _found(session: Session, snapshot: Snapshot, offset: int, how: str, *, invoked: bool) -> Kept | None:
    kept = session.cache.find(snapshot, offset, invoked=invoked)
    if kept is not None:
        session.record.counts[how] += 1
        session.speculation.counts["used"] += kept.foreseen
    return kept


def _joinable(session: Session, snapshot: Snapshot, offset: int, *, invoked: bool) -> tuple[Flight, Typed] | None:
    """A request under way whose answer may go on as was typed since, and that."""
    for flight in (session.flights.get(snapshot.uri), session.speculation.flight):
        if flight is not None and (typed := flight.joined_by(snapshot, offset, invoked=invoked)) is not None:
            if flight is session.speculation.flight:
                session.flights[snapshot.uri] = flight
                session.speculation.claim()
                session.runner.promote(snapshot.uri)
            return flight, typed
    return None


def take_off(
    session: Session,
    snapshot: Snapshot,
    offset: int,
    rank: Rank,
    *,
    invoked: bool,
    on_draft: OnDraft | None = None,
) -> Flight:
    """Ask the engine; the answer is kept."""
    flight = Flight(Place.of(snapshot, offset), invoked=invoked, on_draft=on_draft)
    flight.take_off(_fly(session, flight, snapshot, offset, rank))
    return flight


async def _fly(session: Session, flight: Flight, snapshot: Snapshot, offset: int, rank: Rank) -> Answer:
    settings, invoked, foreseen = session.settings, flight.invoked, rank is Rank.SPECULATION
    snippets = session.snippets_at(snapshot, offset)

    def work(engine: Engine, cancel: CancelToken) -> Answer:
        flight.started = True
        return complete(
            engine,
            snapshot,
            offset,
            settings,
            invoked=invoked,
            cancel=cancel,
            progress=flight.hear,
            snippets=snippets,
        )

    session.open_engine()
    try:
        answer = await session.runner.run(work, rank=rank, key=snapshot.uri)
    finally:
        if session.flights.get(snapshot.uri) is flight:
            del session.flights[snapshot.uri]
    if foreseen:
        session.speculation.counts["finished"] += 1
    else:
        session.note("completion", answer.refused, answer.result, answer.trim_ms)
    if session.settings is settings:
        lasts = foreseen and answer.refused is not Refused.DEADLINE
        session.cache.store(snapshot, offset, Kept(answer.suggestions, invoked, lasts))
    return answer


def look_ahead(session: Session, snapshot: Snapshot, shown: Sequence[Suggestion]) -> None:
    """While the first of `shown` is looked at, compute what would follow it."""
    settings = session.settings
    if not settings.speculate or not shown or not goes_on(snapshot, shown[0], settings):
        session.speculation.drop()
        return
    accepted, cursor = after_accepting(snapshot, shown[0])
    if session.cache.find(accepted, cursor, invoked=False) is None:
        session.speculation.begin(
            Place.of(accepted, cursor), lambda: take_off(session, accepted, cursor, Rank.SPECULATION, invoked=False)
        )


def moved(watch: Watch, suggestions: tuple[Suggestion, ...]) -> list[Suggestion]:
    """The suggestions as they apply to the document by now; those that no longer fit are left out."""
    if watch.closed:
        return []
    text = watch.snapshot.text
    places = [(one, rebase(text, one.start, one.end, one.text, watch.edits)) for one in suggestions]
    return [Suggestion(*place, one.text) for one, place in places if place is not None]
