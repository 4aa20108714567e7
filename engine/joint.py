"""The joint mode: several holes, or several candidates for one, ranked by a causal reading of the whole.

Left-to-right completion cannot rank by what follows; here a filling is as good as
log p(middle) + log p(suffix head | prefix, middle), read by the base without its infiller.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .infill import Filled, HoleText, fill
from .models.base import Rows, Voice
from .prompt import head, tail
from .request import Hole, InfillRequest, StopReason, SyntaxCheck
from .work import Work

HEAD_TOKENS = 24  # of the text after the last hole
REACH_TOKENS = 256  # of the text after a hole, however far the last one is
PREFIX_TOKENS = 384  # of the text before a hole
CANDIDATES = 3  # a batch of so many costs about as much as one: the weights are read once
SWEEPS = 2
_READ_ROWS = 64


def best_of(work: Work, request: InfillRequest, budget: int, check: SyntaxCheck | None = None) -> list[Filled]:
    """Distinct candidates for the one hole: fewest added errors first, then likeliest whole. Raises `Cancelled`."""
    hole = request.holes[0]
    around = HoleText(request.text[: hole.start], request.text[hole.end :], hole.one_line, hole.wanted)
    count = max(request.candidates, CANDIDATES)
    filled = distinct(fill(work, request, around, budget, seeds(request.seed, count)))
    errors = _errors([(one.text,) for one in filled], check)
    order = sorted(range(len(filled)), key=errors.__getitem__)
    likeliest = [index for index in order if errors[index] == min(errors)]
    if len(likeliest) > 1:
        scores = rank(work, around, [filled[index].text for index in likeliest], HEAD_TOKENS)
        likeliest = [index for _, index in sorted(zip(scores, likeliest, strict=True), key=lambda pair: -pair[0])]
    return [filled[index] for index in (*likeliest, *order[len(likeliest) :])][: request.candidates]


def fill_all(work: Work, request: InfillRequest, budget: int, check: SyntaxCheck | None = None) -> list[Filled]:
    """A filling for every hole: in turn, then each opened again while what stands around it has changed.

    First none stays empty that need not: while a later hole is empty, an earlier one may take what belongs there, and
    the later one would see no gap. An opened hole gets what makes the whole likeliest.
    """
    filled = [Filled(request.text[h.start : h.end], 0, StopReason.END, 0.0) for h in request.holes]
    last = len(filled) - 1
    for number in range(last):
        around = _around(request, filled, number)
        filled[number] = fill(work, request, around, budget, [None], may_be_empty=False)[0]
    drawn = seeds(request.seed, CANDIDATES)
    offered = _around(request, filled, last)
    offers = fill(work, request, offered, budget, drawn)
    filled[last] = next((one for one in offers if one.text), offers[0])
    settled: dict[int, HoleText] = {}
    for number in [*range(last + 1)] * SWEEPS:
        around = _around(request, filled, number)
        if work.deadline.passed:
            break
        if settled.get(number) == around:
            continue
        if offered != around or number != last:
            offered, offers = around, fill(work, request, around, budget, drawn)
        filled[number] = _likeliest(work, request, filled, number, offers, check)
        settled[number] = around
    return filled


def _likeliest(
    work: Work,
    request: InfillRequest,
    filled: Sequence[Filled],
    number: int,
    offers: Sequence[Filled],
    check: SyntaxCheck | None,
) -> Filled:
    """The filling of one hole that adds fewest errors, then makes the whole likeliest; of equals the present one."""
    choices = distinct([filled[number], *offers])
    if len(choices) == 1:
        return filled[number]
    texts = [tuple(choice.text if at == number else one.text for at, one in enumerate(filled)) for choice in choices]
    errors = _errors(texts, check)
    fewest = [index for index, found in enumerate(errors) if found == min(errors)]
    if len(fewest) == 1:
        return choices[fewest[0]]
    around = _around(request, filled, number)
    others = around.suffix[: len(around.suffix) - (len(request.text) - request.holes[-1].end)]  # to the last hole's end
    following = len(head(work.model.tokenizer, others, REACH_TOKENS)) + HEAD_TOKENS
    scores = rank(work, around, [choices[index].text for index in fewest], min(following, REACH_TOKENS))
    return choices[fewest[scores.index(max(scores))]]


def _errors(texts: Sequence[tuple[str, ...]], check: SyntaxCheck | None) -> list[int]:
    """How many each adds. Only those that add fewest are worth a reading."""
    return [check(fillings) if check is not None else 0 for fillings in texts]


def assemble(text: str, holes: Sequence[Hole], fillings: Sequence[str]) -> tuple[str, int]:
    """The text with its holes filled, and the offset right after the last filling."""
    parts: list[str] = []
    at = 0
    for hole, filling in zip(holes, fillings, strict=True):
        parts += (text[at : hole.start], filling)
        at = hole.end
    done = "".join(parts)
    return done + text[at:], len(done)


def _around(request: InfillRequest, filled: Sequence[Filled], number: int) -> HoleText:
    """What stands left and right of a hole while the others hold their present text."""
    left, right = filled[:number], filled[number + 1 :]
    hole = request.holes[number]
    prefix, _ = assemble(request.text[: hole.start], request.holes[:number], [one.text for one in left])
    shifted = [Hole(other.start - hole.end, other.end - hole.end) for other in request.holes[number + 1 :]]
    suffix, _ = assemble(request.text[hole.end :], shifted, [one.text for one in right])
    return HoleText(prefix, suffix, hole.one_line, hole.wanted, tuple(left), tuple(right))


def seeds(seed: int, count: int) -> list[int | None]:
    """Greedy first, then drawn."""
    return [None, *(seed * CANDIDATES + index for index in range(1, count))]


def distinct(filled: Sequence[Filled]) -> list[Filled]:
    """The first of each text, in order."""
    first: dict[str, Filled] = {}
    for one in filled:
        first.setdefault(one.text, one)
    return list(first.values())


def rank(work: Work, hole: HoleText, fillings: Sequence[str], following: int) -> list[float]:
    """log p(filling + the next `following` tokens | prefix) of each filling, read by the base alone.

    Where less follows, the end of the text is a part of it: else writing nothing at the end of a file would be free.
    """
    tokenizer = work.model.tokenizer
    prompt = tail(tokenizer, hole.prefix, PREFIX_TOKENS) or tokenizer.encode("\n")
    work.encode(prompt, Voice.PLAIN)
    if work.deadline.passed:
        return [0.0] * len(fillings)  # none is known to be better than another
    ids = head(tokenizer, hole.suffix, following)
    after = tokenizer.decode(ids)
    end = [work.model.prompts.text_end] if len(ids) < following else []
    return _read(work, prompt, [[*tokenizer.encode(filling + after), *end] for filling in fillings])


def _read(work: Work, prompt: Sequence[int], texts: Sequence[Sequence[int]]) -> list[float]:
    """log p(text | prompt) of each text. What several begin with is read once: a row reads one beginning."""
    numbers: dict[tuple[int, ...], int] = {}
    for ids in texts:
        for length in range(len(ids)):
            numbers.setdefault(tuple(ids[:length]), len(numbers))
    beginnings = list(numbers)
    totals = [0.0] * len(texts)
    for first in range(0, len(beginnings), _READ_ROWS):
        work.cancel.raise_if_cancelled()
        chunk = beginnings[first : first + _READ_ROWS]
        visible = torch.zeros(len(chunk), first + len(chunk), dtype=torch.bool)
        for row, begun in enumerate(chunk):
            visible[row, [numbers[begun[:length]] for length in range(len(begun) + 1)]] = True
        ids = [begun[-1] if begun else prompt[-1] for begun in chunk]
        positions = [len(prompt) - 1 + len(begun) for begun in chunk]
        logs = work.model.read(Rows(ids, positions, len(chunk), 0, visible), Voice.PLAIN).exact.log_softmax(dim=-1)
        work.forwards += 1
        work.model.commit(range(len(chunk)), Voice.PLAIN)
        for row, begun in enumerate(chunk):
            for number, text in enumerate(texts):
                if len(text) > len(begun) and tuple(text[: len(begun)]) == begun:
                    totals[number] += float(logs[row, text[len(begun)]])
    return totals
