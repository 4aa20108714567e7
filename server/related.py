"""Excerpts of other files to show beside the one being written: what they define that it uses, and what resembles it.

Chosen once for a place and kept while somebody types there: they stand at the head of the prompt, and a change there
has all of it read anew. What is not read in time is left out. For one thread: the engine's.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TypeVar

from engine import Snippet

from .context import CHARACTERS_PER_TOKEN, lf, prompt_path
from .imports import imported_files
from .languages import language_id_of_path, language_of
from .outline import Definition, outline
from .privacy import is_excluded
from .settings import Settings
from .similar import Window, resemblance, windows, words_of
from .snapshot import Snapshot

MOST = 4  # snippets
_PLACE = 12  # lines; as long as the cursor stays within so many, so do the snippets
_NEAR = 1_000  # characters; beyond the place, they stay as long as nothing used so near is missing
_OPEN, _IMPORTED = 20, 8  # files that are looked at
_LONGEST_FILE = 200_000  # bytes of a file that is read from disk
_AROUND = 24_000  # characters before and after the cursor in which a name counts as used
_ALIKE, _TOO_ALIKE = 0.1, 0.5  # what resembles the surroundings more makes a model repeat them
_SMALLEST_WINDOW = 1800  # characters: what is left of a window that is cut to less is not worth its tokens
_NAME = re.compile(r"[^\W\d]\w\w+")
_FAMILIES = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}
_OF_A_FOLDER = ("__init__", "index", "mod")  # file names that stand for their folder

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class _Source:
    """A file as a source of excerpts; what is read out of it is read once."""

    snapshot: Snapshot

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        return outline(language_of(self.snapshot.language), lf(self.snapshot.text))

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        return windows(lf(self.snapshot.text))

    @property
    def module(self) -> str:
        """What an import calls it."""
        path = PurePosixPath(self.snapshot.path)
        return path.parent.name if path.stem in _OF_A_FOLDER else path.stem


@dataclass(frozen=True, slots=True)
class _Choice:
    """What was chosen at a line while the other files, and the settings, were so."""

    line: int
    world: object
    snippets: tuple[Snippet, ...] = ()
    sources: tuple[Snapshot, ...] = ()
    defined: frozenset[Definition] = frozenset()  # what of the snippets is definitions


class Related:
    """`folders`: the workspace; nothing outside is read from disk. `shown`: where the last excerpts came from."""

    def __init__(self, folders: tuple[Path, ...] = (), time_s: float = 0.12) -> None:
        self.folders = folders
        self._time_s = time_s
        self.shown: tuple[str, ...] = ()
        self._choices: OrderedDict[str, _Choice] = OrderedDict()
        self._sources: OrderedDict[tuple[str, int], _Source] = OrderedDict()

    def snippets(
        self, snapshot: Snapshot, offset: int, others: Sequence[Snapshot], settings: Settings
    ) -> tuple[Snippet, ...]:
        """Excerpts of `others`, the open documents with the last used first, and of imported files; best last."""
        budget = settings.snippet_tokens * CHARACTERS_PER_TOKEN
        if not budget:
            return ()
        line = snapshot.text.count("\n", 0, offset)
        world = (budget, settings.exclude, frozenset((other.uri, other.version) for other in others))
        kept = self._choices.get(snapshot.uri)
        if kept is not None and (kept.world != world or _is_private(kept, settings)):
            kept = None
        if kept is None or abs(line - kept.line) > (_PLACE if kept.snippets else 0):
            kept = self._chosen(snapshot, offset, others, settings, _Choice(line, world), kept)
        _remember(self._choices, snapshot.uri, kept)
        self.shown = tuple(snippet.path for snippet in kept.snippets)
        return kept.snippets

    def _chosen(
        self,
        snapshot: Snapshot,
        offset: int,
        others: Sequence[Snapshot],
        settings: Settings,
        new: _Choice,
        kept: _Choice | None,
    ) -> _Choice:
        """`new` with snippets: those of `kept` as long as they have all that is used near the cursor."""
        budget = settings.snippet_tokens * CHARACTERS_PER_TOKEN
        ends_at = time.monotonic() + self._time_s
        sources: list[_Source] = []
        used = _Used(snapshot, offset)
        for source in self._all(snapshot, others, settings):
            if time.monotonic() > ends_at:
                break
            sources.append(source)
            used.note(source)
        if kept is not None and kept.defined and used.near <= kept.defined:
            return replace(kept, line=new.line)
        defined = used.within(budget)
        left = budget - sum(len(text) for _, text in defined)
        rest = [source for source in sources if source not in [known for known, _ in defined]]
        alike = _alike(snapshot, offset, rest, left, ends_at) if left >= _SMALLEST_WINDOW else []
        shown = [*defined, *alike][:MOST]
        snippets = tuple(_snippet(source.snapshot, text) for source, text in shown)
        sources_shown = tuple(source.snapshot for source, _ in shown)
        return replace(new, snippets=snippets, sources=sources_shown, defined=used.chosen)

    def _all(self, snapshot: Snapshot, others: Sequence[Snapshot], settings: Settings) -> Iterator[_Source]:
        """Open documents, then imported files that are not open; in the same kind of language, and not private."""
        family = _family(snapshot)
        if not family:
            return
        open_here = [other for other in others if _family(other) == family and other.uri != snapshot.uri][:_OPEN]
        for other in open_here:
            if not is_excluded(other, settings.exclude):
                yield self._source(other)
        known = {other.path for other in (snapshot, *open_here)}
        for number, file in enumerate(imported_files(snapshot, self.folders)):
            if number >= _IMPORTED:
                return
            if file.as_posix() not in known and (read := self._from_disk(file, settings)) is not None:
                yield read

    def _from_disk(self, file: Path, settings: Settings) -> _Source | None:
        """A file below one of the folders, by its real path too; None if it is private, too long, or unreadable."""
        try:
            about = file.stat()
            is_inside = any(file.resolve().is_relative_to(folder) for folder in self.folders)
            if not is_inside or about.st_size > _LONGEST_FILE:
                return None
            language = language_id_of_path(file.as_posix())
            if is_excluded(Snapshot(file.as_uri(), language, 0, ""), settings.exclude):
                return None
            known = self._sources.get((file.as_uri(), about.st_mtime_ns))
            text = known.snapshot.text if known else file.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None
        return self._source(Snapshot(file.as_uri(), language, about.st_mtime_ns, text))

    def _source(self, snapshot: Snapshot) -> _Source:
        key = (snapshot.uri, snapshot.version)
        return _remember(self._sources, key, self._sources.get(key) or _Source(snapshot))


class _Used:
    """The definitions that a document uses near a place."""

    def __init__(self, snapshot: Snapshot, offset: int) -> None:
        text, start = snapshot.text, max(0, offset - _AROUND)
        self._distance: dict[str, int] = {}
        for match in _NAME.finditer(text, start, offset + _AROUND):
            distance = abs(match.start() - offset)
            self._distance[match[0]] = min(distance, self._distance.get(match[0], distance))
        self._head = words_of(text[:_AROUND])
        self._folder = PurePosixPath(snapshot.path).parent
        self._found: list[tuple[int, _Source, int, Definition]] = []
        self.chosen: frozenset[Definition] = frozenset()

    def note(self, source: _Source) -> None:
        """Take what `source` defines, if it is imported or belongs to the same package."""
        path = PurePosixPath(source.snapshot.path)
        same_package = path.suffix in (".go", ".java") and path.parent == self._folder
        if source.module in self._head or same_package:
            for number, one in enumerate(source.definitions):
                if one.name in self._distance:
                    self._found.append((self._distance[one.name], source, number, one))

    @property
    def near(self) -> frozenset[Definition]:
        """What is used around the cursor."""
        return frozenset(one for distance, _, _, one in self._found if distance < _NEAR)

    def within(self, budget: int) -> list[tuple[_Source, str]]:
        """The nearest that fit, by file: in an order that does not depend on the place. None gets more than half."""
        most = budget // 2
        chosen: dict[str, list[tuple[int, _Source, str]]] = {}
        for _, source, number, one in sorted(self._found, key=lambda found: found[0]):
            text = _cut(one.text, min(budget, most))
            if text and (source.snapshot.uri in chosen or len(chosen) < MOST):
                chosen.setdefault(source.snapshot.uri, []).append((number, source, text))
                self.chosen |= {one}
                budget -= len(text) + 1
        files = [sorted(chosen[uri], key=lambda entry: entry[0]) for uri in sorted(chosen)]
        return [(entries[0][1], "\n".join(text for *_, text in entries)) for entries in files]


def _alike(
    snapshot: Snapshot, offset: int, sources: Sequence[_Source], budget: int, ends_at: float
) -> list[tuple[_Source, str]]:
    """The window of an open document that is most like the surroundings, but not their double; cut to the budget."""
    surroundings = words_of(snapshot.text[max(0, offset - 2000) : offset + 1000])
    best: tuple[float, _Source, str] | None = None
    for source in sources:
        if time.monotonic() > ends_at:
            break
        for window in source.windows:
            score = resemblance(surroundings, window.words)
            if max(_ALIKE, best[0] if best else 0) < score < _TOO_ALIKE:
                best = score, source, window.text
    return [(best[1], _cut(best[2], budget))] if best else []


def _cut(text: str, budget: int) -> str:
    """The lines that fit."""
    return text if len(text) <= budget else text[: max(budget, 0) + 1].rpartition("\n")[0]


def _snippet(source: Snapshot, text: str) -> Snippet:
    """The excerpt under its file's name, as a comment of the file it is shown with."""
    language, path = language_of(source.language), prompt_path(source)
    text = f"{path}:\n{text}"
    if language.line_comments:
        marker = language.line_comments[0]
        return Snippet(path, "\n".join(f"{marker} {line}".rstrip() for line in text.split("\n")))
    opening, closing = language.block_comments[0]
    return Snippet(path, f"{opening} {text.replace(closing, '')}\n{closing}")


def _is_private(kept: _Choice, settings: Settings) -> bool:
    """Whether something in a choice became private."""
    return any(is_excluded(source, settings.exclude) for source in kept.sources)


def _family(snapshot: Snapshot) -> str:
    """What may be shown beside what; "" for a language without comments to show anything in."""
    language = language_of(snapshot.language)
    if not (language.line_comments or language.block_comments):
        return ""
    return _FAMILIES.get(language.grammar, language.id)


def _remember(store: OrderedDict[K, V], key: K, value: V) -> V:
    """Keep the last used."""
    store[key] = value
    store.move_to_end(key)
    if len(store) > 2 * (_OPEN + _IMPORTED):
        store.popitem(last=False)
    return value
