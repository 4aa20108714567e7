"""One completion, from a snapshot to suggestions; shared by inline completion and the completion popup."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from engine import Cancelled, CancelToken, Engine, SfumatoError

from ..completion_cache import Kept
from ..documents import Watch
from ..rebase import rebase
from ..runner import EngineFault, NotReady, Rank, Superseded
from ..session import Session
from ..snapshot import Snapshot
from ..suggest import Answer, complete
from ..suggestion import Suggestion
from .messages import show_once


async def suggestions_at(
    server: LanguageServer, session: Session, snapshot: Snapshot, offset: int, *, invoked: bool
) -> tuple[Suggestion, ...]:
    """What to suggest at `offset`, from the cache if possible; () when there is a reason not to.

    Quiet is for automatic requests: whoever asks is answered.

    Cancelling the caller cancels the engine's work.
    """
    if not invoked and (reason := session.attention.suppressed(snapshot, offset)) is not None:
        session.note("completion", reason, None)
        return ()
    if (kept := session.cache.find(snapshot, offset, invoked=invoked)) is not None:
        session.record.counts["from-cache"] += 1
        return kept.suggestions
    try:
        answer = await _ask(session, snapshot, offset, invoked=invoked)
    except (Superseded, Cancelled):
        session.note("completion", "superseded", None)
    except NotReady:
        session.note("completion", "not-ready", None)
    except (EngineFault, SfumatoError) as error:
        session.note("completion", "engine-fault", None)
        show_once(server, session, f"the engine failed: {error}", types.MessageType.Error)
    else:
        session.note("completion", answer.refused, answer.result, answer.trim_ms)
        session.cache.store(snapshot, offset, Kept(answer.suggestions, invoked))
        return answer.suggestions
    return ()


async def _ask(session: Session, snapshot: Snapshot, offset: int, *, invoked: bool) -> Answer:
    settings = session.settings

    def work(engine: Engine, cancel: CancelToken) -> Answer:
        return complete(engine, snapshot, offset, settings, invoked=invoked, cancel=cancel)

    session.open_engine()
    return await session.runner.run(work, rank=Rank.COMPLETION, key=snapshot.uri)


def moved(watch: Watch, suggestions: tuple[Suggestion, ...]) -> list[Suggestion]:
    """The suggestions as they apply to the document by now; those that no longer fit are left out."""
    if watch.closed:
        return []
    text = watch.snapshot.text
    places = [(one, rebase(text, one.start, one.end, one.text, watch.edits)) for one in suggestions]
    return [Suggestion(*place, one.text) for one, place in places if place is not None]
