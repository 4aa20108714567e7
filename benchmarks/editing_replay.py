"""How attentive the server is: `python -m benchmarks.editing_replay --before DIR --after DIR [--limit 100]`.

Types the edits between two versions of real code into the real server, and asks where people pause. A suggestion that
is what was written next is accepted; everything else is typed. Definitions: `README.md` beside this file.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from server.languages import language_of
from server.quiet import Suppressed
from server.syntax import error_count

from .options import positive
from .replayed_edits import TypedEdit, edits_between, pauses
from .spread import spread
from .typing_report import report
from .typing_session import TypingSession

DEBOUNCE_S = 0.2  # Neovim's
MOST_PAUSES = 3  # of one edit


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: what was shown, or the reason for nothing; `remaining` is what was still to be written."""

    ms: float
    shown: str | None
    reason: str
    remaining: str
    added_errors: int

    @property
    def is_prefix(self) -> bool:
        """All that was shown is what was written next."""
        return bool(self.shown) and self.remaining.startswith(self.shown or "")

    @property
    def is_exact(self) -> bool:
        """What was shown is the rest of the line, or of the edit."""
        return self.is_prefix and self.shown in (self.remaining, self.remaining.split("\n", 1)[0])

    @property
    def is_begun(self) -> bool:
        """The first word of what was shown is right."""
        first = (self.shown or "").split(" ", 1)[0]
        return bool(first.strip()) and self.remaining.startswith(first)


def main(argv: Sequence[str] | None = None, command: Sequence[str] | None = None) -> int:
    """Measure and print JSON; 0 done, 1 cannot. `command` starts another server than the real one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.editing_replay", description=__doc__)
    parser.add_argument("--before", type=Path, required=True, metavar="DIR", help="the older version")
    parser.add_argument("--after", type=Path, required=True, metavar="DIR", help="the newer version")
    parser.add_argument("--limit", type=positive, default=100, help="edits, drawn at random (default: 100)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", default="embedded", help="as of `sfumato serve` (default: embedded)")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="also write the JSON here")
    asked = parser.parse_args(argv)
    edits = list(edits_between(asked.before, asked.after))
    random.Random(asked.seed).shuffle(edits)
    if not edits:
        print("editing_replay: there is no edit to replay between these folders", file=sys.stderr)
        return 1
    real = [sys.executable, "-m", "server", "serve", "--stdio", "--model", asked.model]
    return report("editing_replay", _measure(command or real, edits[: asked.limit], asked.seed), asked.out)


async def _measure(command: Sequence[str], edits: Sequence[TypedEdit], seed: int) -> dict[str, object]:
    requests: list[Asked] = []
    async with TypingSession.started(command, edits[0].language, edits[0].text) as session:
        await session.ready()
        for edit in edits:
            requests += await _replay(session, edit, random.Random(seed))
    return {"edits": len(edits), "typed": sum(len(edit.typed) for edit in edits), **summarise(requests)}


async def _replay(session: TypingSession, edit: TypedEdit, chance: random.Random) -> list[Asked]:
    """One edit, typed from its beginning to its end whatever is suggested."""
    await session.open(edit.language, edit.text)
    if edit.start < edit.end:
        await session.replace(edit.start, edit.end, "")
    text = edit.text[: edit.start] + edit.text[edit.end :]
    at, asked = 0, []
    for pause in pauses(edit.typed, MOST_PAUSES, chance):
        while at < pause:  # an accepted suggestion may reach beyond the pause
            await session.replace(edit.start + at, edit.start + at, edit.typed[at])
            at += 1
        if at > pause:
            continue
        cursor = edit.start + at
        present = text[: edit.start] + edit.typed[:at] + text[edit.start :]
        one = await _ask(session, edit, present, cursor, edit.typed[at:])
        asked.append(one)
        if one.is_prefix and one.shown is not None:
            await session.replace(cursor, cursor, one.shown)
            at += len(one.shown)
    return asked


async def _ask(session: TypingSession, edit: TypedEdit, present: str, cursor: int, remaining: str) -> Asked:
    await asyncio.sleep(DEBOUNCE_S)
    answer = await session.ask(cursor)
    if answer.text is None:
        return Asked(answer.ms, None, await session.why_nothing(), remaining, 0)
    language = language_of(edit.language)
    shown = present[:cursor] + answer.text + present[cursor + answer.replaced :]
    added = (error_count(language, shown) or 0) - (error_count(language, present) or 0)
    return Asked(answer.ms, answer.text, "", remaining, added)


def summarise(asked: Sequence[Asked]) -> dict[str, object]:
    """Rates over all requests, and over those that something was shown for."""
    shown = [one for one in asked if one.shown is not None]
    reasons = Counter(one.reason for one in asked if one.shown is None)
    quiet = sum(reasons[reason] for reason in Suppressed)
    hits = [one for one in shown if one.is_prefix]
    return {
        "asked": len(asked),
        "show_rate": _share(len(shown), len(asked)),
        "quiet_rate": _share(quiet, len(asked)),
        "reasons": dict(reasons.most_common()),
        "begun": _share(sum(one.is_begun for one in shown), len(shown)),
        "prefix": _share(len(hits), len(shown)),
        "exact": _share(sum(one.is_exact for one in shown), len(shown)),
        "characters_accepted": sum(len(one.shown or "") for one in hits),
        "adds_errors": _share(sum(one.added_errors > 0 for one in shown), len(shown)),
        "syntax_delta": _share(sum(one.added_errors for one in shown), len(shown)),
        "shown_ms": spread([one.ms for one in shown]),
    }


def _share(part: int, of: int) -> float | None:
    return round(part / of, 4) if of else None


if __name__ == "__main__":
    sys.exit(main())
