"""The road from a document to a suggestion, without LSP: what features and command line share.

Blocks while the engine works; `Cancelled` passes through. Everything else that stands in the way has a name in
`Refused`, and then the document stays as it is.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace

from engine import CancelToken, Engine, Hole, InfillRequest, InfillResult, Mode, ProgressSink, StopReason

from .context import Snippets, prompt_path, shown_to_engine, site_at, snapped
from .extent import wants_one_line
from .filling import FillAnswer, fill_holes
from .gate import Gate, as_document
from .privacy import is_excluded
from .rewriting import RewriteAnswer, rewrite
from .settings import Settings
from .snapshot import Snapshot
from .suggestion import Refused, Suggestion
from .syntax import Edit
from .trim import Cleaned, Site, clean, ended, is_enough

__all__ = ["Answer", "FillAnswer", "Refused", "RewriteAnswer", "Suggestion", "complete", "fill_holes", "rewrite"]


@dataclass(frozen=True, slots=True)
class Answer:
    """Suggestions at one cursor, best first; `refused` says why there is none."""

    suggestions: tuple[Suggestion, ...] = ()
    refused: Refused | None = None
    result: InfillResult | None = None
    trim_ms: float = 0.0  # cleaning and syntax at the end


def complete(
    engine: Engine,
    snapshot: Snapshot,
    offset: int,
    settings: Settings,
    *,
    invoked: bool,
    cancel: CancelToken | None = None,
    progress: ProgressSink | None = None,
    mode: Mode | None = None,
    snippets: Snippets = tuple,
) -> Answer:
    """Complete at `offset`. `invoked`: a person asked; then several candidates, and in the middle of a line too.

    `snippets` is asked for excerpts of other files once it is clear that something will be written.
    """
    if is_excluded(snapshot, settings.exclude):
        return Answer(refused=Refused.EXCLUDED)
    offset = snapped(snapshot.text, offset)
    around = shown_to_engine(snapshot, offset, offset, settings)
    site = site_at(snapshot, offset, around, settings)
    one_line = wants_one_line(snapshot, site, settings, invoked=invoked)
    site = replace(site, one_line=one_line, body_only=not invoked)
    if not invoked and not site.before_closing:
        return Answer(refused=Refused.MID_WORD if re.match(r"\w", site.rest) else Refused.MID_LINE)
    if mode is None and invoked and settings.candidates > 1:
        mode = Mode.JOINT  # else the engine's own: not every model has a lossless one
    unasked_block = not invoked and not one_line
    request = InfillRequest(
        text=around.text,
        holes=(Hole(around.at(offset), around.at(offset), one_line, wanted=unasked_block),),
        language=snapshot.language,
        path=prompt_path(snapshot),
        snippets=snippets(),
        mode=mode,
        candidates=settings.candidates if invoked and mode is Mode.JOINT else 1,
        max_tokens=settings.max_tokens,
        deadline_s=settings.completion_deadline_ms / 1000,
        enough=(lambda text: is_enough(text, site)) if unasked_block else None,
    )
    gate = Gate(snapshot, offset, offset, holes=True)

    def faults(texts: tuple[str, ...]) -> int:
        cleaned = clean(texts[0], StopReason.END, site)
        return 1 if isinstance(cleaned, Refused) else _added(gate, cleaned, site, offset)

    result = engine.infill(request, cancel=cancel, progress=progress, check=faults)
    began = time.monotonic()
    answer = _answer(snapshot, offset, site, gate, result)
    return replace(answer, trim_ms=(time.monotonic() - began) * 1000)


def _answer(snapshot: Snapshot, offset: int, site: Site, gate: Gate, result: InfillResult) -> Answer:
    """Clean and check each candidate; what is left, without doubles."""
    suggestions: list[Suggestion] = []
    refused: Refused | None = None
    for candidate in result.candidates:
        cleaned = clean(candidate.texts[0], candidate.stop_reason, site)
        if not isinstance(cleaned, Refused) and _added(gate, cleaned, site, offset):
            cleaned = Refused.DEADLINE if candidate.stop_reason is StopReason.DEADLINE else Refused.SYNTAX
        if gate.blind and candidate.stop_reason in (StopReason.LENGTH, StopReason.DEADLINE):
            cleaned = Refused.CUT_OFF  # nothing tells where a piece of it may end
        if isinstance(cleaned, Refused):
            refused = refused or cleaned
            continue
        suggestion = Suggestion(offset, offset + cleaned.replaced, as_document(cleaned.text, snapshot))
        if suggestion not in suggestions:
            suggestions.append(suggestion)
    return Answer(tuple(suggestions), None if suggestions else refused, result)


def _added(gate: Gate, cleaned: Cleaned, site: Site, offset: int) -> int:
    return gate.added([Edit(offset, offset + cleaned.replaced, ended(cleaned.text, site), cleaned.replaced)])
