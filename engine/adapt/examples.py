"""From a document to the tokens of one example: an excerpt, a hole in it, and the prompt that serving would build."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from ..ending import fenced
from ..joint import assemble
from ..models.base import Prompts
from ..prompt import head, rewrite_prompt, suffix_first, tail
from ..request import Hole, RewriteRequest
from ..tokenizer import Tokenizer
from .corpus import Document
from .edits import Draft, make_draft, select
from .holes import KINDS, Maker, Span, make_hole, make_holes
from .recipe import Cutting

_TOP_LEVEL = re.compile(r"^(?=[^\s#/)\]}*@])", re.MULTILINE)


_SPOKEN = {"bash": "shellscript"}  # languages that editors call otherwise


@dataclass(frozen=True, slots=True)
class Example:
    """`ids`: prompt and middle, as serving has them at the moment when the hole is full. The end token follows.

    The last `graded` ids are tokens to be learnt, the last `middle` ones cover the hole; the first `context` ones are
    read without gradient.
    """

    ids: list[int]
    graded: int
    middle: int
    context: int
    language: str
    plain: bool = False  # a rewrite, read by the base without the infiller


class Sampler:
    """Example number n is always the same one: a run that goes on after a kill sees what it would have seen.

    A language is drawn by its weight, then a package by the square root of its size, then a document by its size.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        weights: Mapping[str, float],
        tokenizer: Tokenizer,
        control: Prompts,
        cutting: Cutting,
        seed: int,
        kinds: Mapping[Maker, float] = KINDS,
    ) -> None:
        self._tokenizer, self._control, self._cutting = tokenizer, control, cutting
        self._seed, self._kinds = seed, kinds
        shelves: dict[str, dict[str, list[Document]]] = {}
        for document in documents:
            shelves.setdefault(document.language, {}).setdefault(document.package, []).append(document)
        self._languages = [language for language in sorted(shelves) if weights.get(language)]
        self._weights = [weights[language] for language in self._languages]
        self._packages = {
            language: [_Drawer([len(d.text) for d in own], own) for own in shelves[language].values()]
            for language in self._languages
        }

    def __call__(self, number: int) -> Example:
        """The example of this number."""
        random = Random(f"{self._seed}/{number}")
        while True:
            document = self._document(random)
            if random.random() < self._cutting.edits:
                example = self._edit(document, random)
                if example and example.graded >= self._cutting.least:
                    return example
                continue
            several = random.random() < self._cutting.several
            text = excerpt(document.text, random, 1.0 if several else self._cutting.blocks)
            if not text.strip():
                continue
            if several:  # in a few blocks, so that the prompt reaches from one to the next
                text, hole = first_pass(text, make_holes(text, random), random)
            else:
                hole = make_hole(text, random, self._kinds)
            example = cut(text, hole, document.language, random, self._tokenizer, self._control, self._cutting)
            if example.graded >= self._cutting.least:
                return example

    def _edit(self, document: Document, random: Random) -> Example | None:
        selected = select(document.text, random, 4 * self._cutting.graded)  # characters
        draft = selected and make_draft(document.text[selected.start : selected.end], random)
        if not selected or not draft:
            return None
        return cut_edit(
            document.text, selected, draft, document.language, random, self._tokenizer, self._control, self._cutting
        )

    def _document(self, random: Random) -> Document:
        packages = self._packages[random.choices(self._languages, self._weights)[0]]
        drawer = random.choices(packages, [drawer.total**0.5 for drawer in packages])[0]
        return drawer.draw(random)


class _Drawer:
    def __init__(self, sizes: Sequence[int], documents: Sequence[Document]) -> None:
        self._sums, self._documents = list(accumulate(sizes)), documents
        self.total = self._sums[-1]

    def draw(self, random: Random) -> Document:
        return self._documents[bisect_left(self._sums, random.randint(1, self.total))]


def excerpt(text: str, random: Random, blocks: float) -> str:
    """The whole text, or with probability `blocks` one to three of its top-level blocks."""
    starts = [found.start() for found in _TOP_LEVEL.finditer(text)]
    if len(starts) < 4 or random.random() >= blocks:
        return text
    first = random.randrange(len(starts))
    last = first + random.randint(1, 3)
    return text[starts[first] : starts[last] if last < len(starts) else len(text)].rstrip() + "\n"


def first_pass(text: str, holes: Sequence[Span], random: Random) -> tuple[str, Span]:
    """One of several holes as the joint mode first fills it: those before it are full, those after it still empty.

    The last one is not drawn, if there is another: it is as if it were alone, and so is each when it is filled again.
    """
    number = random.randrange(max(1, len(holes) - 1))
    hole = holes[number]
    later = [Hole(other.start - hole.end, other.end - hole.end) for other in holes[number + 1 :]]
    rest, _ = assemble(text[hole.end :], later, [""] * len(later))
    return text[: hole.end] + rest, hole


def cut(
    text: str, hole: Span, language: str, random: Random, tokenizer: Tokenizer, control: Prompts, cutting: Cutting
) -> Example:
    """Prefix and middle as one text, as they are once the hole is full; the suffix on its own, as serving has it."""
    after = head(tokenizer, text[hole.end :], _between(cutting.suffix, random))
    before = tail(tokenizer, text[: hole.end], _between(cutting.prefix, random))
    ids, graded = suffix_first(control, after, before), min(cutting.graded, len(before))
    context = 0 if random.random() < cutting.through else len(ids) - graded - 1
    return Example(ids, graded, _covering(before, text[hole.start : hole.end], tokenizer), context, language)


def cut_edit(
    text: str,
    selected: Span,
    draft: Draft,
    language: str,
    random: Random,
    tokenizer: Tokenizer,
    control: Prompts,
    cutting: Cutting,
) -> Example:
    """The prompt that a rewrite of the draft has in serving, and as its answer the selected text with its fence."""
    holding = text[: selected.start] + draft.text + text[selected.end :]
    stop = selected.start + len(draft.text)
    request = RewriteRequest(holding, selected.start, stop, draft.instruction, _SPOKEN.get(language, language))
    prompt = rewrite_prompt(tokenizer, control, request, 4 * _between(cutting.suffix, random))  # a quarter is context
    answer = tokenizer.encode(fenced(text[selected.start : selected.end], prompt.fence))
    ids, graded = [*prompt.ids, *answer], min(cutting.graded, len(answer))
    return Example(ids, graded, len(answer), len(ids) - graded - 1, language, plain=True)


def _covering(ids: Sequence[int], text: str, tokenizer: Tokenizer) -> int:
    """How many of the last tokens hold all of a text that they end with."""
    missing = len(text.encode("utf-8", "replace"))
    for count, number in enumerate(reversed(ids)):
        if missing <= 0:
            return count
        missing -= len(tokenizer.token_bytes[number])
    return len(ids)


def _between(bounds: tuple[int, int], random: Random) -> int:
    low, high = bounds
    return round(low * math.pow(high / low, random.random()))
