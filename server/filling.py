"""Several holes of one document filled at once, each cleaned with the others in place: all of them or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine import CancelToken, Engine, Hole, InfillRequest, InfillResult, Mode, ProgressSink, Snippet, StopReason

from .context import Snippets, lf, prompt_path, shown_to_engine, site_at, snapped
from .gate import Gate, as_document
from .privacy import is_excluded
from .settings import Settings
from .snapshot import Snapshot
from .suggestion import Refused, Suggestion
from .syntax import Edit
from .trim import Cleaned, Site, clean, in_row, readable

_Holes = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class FillAnswer:
    """One suggestion a hole, in document order, or none at all and `refused`."""

    suggestions: tuple[Suggestion, ...] = ()
    refused: Refused | None = None
    result: InfillResult | None = None


def fill_holes(
    engine: Engine,
    snapshot: Snapshot,
    holes: Sequence[tuple[int, int]],
    settings: Settings,
    *,
    cancel: CancelToken | None = None,
    progress: ProgressSink | None = None,
    mode: Mode | None = None,
    snippets: Snippets = tuple,
) -> FillAnswer:
    """Fill `holes`, half-open ranges that may touch. What a hole holds is its draft, unless it is the placeholder."""
    if is_excluded(snapshot, settings.exclude):
        return FillAnswer(refused=Refused.EXCLUDED)
    ordered = tuple(sorted((snapped(snapshot.text, start), snapped(snapshot.text, end)) for start, end in holes))
    if refused := _misplaced(snapshot, holes, ordered):
        return FillAnswer(refused=refused)
    canvas = _Canvas(snapshot, ordered, settings)
    result = engine.infill(
        canvas.request(settings, mode, snippets()), cancel=cancel, progress=progress, check=canvas.faults
    )
    refused = None
    for candidate in result.candidates:
        fillings = canvas.cleaned(candidate.texts)
        late = Refused.DEADLINE if candidate.stop_reason is StopReason.DEADLINE else None  # some hole is not filled
        if isinstance(fillings, Refused):
            refused = refused or late or fillings
        elif canvas.added(fillings):
            refused = refused or late or Refused.SYNTAX
        else:
            return FillAnswer(canvas.suggestions(fillings), None, result)
    return FillAnswer(refused=refused or Refused.EMPTY, result=result)


def _misplaced(snapshot: Snapshot, holes: Sequence[tuple[int, int]], ordered: _Holes) -> Refused | None:
    if not holes:
        return Refused.NO_HOLES
    if any(not 0 <= start <= end <= len(snapshot.text) for start, end in holes):
        return Refused.OUTSIDE
    if any(end > start for (_, end), (start, _) in pairwise(ordered)):
        return Refused.OVERLAPPING_HOLES
    return None


class _Canvas:
    """The document's text between the holes, in LF, and what is known of each hole's place."""

    def __init__(self, snapshot: Snapshot, holes: _Holes, settings: Settings) -> None:
        self._snapshot, self._holes = snapshot, holes
        first, last = holes[0][0], holes[-1][1]
        shown = shown_to_engine(snapshot, first, last, settings)
        borders = [shown.at(border) for hole in holes for border in hole]
        edges = [0, *borders, len(shown.text)]
        self._pinned = [shown.text[edges[at] : edges[at + 1]] for at in range(0, len(edges), 2)]
        drafts = [snapshot.text[start:end] for start, end in holes]
        self._drafts = ["" if draft == settings.placeholder else lf(draft) for draft in drafts]
        sites = [site_at(snapshot, start, shown, settings) for start, _ in holes]
        self._sites = [replace(site, one_line=site.in_heading or in_row(site)) for site in sites]
        self._gate = Gate(snapshot, first, last, holes=True)

    def request(self, settings: Settings, mode: Mode | None, snippets: tuple[Snippet, ...]) -> InfillRequest:
        """All holes at once, placeholders taken out."""
        text, holes = self._pinned[0], []
        for draft, site, pinned in zip(self._drafts, self._sites, self._pinned[1:], strict=True):
            holes.append(Hole(len(text), len(text) + len(draft), site.one_line))
            text += draft + pinned
        return InfillRequest(
            text=text,
            holes=tuple(holes),
            language=self._snapshot.language,
            path=prompt_path(self._snapshot),
            snippets=snippets,
            mode=mode,
            max_tokens=settings.max_tokens,
            deadline_s=settings.rewrite_deadline_ms / 1000,  # somebody asked and sees it at work, as with a rewrite
        )

    def cleaned(self, texts: Sequence[str]) -> list[Cleaned] | Refused:
        """A filling a hole. What was cut off shows by what it leaves open: a stop reason does not name its hole."""
        raw = [readable(text, "".join(self._pinned)) for text in texts]
        done: list[Cleaned] = []
        for at, text in enumerate(raw):
            cleaned = clean(text, StopReason.END, self._site(at, done, raw), marked=True)
            if isinstance(cleaned, Refused):
                return cleaned
            done.append(cleaned)
        return done if any(one.text.strip() for one in done) else Refused.EMPTY

    def _site(self, at: int, done: Sequence[Cleaned], raw: Sequence[str]) -> Site:
        """The place of hole `at` with cleaned text in the holes before it and raw text in those after."""
        before, taken = "", 0
        for pinned, cleaned in zip(self._pinned, done, strict=False):
            before += pinned[taken:] + cleaned.text
            taken = cleaned.replaced
        after = self._pinned[at + 1]
        for text, pinned in zip(raw[at + 1 :], self._pinned[at + 2 :], strict=True):
            after += text + pinned
        fixed = len(self._pinned[at + 1])
        return replace(self._sites[at], before=before + self._pinned[at][taken:], after=after, fixed=fixed)

    def faults(self, texts: tuple[str, ...]) -> int:
        """What the engine is told of a filling: how many errors it adds."""
        cleaned = self.cleaned(texts)
        return 1 if isinstance(cleaned, Refused) else self.added(cleaned)

    def added(self, fillings: Sequence[Cleaned]) -> int:
        """Errors the fillings add to the document."""
        edits = [
            Edit(start, end + one.replaced, one.text, one.replaced)
            for (start, end), one in zip(self._holes, fillings, strict=True)
        ]
        return self._gate.added(edits)

    def suggestions(self, fillings: Sequence[Cleaned]) -> tuple[Suggestion, ...]:
        """The fillings by the document's own offsets and line ends."""
        return tuple(
            Suggestion(start, end + one.replaced, as_document(one.text, self._snapshot))
            for (start, end), one in zip(self._holes, fillings, strict=True)
        )
