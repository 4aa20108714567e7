"""Draft and verify, the loop of models with a causal reading: read, verify and commit, propose again, stop.

It knows drafts and strategies, and a model only through `read` and `commit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from torch import Tensor

from .cancel import CancelToken, Deadline
from .choose import Choose, allow_only, rule_out
from .draft import Draft, lay_out
from .ending import Ending, first_ending
from .models.base import Model, Voice
from .propose import Propose
from .request import StopReason
from .verify import accepted


@dataclass(slots=True)
class Filling:
    """One draft on its way, with the strategies that fill it. `pending`: bytes of the prefix still to write again.

    `not_yet`: tokens that must not come before something is written, blanks aside.
    """

    draft: Draft
    choose: Choose
    propose: Propose
    endings: Sequence[Ending]
    pending: bytes = b""
    not_yet: frozenset[int] = frozenset()
    stop_reason: StopReason | None = None
    log_probability: float = 0.0
    healed: int = field(default=0, init=False)  # tokens that only wrote the prefix again

    def take(self, exact: Tensor, blocks: dict[int, Tensor], model: Model) -> int:
        """Commit what the reading verifies; returns how many exact rows stay. exact: (1 + proposals, vocabulary)."""
        if self.pending:
            exact = allow_only(exact[0], model.tokenizer.continuing(self.pending))[None]
        committed = self.draft.committed
        proposed = () if self.pending else self.draft.proposed
        allowed = rule_out(exact, self.not_yet, self._blank_rows(proposed, model))
        chosen = self.choose(allowed, len(committed))
        count = accepted(proposed, chosen)
        tokens = chosen[: count + 1]
        heals = self._heals(tokens[0], model)
        stop = None if heals else first_ending(self.endings, committed[self.healed :], tokens)
        kept, self.stop_reason = stop if stop else (len(tokens), None)
        self._score(exact, tokens[: kept + (self.stop_reason is StopReason.END)])
        draft = self.draft.commit(tokens[:kept])
        self.draft = self.propose(draft, count, len(proposed), blocks.get(count))
        if self.pending:
            self.draft = self.draft.propose(()).open_after((0,), self.draft.width)
        return count + 1

    def _blank_rows(self, proposed: Sequence[int], model: Model) -> int:
        """How many leading rows continue nothing but blanks."""
        names = model.tokenizer.token_bytes
        if not self.not_yet or any(names[token].strip() for token in self.draft.committed[self.healed :]):
            return 0
        return 1 + next((row for row, token in enumerate(proposed) if names[token].strip()), len(proposed))

    def _heals(self, token: int, model: Model) -> bool:
        """Take what a token writes again off what is pending; returns whether it writes nothing else."""
        data, pending = model.tokenizer.token_bytes[token], self.pending
        self.pending = pending[len(data) :]
        only = bool(pending) and len(data) <= len(pending)
        self.healed += only
        return only

    def _score(self, exact: Tensor, tokens: Sequence[int]) -> None:
        """An end token counts, what a draft had after it does not."""
        logs = exact[: len(tokens)].log_softmax(dim=-1)
        self.log_probability += sum(float(logs[row, token]) for row, token in enumerate(tokens))


Watch = Callable[[], None]


def draft_and_verify(
    model: Model, fillings: Sequence[Filling], voice: Voice, cancel: CancelToken, deadline: Deadline, watch: Watch
) -> int:
    """Finish all drafts, one forward a step for all of them; returns the number of forwards. Raises `Cancelled`.

    A deadline leaves every draft with what it has.
    """
    owners: list[int] = []
    forwards = 0
    while live := [number for number, filling in enumerate(fillings) if filling.stop_reason is None]:
        cancel.raise_if_cancelled()
        if deadline.passed:
            for number in live:
                fillings[number].stop_reason = StopReason.DEADLINE
            break
        layout = lay_out([fillings[n].draft for n in live], [live.index(o) if o in live else -1 for o in owners])
        reading = model.read(layout.rows, voice)
        forwards += 1
        kept: list[int] = []
        for number, exact, opened in zip(live, layout.exact, layout.open, strict=True):
            filling = fillings[number]
            blocks = dict(zip(filling.draft.blocks, (reading.canvas[b.start : b.stop] for b in opened), strict=True))
            rows = filling.take(reading.exact[exact.start : exact.stop], blocks, model)
            kept += exact[:rows]
            owners += [number] * rows
        model.commit(kept, voice)
        watch()
    return forwards
