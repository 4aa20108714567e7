"""The only mutable state of the server: settings, documents, cache, the engine's runner, and what happened so far.

For the thread of the event loop alone. Knows no lsprotocol.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine import EngineConfig, InfillResult, RewriteResult

from .attention import Attention
from .completion_cache import CompletionCache
from .context import Snippets
from .documents import DocumentStore
from .flight import Flight
from .record import Record
from .related import Related
from .rewriting import Rewritten
from .runner import OpenEngine, Runner
from .settings import Settings, parse_settings
from .snapshot import Snapshot
from .speculation import Speculation
from .status import Status


@dataclass(frozen=True, slots=True)
class ClientSupport:
    """What the client says it can do, as far as the server asks."""

    inline_completion: bool = False
    work_done_progress: bool = False
    configuration: bool = False
    versioned_edits: bool = False
    change_annotations: bool = False
    code_action_literals: bool = False
    code_action_tags: bool = False


def _nobody_listens(news: object) -> None:
    """What becomes of news before somebody asked for it."""


class Session:
    """One client's session."""

    def __init__(self, open_engine: OpenEngine) -> None:
        self.settings = Settings()
        self.client = ClientSupport()
        self.documents = DocumentStore()
        self.cache = CompletionCache()
        self.record = Record()
        self.attention = Attention()
        self.flights: dict[str, Flight] = {}  # the newest request of each document, while it is under way
        self.speculation = Speculation()
        self.related = Related()
        self.rewritten: Rewritten | None = None
        self.cancel_by_token: dict[int | str, Callable[[], object]] = {}
        self.on_status: Callable[[Status], None] = _nobody_listens
        self.on_exit: Callable[[int], None] = _nobody_listens
        self.runner = Runner(open_engine, lambda status: self.on_status(status))
        self.documents.on_change = self.attention.changed
        self.documents.on_close = self._closed
        self.attention.on_outcome = self.speculation.judge
        self._initial = Settings()
        self._opened: EngineConfig | None = None
        self._said: set[str] = set()

    def _closed(self, uri: str) -> None:
        self.attention.closed(uri)
        self.speculation.drop()

    def initialize(self, options: object) -> list[str]:
        """Take the initialization options; what is wrong with them, one line each."""
        self._initial, problems = parse_settings(options)
        self.settings = self._initial
        return problems

    def configure(self, raw: object) -> list[str]:
        """Take changed settings over the initial ones; what is wrong with them. The engine follows if it must."""
        self.settings, problems = parse_settings(raw, self._initial)
        self.cache.clear()
        self.speculation.drop()
        if self._opened is not None:
            self.open_engine()
        return problems

    def open_engine(self) -> None:
        """Open the engine of the settings, unless that is the one which is open, being opened, or known to fail."""
        settings = self.settings
        config = EngineConfig(model=settings.model, threads=settings.threads, prompt_tokens=settings.prompt_tokens)
        if config != self._opened:
            self._opened = config
            self.cache.clear()  # another model's suggestions
            self.runner.open(config)

    def snippets_at(self, snapshot: Snapshot, offset: int) -> Snippets:
        """What the engine's thread calls for excerpts of the documents that are open now."""
        others, settings = self.documents.others(snapshot.uri), self.settings
        return lambda: self.related.snippets(snapshot, offset, others, settings)

    def is_news(self, message: str) -> bool:
        """True the first time: no message is shown twice."""
        known = message in self._said
        self._said.add(message)
        return not known

    def note(
        self, kind: str, refused: str | None, result: InfillResult | RewriteResult | None, trim_ms: float = 0.0
    ) -> None:
        """Remember what a request cost, and count it if nothing came of it."""
        self.record.note(kind, refused, result, queue_ms=self.runner.queue_ms, trim_ms=trim_ms)

    def close(self, timeout_s: float = 2.0) -> bool:
        """Cancel everything; False if the engine did not stop in time."""
        self.speculation.drop()
        return self.runner.close(timeout_s)
