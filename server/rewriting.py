"""A selection rewritten as an instruction says: exactly the selection, whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass

from engine import CancelToken, Engine, ProgressSink, RewriteRequest, RewriteResult, StopReason

from .context import prompt_path, shown_to_engine, shown_to_grammar, snapped
from .gate import Gate, as_document
from .languages import language_of
from .privacy import is_excluded
from .settings import Settings
from .snapshot import Snapshot
from .suggestion import Refused, Suggestion
from .syntax import Edit, region_at
from .trim import rewritten, select, unit_of


@dataclass(frozen=True, slots=True)
class RewriteAnswer:
    """What replaces the whole selection, or `refused`."""

    suggestion: Suggestion | None = None
    refused: Refused | None = None
    result: RewriteResult | None = None


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A rewrite that was asked for: `made` replaces, or is to replace, its range of `original`."""

    original: Snapshot
    made: Suggestion
    instruction: str
    attempt: int

    def place_in(self, snapshot: Snapshot) -> tuple[int, int] | None:
        """Where the result stands, or what it was made of once it is undone; None if anything else changed."""
        start, end, text = self.made.start, self.made.end, self.original.text
        if snapshot.uri == self.original.uri:
            for standing in (self.made.text, text[start:end]):
                if snapshot.text == text[:start] + standing + text[end:]:
                    return start, start + len(standing)
        return None


def rewrite(
    engine: Engine,
    snapshot: Snapshot,
    start: int,
    end: int,
    instruction: str,
    settings: Settings,
    *,
    attempt: int = 0,
    cancel: CancelToken | None = None,
    progress: ProgressSink | None = None,
) -> RewriteAnswer:
    """Rewrite `[start, end)`. The engine mends syntax errors once; what is still worse than before is refused.

    `attempt`: another number, another text.
    """
    if is_excluded(snapshot, settings.exclude):
        return RewriteAnswer(refused=Refused.EXCLUDED)
    if not instruction.strip():
        return RewriteAnswer(refused=Refused.NO_INSTRUCTION)
    if not 0 <= start <= end <= len(snapshot.text):
        return RewriteAnswer(refused=Refused.OUTSIDE)
    start, end = snapped(snapshot.text, start), snapped(snapshot.text, end)
    around = shown_to_engine(snapshot, start, end, settings)
    selection = select(around.text, around.at(start), around.at(end))
    parsed = shown_to_grammar(snapshot, start, end)
    language = region_at(language_of(snapshot.language), parsed.text, parsed.at(start)).language
    unit = unit_of(around.text, language, settings.tab_size)
    gate = Gate(snapshot, start, end, holes=False)

    def faults(texts: tuple[str, ...]) -> int:
        new = rewritten(texts[0], selection, language, unit)
        return 1 if isinstance(new, Refused) else gate.added([Edit(start, end, new)])

    text, draft_start, draft_end = selection.shown
    request = RewriteRequest(
        text=text,
        start=draft_start,
        end=draft_end,
        instruction=instruction,
        language=language.id or snapshot.language,
        path=prompt_path(snapshot),
        attempt=attempt,
        max_tokens=settings.rewrite_max_tokens,
        deadline_s=settings.rewrite_deadline_ms / 1000,
    )
    result = engine.rewrite(request, cancel=cancel, progress=progress, check=faults)
    if result.stop_reason in (StopReason.LENGTH, StopReason.DEADLINE):
        return RewriteAnswer(refused=Refused.CUT_OFF, result=result)
    new = rewritten(result.text, selection, language, unit)
    if isinstance(new, Refused):
        return RewriteAnswer(refused=new, result=result)
    if gate.added([Edit(start, end, new)]):
        return RewriteAnswer(refused=Refused.SYNTAX, result=result)
    return RewriteAnswer(Suggestion(start, end, as_document(new, snapshot)), None, result)
